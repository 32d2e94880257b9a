/** Makes elements, and fills the page's one live region. Texts become text nodes: nothing here parses HTML. */

/**
 * Make an element. Properties that are functions become listeners (`onclick`), `class` and names with a dash
 * become attributes, `false` and `null` leave an attribute out.
 * @param {string} tag @param {Object<string, any>} [properties] @param {...(Node|string|null)} children
 * @returns {any}
 */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === false || value === null || value === undefined) continue;
    else if (name in element && !name.includes("-")) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an SVG element.
 * @param {string} tag @param {Object<string, string|number>} [attributes] @param {...Node} children
 * @returns {any}
 */
export function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** @param {string} id @returns {any} */
export const byId = (id) => document.getElementById(id);

/** Change a text only if it differs, so that screen readers repeat nothing and the browser draws nothing in vain.
 * @param {Node} node @param {string} text */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Screen readers drop a text that is replaced within a moment: so texts that come together are joined.
const GATHER_MS = 200;
/** @type {string[]} */
let waiting = [];

/** Let screen readers read this text out, by the page's live region (polite). @param {string} text */
export function say(text) {
  if (!text) return;
  waiting.push(text);
  if (waiting.length > 1) return;
  setTimeout(() => {
    const region = byId("live");
    if (region) region.textContent = waiting.join(". ");
    waiting = [];
  }, GATHER_MS);
}

/** Show whether buttons do anything now. Tab still reaches them: a disabled button would lose the focus.
 * @param {boolean} can @param {HTMLElement[]} buttons */
export function enable(can, ...buttons) {
  for (const button of buttons) {
    if (can) button.removeAttribute("aria-disabled");
    else button.setAttribute("aria-disabled", "true");
  }
}

/** Close a dialog by a click or tap beside it, as Escape does, which a phone does not have. @param {HTMLDialogElement} dialog */
export function closeBeside(dialog) {
  dialog.addEventListener("click", ({ target, clientX, clientY }) => {
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    if (target === dialog && (clientX < left || clientX > right || clientY < top || clientY > bottom)) dialog.close("");
  });
}

/** Make these the children of an element. Children that stay are not moved: an element that is moved or replaced loses the focus,
 * and gets no click if it was being pressed. @param {Element} parent @param {Element[]} children */
export function fill(parent, children) {
  const staying = new Set(children);
  for (const old of [...parent.children]) if (!staying.has(old)) old.remove();
  children.forEach((child, at) => { if (parent.children[at] !== child) parent.insertBefore(child, parent.children[at] ?? null); });
}

/** The elements of each list by what they show. @type {WeakMap<Element, Map<string, Element>>} */
const drawn = new WeakMap();

/** Draw a list; entries that have not changed keep their elements. @template T
 * @param {Element} list @param {T[]} entries @param {(entry: T) => Element} drawEntry depends on nothing but the entry */
export function fillList(list, entries, drawEntry) {
  const before = drawn.get(list), after = new Map();
  for (const [at, entry] of entries.entries()) {
    const text = JSON.stringify(entry), key = after.has(text) ? `${text} ${at}` : text;
    after.set(key, before?.get(key) ?? drawEntry(entry));
  }
  drawn.set(list, after);
  fill(list, [...after.values()]);
}

/** Show one line of text in an element; without a text, hide the element. @param {HTMLElement} element @param {string} [text] */
export function note(element, text = "") {
  setText(element, text);
  element.hidden = !text;
}

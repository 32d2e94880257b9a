/** Elements, and the page's one live region. Text comes in as text: nothing here reads HTML. */

/**
 * An element. Properties that are functions listen (`onclick`), `class` and names with a dash are
 * attributes, `false` and `null` leave an attribute out.
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
 * An SVG element.
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

/** Change a text only if it differs, so that nothing is read out or drawn for nothing.
 * @param {Node} node @param {string} text */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Screen readers drop what is replaced within a moment: what comes together is read together.
const GATHER_MS = 200;
/** @type {string[]} */
let waiting = [];

/** Read this out, politely, in the page's live region. @param {string} text */
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

/** Show one line of text or, without a text, nothing. @param {HTMLElement} element @param {string} [text] */
export function note(element, text = "") {
  setText(element, text);
  element.hidden = !text;
}

/** The page's texts in the reader's language. The scripts have each text in English, marked with `t`; the tables
 * `texts.*.js` have it in other languages, with the English as the key. A text that a table lacks stays English. */

const TABLES = { de: () => import("./texts.de.js"), fr: () => import("./texts.fr.js") };
const NAMED = ["alt", "aria-label", "placeholder", "title"]; // attributes that people or screen readers read

/** The first language of the browser that has a table, or English. */
export const LANGUAGE = navigator.languages.map((tag) => tag.split("-", 1)[0])
  .find((language) => language === "en" || language in TABLES) ?? "en";

/** The table, without a prototype: a name such as `constructor` is no text of it. @type {Object<string, string>} */
const table = Object.assign(Object.create(null), LANGUAGE in TABLES ? (await TABLES[LANGUAGE]()).TEXTS : {});

/** The locale for dates and numbers: the browser's own variant of that language. */
export const LOCALE = navigator.languages.find((tag) => tag.split("-", 1)[0] === LANGUAGE && tag !== "en-US") ?? "en-GB";

/** The translation of a text from the server's tables, or of one that several scripts use. @param {string} text in English */
export const translated = (text) => table[text] ?? text;

/** A text with values in it: t`${name} offers a draw.` has the key `{0} offers a draw.`, and a table may change their order.
 * @param {TemplateStringsArray} parts @param {...any} values @returns {string} */
export function t(parts, ...values) {
  const key = parts.reduce((text, part, at) => `${text}{${at - 1}}${part}`);
  return translated(key).replace(/\{(\d)\}/g, (_, at) => String(values[Number(at)]));
}

/** Translate the texts of the page itself. @param {ParentNode} root */
function translatePage(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.data.trim().replace(/\s+/g, " ");
    if (text in table) node.data = node.data.replace(/\S[^]*\S|\S/, () => table[text]);
  }
  for (const name of NAMED) {
    for (const element of root.querySelectorAll(`[${name}]`)) {
      element.setAttribute(name, translated(element.getAttribute(name)));
    }
  }
}

if (LANGUAGE !== "en") {
  document.documentElement.lang = LANGUAGE;
  translatePage(document.documentElement);
}

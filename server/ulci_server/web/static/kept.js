/** What a tab keeps over a reload. Where the browser keeps nothing for pages (blocked, full), it is
 * kept as long as the page is. */

/** @type {Map<string, string|null>} newer than what the browser has, if that could not be written */
const here = new Map();

/** @param {string} key @returns {string|null} */
export function kept(key) {
  if (here.has(key)) return here.get(key) ?? null;
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

/** @param {string} key @param {string|null} value null: forget it @returns {boolean} whether a reload keeps it */
export function keep(key, value) {
  try {
    if (value === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, value);
    here.delete(key);
    return true;
  } catch {
    here.set(key, value);
    return false;
  }
}

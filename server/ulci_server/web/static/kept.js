/** Values that a tab keeps over a reload. If the browser stores nothing for pages (blocked, full), they
 * last as long as the page. */

/** @type {Map<string, string|null>} values that the browser could not store */
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

/** @param {string} key @param {string|null} value null: forget the key @returns {boolean} whether the value survives a reload */
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

/** The name of a guest, which the browser keeps for later visits. */

const NAME = "ulci.name";

export function rememberedName() {
  try {
    return localStorage.getItem(NAME) ?? "";
  } catch {
    return ""; // blocked
  }
}

/** @param {string} name */
export function rememberName(name) {
  try {
    localStorage.setItem(NAME, name);
  } catch {
    // The browser's storage is blocked or full.
  }
}

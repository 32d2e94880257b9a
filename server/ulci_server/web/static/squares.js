/** Names of squares and moves: `e4`, `aa12`; `e2e4`, `e7e8q`, `N@f3`, and in games of stones `b2`. */

const LETTERS = 26;
const SQUARE = "[a-z]{1,2}[1-9][0-9]{0,2}";
const MOVE = new RegExp(`^(${SQUARE})(${SQUARE})([a-z]?)$`);
const DROP = new RegExp(`^([A-Za-z]?)@(${SQUARE})$`);
const STONE = new RegExp(`^${SQUARE}$`);
const PARTS = /^([a-z]{1,2})([1-9][0-9]{0,2})$/;

/**
 * @typedef {{from: string, to: string, promotion: string, drop: string}} Move
 * `from` is empty for drops and stones, `drop` (an upper-case letter) for all but drops.
 */

/** @param {number} file from 0 @returns {string} `a` to `z`, then `aa`, `ab` … */
export function fileName(file) {
  const last = String.fromCharCode(97 + (file % LETTERS));
  return file < LETTERS ? last : fileName(Math.floor(file / LETTERS) - 1) + last;
}

/** @param {number} file from 0 @param {number} rank from 0, at White's side @returns {string} */
export const squareName = (file, rank) => `${fileName(file)}${rank + 1}`;

/** @param {string} name @returns {{file: number, rank: number}|null} both from 0 */
export function squareAt(name) {
  const found = PARTS.exec(name);
  if (!found) return null;
  let file = 0;
  for (const letter of found[1]) file = file * LETTERS + letter.charCodeAt(0) - 96;
  return { file: file - 1, rank: Number(found[2]) - 1 };
}

/** @param {string} text in the server's spelling @returns {Move|null} null: it has none of these forms */
export function readMove(text) {
  let found = MOVE.exec(text);
  if (found) return { from: found[1], to: found[2], promotion: found[3], drop: "" };
  found = DROP.exec(text);
  if (found) return { from: "", to: found[2], promotion: "", drop: (found[1] || "P").toUpperCase() };
  return STONE.test(text) ? { from: "", to: text, promotion: "", drop: "" } : null;
}

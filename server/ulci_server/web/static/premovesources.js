/** The premoves that a player may choose. */

import { hasStones } from "./words.js";

/** The targets of one piece in a premove: all squares. It has the shape of a map from target to moves. */
class AnySquare {
  /** @param {string} from the square, `N@`, or "" for stones @param {(square: string) => boolean} allowed */
  constructor(from, allowed) {
    this.from = from;
    this.allowed = allowed;
  }

  /** @param {string} to @returns {string[]|undefined} */
  get(to) {
    return to !== this.from && this.allowed(to) ? [this.from + to] : undefined;
  }

  /** @param {string} to */
  has(to) {
    return !!this.get(to);
  }
}

/**
 * The pieces that may premove: each own piece may go anywhere, because only the rules know which moves the opponent's makes legal.
 * @param {{position: import("./api.js").Board|null, cells: Map<string, any>, rules: string, at: (square: string) => string}} board
 * @param {"white"|"black"|""} side "": nobody
 * @returns {Map<string, any>} in the shape of the board's legal moves
 */
export function premoveSources(board, side) {
  const sources = new Map();
  if (!side || !board.position) return sources;
  if (hasStones(board.rules)) return sources.set("", new AnySquare("", (square) => !board.at(square)));
  const own = side === "white" ? /[A-Z]/ : /[a-z]/;
  for (const square of board.cells.keys()) {
    if (own.test(board.at(square))) sources.set(square, new AnySquare(square, () => true));
  }
  for (const letter of board.position.pockets?.[side] ?? "") {
    const drop = `${letter.toUpperCase()}@`;
    sources.set(drop, new AnySquare(drop, (square) => !board.at(square)));
  }
  return sources;
}

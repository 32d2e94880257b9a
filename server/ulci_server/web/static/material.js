/** The captured pieces of a game, and which side is ahead. */

import { pieceImage } from "./piece.js";
import { make } from "./dom.js";
import { t } from "./texts.js";
import { kindName } from "./words.js";
import { VALUES } from "./tables.js";

/** @typedef {import("./api.js").Board} Board
 * @typedef {{taken: Map<string, number>, ahead: number}} Side `taken`: how many of each kind of the opponent's pieces, the most valuable
 * first; `ahead`: by how much, 0 if it is not ahead */

/** @param {Board} board @returns {Object<string, Map<string, number>>} pieces of each side by lower-case letter */
function count({ ranks }) {
  const pieces = { white: new Map(), black: new Map() };
  for (const letter of ranks.join("")) {
    if (letter === ".") continue;
    const kind = letter.toLowerCase(), side = pieces[letter === kind ? "black" : "white"];
    side.set(kind, (side.get(kind) ?? 0) + 1);
  }
  return pieces;
}

/**
 * @param {string} rules @param {Board|null} start @param {Board|null} board
 * @returns {{white: Side, black: Side}|null} null in games in which material means nothing: without known values of pieces, and with
 *   captured pieces that return from a pocket
 */
export function material(rules, start, board) {
  const values = VALUES[rules];
  if (!values || !start?.ranks.length || !board?.ranks.length || board.pockets) return null;
  const before = count(start), now = count(board);
  const lost = {}, worth = {};
  for (const side of ["white", "black"]) {
    lost[side] = new Map();
    worth[side] = 0;
    let promoted = 0;
    for (const kind of new Set([...before[side].keys(), ...now[side].keys()])) {
      const has = now[side].get(kind) ?? 0, gone = (before[side].get(kind) ?? 0) - has;
      worth[side] += has * (values[kind] ?? 0);
      if (gone < 0) promoted -= gone;
      else if (gone > 0) lost[side].set(kind, gone);
    }
    // Promoted pawns were not captured.
    const pawns = (lost[side].get("p") ?? 0) - promoted;
    if (pawns > 0) lost[side].set("p", pawns);
    else lost[side].delete("p");
  }
  const sorted = (taken) => new Map([...taken].sort(([one], [other]) => (values[other] ?? 0) - (values[one] ?? 0) || one.localeCompare(other)));
  const ahead = worth.white - worth.black;
  return {
    white: { taken: sorted(lost.black), ahead: Math.max(0, ahead) },
    black: { taken: sorted(lost.white), ahead: Math.max(0, -ahead) },
  };
}

const SHOWN = 8; // pictures of one kind; of more pieces the page shows one picture and their number

/** Small pictures of the pieces that a side has captured. @param {Side} side @param {"white"|"black"} own the side that captured @param {string} rules
 * @returns {HTMLElement|null} null: the side has captured nothing and is not ahead */
export function materialImage({ taken, ahead }, own, rules) {
  if (!taken.size && !ahead) return null;
  const said = [...taken].map(([kind, many]) => `${many} ${kindName(kind)}${many === 1 ? "" : "s"}`).join(", ");
  const text = [said && t`has taken ${said}`, ahead ? t`${ahead} ahead` : ""].filter(Boolean).join("; ");
  const pictures = [...taken].map(([kind, many]) => {
    const letter = own === "white" ? kind : kind.toUpperCase();
    const shown = many > SHOWN ? 1 : many;
    return make("span", { class: "taken-kind" }, ...Array.from({ length: shown }, () => pieceImage(letter, rules)), many > SHOWN ? `×${many}` : null);
  });
  return make("span", { class: "taken", role: "img", "aria-label": text }, ...pictures, ahead ? `+${ahead}` : null);
}

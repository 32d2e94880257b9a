/** The lobby's lines, as all clients send and receive them: server/ulci/protocol/README.md. */

import { LINES } from "./tables.js";

/** The error codes by which the lobby refuses the terms of a seek, a challenge or an invitation. */
export const TERMS_REFUSED = ["bad-start", "bad-time", "busy", "cannot-play", "closed", "no-such-game", "not-allowed", "too-large",
  "too-many-games", "too-much-time"];

/**
 * @param {string} line the rest after the word `lobby`
 * @returns {Object<string, string>|null} `line` (its class in the server's table), the values in place by their template's name
 *   in lower case (`id`, `name`, `text`), and the pairs by their keys; null: the table does not have this line
 */
export function readLobby(line) {
  const words = line.split(" ").filter(Boolean);
  for (const { line: kind, head, pairs } of LINES) {
    /** @type {Object<string, string>} */
    const read = { line: kind };
    let at = 0, fits = true;
    for (const part of head) {
      if (typeof part === "string") fits = words[at++] === part;
      else if (part.rest) { read[part.name] = words.slice(at).join(" "); at = words.length; }
      else if (words[at] === undefined) fits = part.optional;
      else { fits = !part.choices.length || part.choices.includes(words[at]); read[part.name] = words[at++]; }
      if (!fits) break;
    }
    if (!fits || (!pairs && at < words.length)) continue;
    for (; at + 1 < words.length; at += 2) read[words[at]] = words[at + 1];
    return read;
  }
  return null;
}

/** A line `seek …` or `challenge NAME …`: it leaves out empty terms; the start is last and takes the rest of the line.
 * @param {string} word @param {Object<string, string>} terms */
export function termsLine(word, terms) {
  const said = ["game", "time", "color", "rated", "against", "level", "range", "start"]
    .filter((key) => terms[key]?.trim()).map((key) => `${key} ${oneLine(terms[key])}`);
  return [word, ...said].join(" ");
}

const LOWEST = 0, HIGHEST = 9999;

/** The range of the opponent's rating for a seek; an empty value is no bound.
 * @param {string} low @param {string} high @returns {string|null} empty: any rating; null: the values are no range */
export function ratingRange(low, high) {
  const both = [low.trim(), high.trim()];
  if (!both.some(Boolean)) return "";
  if (!both.every((one) => /^[0-9]{0,4}$/.test(one))) return null;
  const [from, to] = [both[0] || LOWEST, both[1] || HIGHEST].map(Number);
  return from <= to ? `${from}-${to}` : null;
}

/** A typed text as a part of one line, without line breaks. @param {string} text */
export const oneLine = (text) => text.replaceAll(/\s+/g, " ").trim();

/** The lobby's words, as every client says and hears them: server/ulci/protocol/README.md. */

import { LINES } from "./tables.js";

/**
 * @param {string} line behind the word `lobby`
 * @returns {Object<string, string>|null} `line` (its class in the server's table), the values in place by their template's name
 *   in lower case (`id`, `name`, `text`), and the pairs by their keys; null: a word that the table does not have
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

/** `seek …` and `challenge NAME …`: what is empty is left out; a start takes the rest of the line.
 * @param {string} word @param {Object<string, string>} terms */
export function termsLine(word, terms) {
  const said = ["game", "time", "color", "rated", "against", "level", "start"]
    .filter((key) => terms[key]?.trim()).map((key) => `${key} ${oneLine(terms[key])}`);
  return [word, ...said].join(" ");
}

/** What a person typed, as a part of one line. @param {string} text */
export const oneLine = (text) => text.replaceAll(/\s+/g, " ").trim();

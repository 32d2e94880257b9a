/** Names of players as links to their pages. */

import { make } from "./dom.js";
import { playerName } from "./words.js";

/** Names that browsers take for folders, so that no address can have them. */
const FOLDERS = [".", ".."];

const FRAMED = location.pathname.startsWith("/embed/");

/** @param {string} name @returns {string|null} the address of the player's page; null: no address can have this name */
export const playerHref = (name) => (!name || FOLDERS.includes(name) ? null : `/players/${encodeURIComponent(name)}`);

/**
 * The name as a link to the player's page.
 * @param {string} name @param {{text?: string, apart?: boolean}} [how] `text`: shown instead of the name; `apart`: the link opens
 *   a tab of its own, on pages that a person should not leave, and everywhere in a frame
 * @returns {HTMLElement}
 */
export function playerLink(name, { text = name, apart = FRAMED } = {}) {
  const href = playerHref(name);
  if (href === null) return make("span", {}, text);
  return make("a", { class: "player", href, ...(apart ? { target: "_blank", rel: "noopener" } : {}) }, text);
}

/** Both players of a game. @param {{white: {name: string, level?: number|null}, black: {name: string, level?: number|null}}} game
 * @returns {HTMLElement} */
export const bothLinks = ({ white, black }) => make("span", {},
  playerLink(white.name, { text: playerName(white) }), " – ", playerLink(black.name, { text: playerName(black) }));

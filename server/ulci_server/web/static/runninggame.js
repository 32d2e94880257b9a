/** The game that this browser plays in any tab or window, so that each page leads back to it. */

import { getJson } from "./api.js";

const STORE = "ulci.game";

/** @typedef {{id: string, seat: string}} Running `seat`: the saved seat of its tab, as JSON */

/** @returns {Running|null} */
export function runningGame() {
  try {
    const game = JSON.parse(localStorage.getItem(STORE) ?? "null");
    return /^[0-9]+$/.test(game?.id) && typeof game.seat === "string" ? game : null;
  } catch {
    return null; // blocked
  }
}

/** @param {Running|null} game null: the game is over */
export function rememberGame(game) {
  try {
    if (game) localStorage.setItem(STORE, JSON.stringify(game));
    else localStorage.removeItem(STORE);
  } catch {
    // The browser's storage is blocked or full: then only the tab itself leads back.
  }
}

/** Forget the game if its player was signed in. */
export function forgetGameOfSession() {
  const game = runningGame();
  if (game && JSON.parse(game.seat)?.session) rememberGame(null);
}

/** @returns {Promise<Running|null>} the game; null if it does not run any more */
export async function gameToReturnTo() {
  const game = runningGame();
  if (!game) return null;
  try {
    const { result } = await getJson(`/api/games/${game.id}`);
    if (result === null || result === undefined) return game;
  } catch (error) {
    if (error.status !== 404) return game;
  }
  rememberGame(null);
  return null;
}

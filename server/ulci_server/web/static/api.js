/** What the server's API says, and what time it is there. */

/**
 * @typedef {{ranks: string[], turn: "white"|"black", check: string[],
 *            pockets: {white: string, black: string}|null}} Board
 * @typedef {{white_ms: number|null, black_ms: number|null, running: "white"|"black"|null}} Clocks
 * @typedef {{name: string, kind: string}} Player
 */

/** What the server answered instead of what was asked for; the message is for people. */
export class ApiError extends Error {
  /** @param {number} status 0: no answer @param {string} text */
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

/** The server's clock less ours, in ms, at the quickest answer so far; the way here only makes it less. */
let ahead = -Infinity;

/** @param {{now?: string}} answer anything that the server said */
export function learnTime(answer) {
  const now = answer?.now ? Date.parse(answer.now) : NaN;
  if (!Number.isNaN(now)) ahead = Math.max(ahead, now - Date.now());
}

/** @returns {number} ms since 1970, as the server counts them */
export const serverNow = () => Date.now() + (Number.isFinite(ahead) ? ahead : 0);

// A clock that was set, or a machine that slept, makes what was learned worthless.
let before = { wall: Date.now(), steady: performance.now() };
setInterval(() => {
  const wall = Date.now(), steady = performance.now();
  if (Math.abs(wall - before.wall - (steady - before.steady)) > 500) ahead = -Infinity;
  before = { wall, steady };
}, 5000);

/** @param {string} path @returns {Promise<any>} @throws {ApiError} */
export async function getJson(path) {
  let response;
  try {
    // What is kept is asked after: another database has other games of the same numbers.
    response = await fetch(path, { headers: { Accept: "application/json" }, cache: "no-cache" });
  } catch {
    throw new ApiError(0, "The server does not answer.");
  }
  let answer;
  try {
    answer = await response.json();
  } catch {
    throw new ApiError(response.status, `The server's answer cannot be read (${response.status}).`);
  }
  // What comes out of a cache has the time of long ago.
  if (!response.headers.has("ETag")) learnTime(answer);
  if (!response.ok) {
    throw new ApiError(response.status, answer?.error?.text ?? `The server answered ${response.status}.`);
  }
  return answer;
}

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

const CONNECTIONS = 6; // that a browser keeps open to a server over HTTP/1.1
const PROBE_MS = 2000;
const ANSWER_MS = 15_000; // until an answer begins: a line that went silent says nothing for ever
const WHOLE_MS = 60_000; // until it is whole: the longest game over the slowest line

/** The server's clock less the time since this page began, in ms, at the last answers. The latter goes on evenly, whatever
 * the clock of this machine is set to. @type {number[]} */
const ahead = [];
const ANSWERS = 16; // that are remembered: the server's clock may be set, and this machine may have slept

/** @param {{now?: string}} answer anything that the server said */
export function learnTime(answer) {
  const now = answer?.now ? Date.parse(answer.now) : NaN;
  if (Number.isNaN(now)) return;
  ahead.push(now - performance.now());
  if (ahead.length > ANSWERS) ahead.shift();
}

/** @returns {number} ms since 1970, as the server counts them; by the quickest answer, as the way here only makes it less */
export const serverNow = () => performance.now() + (ahead.length ? Math.max(...ahead) : performance.timeOrigin);

/** A line went silent. The others that the browser keeps may be dead, too, and it would ask there one after another.
 * So all of them are asked at once, and those that say nothing are given up. */
export async function dropSilentLines() {
  const probe = () => fetch("/livez", { cache: "no-store", signal: AbortSignal.timeout(PROBE_MS) })
    .then((answer) => answer.text()).catch(() => "");
  await Promise.all(Array.from({ length: CONNECTIONS }, probe));
}

/** @param {string} path @returns {Promise<any>} @throws {ApiError} */
export async function getJson(path) {
  let response, answer;
  const patience = new AbortController(), giveUp = () => patience.abort();
  let timer = setTimeout(giveUp, ANSWER_MS);
  try {
    // What is kept is asked after: another database has other games of the same numbers.
    const options = { headers: { Accept: "application/json" }, cache: /** @type {RequestCache} */ ("no-cache") };
    response = await fetch(path, { ...options, signal: patience.signal });
    clearTimeout(timer);
    timer = setTimeout(giveUp, WHOLE_MS);
    answer = await response.json();
  } catch {
    if (!response || patience.signal.aborted) throw new ApiError(0, "The server does not answer.");
    throw new ApiError(response.status, `The server's answer cannot be read (${response.status}).`);
  } finally {
    clearTimeout(timer);
  }
  // What comes out of a cache has the time of long ago.
  if (!response.headers.has("ETag")) learnTime(answer);
  if (!response.ok) {
    throw new ApiError(response.status, answer?.error?.text ?? `The server answered ${response.status}.`);
  }
  return answer;
}

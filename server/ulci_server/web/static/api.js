/** Reads the server's API, and knows the server's time. */

import { t } from "./texts.js";

/**
 * @typedef {{ranks: string[], turn: "white"|"black", check: string[],
 *            pockets: {white: string, black: string}|null}} Board
 * @typedef {{white_ms: number|null, black_ms: number|null, running: "white"|"black"|null}} Clocks
 * @typedef {{name: string, kind: string}} Player
 */

/** An error of the server, or its silence; the message is for people. */
export class ApiError extends Error {
  /** @param {number} status 0: no answer @param {string} text */
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

const CONNECTIONS = 6; // that a browser keeps open to a server over HTTP/1.1
const PROBE_MS = 700; // a page that returns is to be current within a second; a slower answer costs one more connection
const ANSWER_MS = 15_000; // until an answer begins: a silent connection stays silent for ever
const WHOLE_MS = 60_000; // until an answer is complete: the longest game over the slowest connection

/** The server's clock minus the time since this page began, in ms, at the last answers. The latter runs evenly, even if
 * somebody sets the clock of this machine. @type {number[]} */
const ahead = [];
const ANSWERS = 16; // in that list: old ones are wrong after the server's clock was set or this machine slept

/** @param {{now?: string}} answer any answer or event of the server */
export function learnTime(answer) {
  const now = answer?.now ? Date.parse(answer.now) : NaN;
  if (Number.isNaN(now)) return;
  ahead.push(now - performance.now());
  if (ahead.length > ANSWERS) ahead.shift();
}

/** @returns {number} ms since 1970 on the server's clock, by the quickest answer: the time on the network only makes it less */
export const serverNow = () => performance.now() + (ahead.length ? Math.max(...ahead) : performance.timeOrigin);

/** @type {Promise<void>|null} */
let dropping = null;

/** Probe all connections at once after one went silent. The others that the browser keeps may be dead, too, and it would try
 * them one after another. Connections without an answer are given up.
 * @returns {Promise<void>} when one has answered, so that the next request has a connection, or when none has */
export function dropSilentLines() {
  const probe = () => fetch("/livez", { cache: "no-store", signal: AbortSignal.timeout(PROBE_MS) }).then(async (answer) => { await answer.text(); });
  dropping ??= Promise.any(Array.from({ length: CONNECTIONS }, probe)).catch(() => {}).finally(() => { dropping = null; });
  return dropping;
}

/** @param {string} path @returns {Promise<any>} @throws {ApiError} */
export async function getJson(path) {
  let response, answer;
  const patience = new AbortController(), giveUp = () => patience.abort();
  let timer = setTimeout(giveUp, ANSWER_MS);
  try {
    // Revalidate what is cached: another database has other games of the same numbers.
    const options = { headers: { Accept: "application/json" }, cache: /** @type {RequestCache} */ ("no-cache") };
    response = await fetch(path, { ...options, signal: patience.signal });
    clearTimeout(timer);
    timer = setTimeout(giveUp, WHOLE_MS);
    answer = await response.json();
  } catch {
    if (!response || patience.signal.aborted) throw new ApiError(0, t`The server does not answer.`);
    throw new ApiError(response.status, t`The server's answer cannot be read (${response.status}).`);
  } finally {
    clearTimeout(timer);
  }
  // An answer from a cache has an old time.
  if (!response.headers.has("ETag")) learnTime(answer);
  if (!response.ok) {
    throw new ApiError(response.status, answer?.error?.text ?? t`The server answered ${response.status}.`);
  }
  return answer;
}

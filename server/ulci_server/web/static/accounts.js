/** The account that this browser is signed in to. Only the browser sees the cookie: no script can read it. */

import { getJson } from "./api.js";
import { postJson } from "./postjson.js";

const SIGNED_OUT = 401;
const CHANNEL = "ulci.account";

/** @typedef {import("./api.js").ApiError} ApiError */

/**
 * @typedef {{id: number, label: string, scope: string, created_at: string, last_used_at: string|null}} Token
 * @typedef {{name: string, kind: string, created_at: string, sessions: number, expires_at: string, tokens: Token[]}} Account
 */

/** @returns {Promise<{sign_up: "open"|"invite"|"off", account: Account|null}>} @throws {ApiError} */
export const readAccount = () => getJson("/api/account");

/** @param {string} act the end of the path @param {Object<string, string>} [said] @returns {Promise<any>} @throws {ApiError} */
export const postAccount = (act, said = {}) => postJson(`/api/account/${act}`, said);

/** A ticket, to be sent as the token of one login at the WebSocket. @returns {Promise<string|null>} null: the browser is signed out
 * @throws {ApiError} */
export async function takeTicket() {
  try {
    return (await postAccount("ticket")).ticket;
  } catch (error) {
    if (/** @type {ApiError} */ (error).status === SIGNED_OUT) return null;
    throw error;
  }
}

/** Tell the other tabs of this browser about the sign-out. Where the browser blocks all that tabs share, the tabs notice it when they
 * connect to the server again. */
export function tellSignedOut() {
  try {
    const tabs = new BroadcastChannel(CHANNEL);
    tabs.postMessage("out");
    tabs.close();
  } catch {
    // Blocked.
  }
}

/** @param {() => void} then is called when another tab signs this browser out */
export function onSignedOut(then) {
  try {
    new BroadcastChannel(CHANNEL).addEventListener("message", then);
  } catch {
    // Blocked.
  }
}

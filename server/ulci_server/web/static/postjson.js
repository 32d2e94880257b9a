/** Requests with a body: questions that are too long for an address, and the acts of an account. */

import { ApiError } from "./api.js";
import { t } from "./texts.js";

const ANSWER_MS = 20_000; // a password or an engine takes a while, and others may wait for theirs

/** @param {string} path @param {Object<string, any>} body @returns {Promise<any>} @throws {ApiError} */
export async function postJson(path, body) {
  let response, answer;
  try {
    response = await fetch(path, {
      method: "POST",
      body: JSON.stringify(body),
      cache: "no-store",
      headers: { Accept: "application/json", "Content-Type": "application/json" },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    answer = await response.json();
  } catch {
    throw new ApiError(response?.status ?? 0, response ? t`The server's answer cannot be read (${response.status}).` : t`The server does not answer.`);
  }
  if (response.ok) return answer;
  const text = answer?.error?.text ?? t`the server answered ${response.status}`;
  const later = response.headers.get("Retry-After");
  throw new ApiError(response.status, sentence(`${text}${later ? t`; try again in ${later} s` : ""}`));
}

/** @param {string} text */
const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;

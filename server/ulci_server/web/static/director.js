/** A director's requests to the server. Only this tab keeps name and token. */

import { ApiError, learnTime } from "./api.js";
import { keep, kept } from "./kept.js";
import { t } from "./texts.js";

const KEY = "director";
const ANSWER_MS = 20_000;
const INVALID = 422;

/** The server's refusal of a request. */
export class RefusedError extends ApiError {
  /** @param {number} status @param {string} text @param {string[]} errors one sentence for each fault */
  constructor(status, text, errors) {
    super(status, text);
    this.errors = errors;
  }
}

export class Director {
  constructor() {
    this.name = "";
    this.token = "";
    const said = kept(KEY);
    if (said) ({ name: this.name, token: this.token } = JSON.parse(said));
  }

  /** Sign in. @param {string} name @param {string} token @throws {ApiError} the token is wrong, or the account may not direct */
  async prove(name, token) {
    this.name = name;
    this.token = token;
    try {
      // The description to check is empty: the server reports its faults only to a director.
      await this.make("", "check=1");
    } catch (error) {
      if (/** @type {ApiError} */ (error).status !== INVALID) {
        this.forget();
        throw error;
      }
    }
    keep(KEY, JSON.stringify({ name, token }));
  }

  forget() {
    this.name = this.token = "";
    keep(KEY, null);
  }

  /** @param {string} toml @param {string} [query] @returns {Promise<{name: string, text: string, notes: string[]}>} */
  make(toml, query = "") {
    return this.#post(`/api/tournaments${query && `?${query}`}`, "application/toml", toml);
  }

  /** @param {string} tournament @param {string} act @param {object} [said] @returns {Promise<{text: string}>} */
  act(tournament, act, said = {}) {
    return this.#post(`/api/tournaments/${encodeURIComponent(tournament)}/${act}`, "application/json", JSON.stringify(said));
  }

  /** @param {string} path @param {string} type @param {string} body @returns {Promise<any>} @throws {RefusedError} */
  async #post(path, type, body) {
    let response, answer;
    try {
      response = await fetch(path, {
        method: "POST",
        body,
        credentials: "omit",
        cache: "no-store",
        headers: {
          Accept: "application/json",
          "Content-Type": type,
          Authorization: `Bearer ${encodeURIComponent(this.name)}:${encodeURIComponent(this.token)}`,
        },
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      answer = await response.json().catch(() => null);
    } catch {
      throw new RefusedError(0, t`The server does not answer. Look whether it was done before you try again.`, []);
    }
    if (answer) learnTime(answer);
    if (response.ok && answer) return answer;
    const text = answer?.error?.text ?? (response.status === 413 ? t`That is too long.` : t`The server answered ${response.status}.`);
    throw new RefusedError(response.status, text, answer?.error?.errors ?? [text]);
  }
}

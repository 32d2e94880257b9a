/** A stream of server-sent events that reconnects by itself.
 *
 * It is no EventSource, which does not notice a silent connection, gives up at status 503, and hides the
 * time of the next attempt. */

import { dropSilentLines, learnTime } from "./api.js";
import { takePlace } from "./places.js";
import { onWake } from "./waking.js";

const SILENCE_MS = 20_000; // the server sends something every 15 s
const PAUSES_MS = [500, 1000, 2000, 4000, 8000, 15_000];
const HIDDEN_MS = 5000; // a person who looks at another tab for a moment misses nothing
const TURN_MS = 1000; // between two turns, while other pages have the connections
const ASLEEP = "nobody looks";
const SILENT = "nothing comes";
const RENEWED = "another line is wanted";

/** @typedef {{onEvent: (name: string, data: any) => void, onState?: (state: "live"|"lost"|"gone") => void,
 *             own?: boolean, turnMs?: number}} Listener
 * `onState`: `live` after each connection; `gone`: there is no such stream. `own`: the stream is of the person's
 * own game. `turnMs`: between two turns. */

/** A stream, which pauses while the tab is hidden. */
export class Stream {
  /** @param {string} path @param {Listener} listener */
  constructor(path, listener) {
    this.path = path;
    this.listener = listener;
    this.closed = false;
    this.asleep = false;
    this.tries = 0;
    this.lastId = "";
    /** @type {AbortController|null} */
    this.line = null;
    this.heardAt = Date.now(); // this clock runs while a machine sleeps
    this._drop = () => this.line?.abort();
    this._seen = () => this._visibility();
    this._stopWaking = onWake(() => this._wake());
    addEventListener("offline", this._drop);
    document.addEventListener("visibilitychange", this._seen);
    this._visibility();
    this._open();
  }

  /** Connect now and not at the next turn, because there is news. */
  hurry() {
    if (!this.line) this._again(0);
  }

  /** Reconnect, because the connection may be dead or is to have other parameters. */
  renew() {
    if (this.line) this.line.abort(RENEWED);
    else this._again(0);
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    clearTimeout(this.hidden);
    this.line?.abort();
    this._stopWaking();
    removeEventListener("offline", this._drop);
    document.removeEventListener("visibilitychange", this._seen);
  }

  async _open() {
    if (this.closed || this.asleep || this.line) return;
    clearTimeout(this.timer);
    const line = (this.line = new AbortController());
    let place = null, end = "lost";
    try {
      place = await takePlace(!!this.listener.own, line.signal);
      end = await this._connect(line, place.kept);
    } catch {
      // The code below opens it again.
    }
    place?.release();
    clearTimeout(this.watchdog);
    this.line = null;
    if (this.closed || this.asleep) return;
    const { reason } = line.signal;
    if (reason === ASLEEP || reason === RENEWED) this._again(0); // the tab is visible again already, or `renew` was called
    else if (end === "turn") this._again(this.listener.turnMs ?? TURN_MS);
    else {
      this.listener.onState?.(end);
      if (reason === SILENT) await dropSilentLines();
      if (end === "gone") this.close();
      else this._again(PAUSES_MS[Math.min(this.tries++, PAUSES_MS.length - 1)]);
    }
  }

  /** @returns {Promise<"lost"|"gone"|"turn">} how the connection ended; `turn`: as intended */
  async _connect(line, kept) {
    const heard = () => {
      this.heardAt = Date.now();
      clearTimeout(this.watchdog);
      this.watchdog = setTimeout(() => line.abort(SILENT), SILENCE_MS);
    };
    heard();
    const headers = { Accept: "text/event-stream" };
    if (this.lastId) headers["Last-Event-ID"] = this.lastId;
    const query = [this.listener.own && "playing=yes", !kept && "follow=no"].filter(Boolean).join("&");
    const path = query ? `${this.path}?${query}` : this.path;
    const response = await fetch(path, { headers, signal: line.signal, cache: "no-store" });
    if (response.status === 404) return "gone";
    if (!response.ok || !response.body) throw new Error(`${response.status}`);
    this.tries = 0;
    this.listener.onState?.("live");
    await this._read(response.body, heard);
    return kept ? "lost" : "turn";
  }

  /** Check the connection when the page returns. It is dead if it was silent for longer than the watchdog of an awake page waits. */
  async _wake() {
    if (this.line && Date.now() - this.heardAt > SILENCE_MS) {
      this.heardAt = Date.now(); // one return gives several signs: act on the first
      await dropSilentLines();
      this.line?.abort(RENEWED);
    } else if (!this.line) this._again(0);
  }

  /** @param {number} pause ms */
  _again(pause) {
    clearTimeout(this.timer);
    if (!this.closed && !this.line) this.timer = setTimeout(() => this._open(), pause);
  }

  /** @param {ReadableStream<Uint8Array>} body @param {() => void} heard */
  async _read(body, heard) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      heard();
      const blocks = (rest + value.replaceAll("\r", "")).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) this._take(block);
    }
  }

  /** @param {string} block one event's lines */
  _take(block) {
    let name = "message", id = null;
    const data = [];
    for (const line of block.split("\n")) {
      const at = line.indexOf(":");
      const field = at < 0 ? line : line.slice(0, at);
      const value = at < 0 ? "" : line.slice(at + 1).replace(/^ /, "");
      if (field === "event") name = value;
      else if (field === "data") data.push(value);
      else if (field === "id") id = value;
    }
    if (!data.length || this.closed) return;
    const parsed = JSON.parse(data.join("\n"));
    learnTime(parsed);
    this.listener.onEvent(name, parsed);
    if (id !== null) this.lastId = id;
  }

  _visibility() {
    clearTimeout(this.hidden);
    if (document.visibilityState === "hidden") {
      this.hidden = setTimeout(() => { this.asleep = true; this.line?.abort(ASLEEP); }, HIDDEN_MS);
    } else if (this.asleep) {
      this.asleep = false;
      this._again(0);
    }
  }
}

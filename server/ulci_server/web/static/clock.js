/** Two clocks that run by the server's time. */

import { serverNow } from "./api.js";
import { setText } from "./dom.js";
import { clockText } from "./words.js";

const TICK_MS = 100;
const LOW_MS = 20_000;
const WARNINGS_MS = [60_000, 30_000, 10_000];
const SIDES = /** @type {const} */ (["white", "black"]);

/** @typedef {import("./api.js").Clocks} Clocks */

export class ClockPair {
  /**
   * @param {{white: HTMLElement, black: HTMLElement}} faces
   * @param {(side: "white"|"black", ms: number) => void} [warn] called once at each of a minute, 30 s, 10 s
   */
  constructor(faces, warn) {
    this.faces = faces;
    this.warn = warn;
    /** @type {Clocks|null} */
    this.clocks = null;
    this.at = 0;
    this.warned = { white: Infinity, black: Infinity };
    this.timer = setInterval(() => this._tick(), TICK_MS);
  }

  close() {
    clearInterval(this.timer);
  }

  /** @param {Clocks|null} clocks @param {string} [now] the server's time at which they showed that */
  set(clocks, now) {
    this.clocks = clocks;
    this.at = now ? Date.parse(now) : serverNow();
    for (const side of SIDES) {
      const left = this.left(side);
      // A player is warned when the clock falls below a mark, not when it starts there.
      if (left !== null && left > this.warned[side]) this.warned[side] = left;
      if (this.warned[side] === Infinity && left !== null) this.warned[side] = left;
    }
    this._tick();
  }

  /** @param {"white"|"black"} side @returns {number|null} ms, null without a clock */
  left(side) {
    const ms = this.clocks?.[`${side}_ms`] ?? null;
    if (ms === null || this.clocks?.running !== side) return ms;
    return Math.max(0, ms - Math.max(0, serverNow() - this.at));
  }

  _tick() {
    for (const side of SIDES) {
      const face = this.faces[side], left = this.left(side), runs = this.clocks?.running === side;
      face.hidden = left === null;
      if (left === null) continue;
      setText(face, clockText(left));
      face.classList.toggle("running", runs);
      face.classList.toggle("low", left < LOW_MS);
      const mark = runs && WARNINGS_MS.find((ms) => left <= ms && this.warned[side] > ms);
      if (mark) {
        this.warned[side] = left;
        this.warn?.(side, left);
      }
    }
  }
}

/** Short sounds, made by oscillators. A browser lets a page make sounds only after a click, touch or key. */

import { setting } from "./settings.js";

/** A tone: frequency in Hz, start and duration in s, volume from 0 to 1.
 * @typedef {[number, number, number, number]} Tone */

/** @type {Object<string, Tone[]>} */
const SOUNDS = {
  move: [[240, 0, 0.05, 0.5]],
  capture: [[300, 0, 0.05, 0.5], [170, 0.04, 0.08, 0.6]],
  check: [[520, 0, 0.07, 0.35], [700, 0.08, 0.1, 0.35]],
  low: [[880, 0, 0.06, 0.3], [880, 0.12, 0.06, 0.3], [880, 0.24, 0.06, 0.3]],
  start: [[330, 0, 0.09, 0.35], [440, 0.1, 0.12, 0.35]],
  end: [[440, 0, 0.14, 0.35], [350, 0.15, 0.14, 0.35], [262, 0.3, 0.3, 0.35]],
};
const ATTACK_S = 0.004; // without it a tone begins with a click

/** @type {AudioContext|null} */
let context = null;

function unlock() {
  if (!globalThis.AudioContext) return;
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume();
}
for (const touch of ["pointerdown", "keydown"]) addEventListener(touch, unlock, { capture: true });

/** @param {string} name of the table above */
export function play(name) {
  if (!setting("sound") || context?.state !== "running") return;
  for (const [frequency, after, length, loudness] of SOUNDS[name]) {
    const start = context.currentTime + after;
    const tone = new OscillatorNode(context, { type: "triangle", frequency });
    const volume = new GainNode(context, { gain: 0 });
    volume.gain.setValueAtTime(0, start);
    volume.gain.linearRampToValueAtTime(loudness, start + ATTACK_S);
    volume.gain.exponentialRampToValueAtTime(0.001, start + length);
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + length);
  }
}

/** @param {import("./api.js").Board} before @param {import("./api.js").Board} after @returns {string} the name of that move's sound */
export function moveSound(before, after) {
  if (after.check?.length) return "check";
  const men = ({ ranks }) => ranks.join("").replaceAll(".", "").length;
  return men(after) < men(before) ? "capture" : "move";
}

import { t } from "./texts.js";

// Time controls as people type them, in the seconds of the protocol: a short form of ulci/time_control.py.
// One table of tests checks that both agree.

const NUMBER = "[0-9]+(?:\\.[0-9]+)?", MINUTES = "(?:minutes?|mins?|m)", SECONDS = "(?:seconds?|secs?|s)";
const WITH_UNIT = new RegExp(`(?:(${NUMBER})${MINUTES}(?:(${NUMBER})${SECONDS})?|(${NUMBER})${SECONDS})`, "g");
const UNIT_APART = new RegExp(`([0-9])\\s+(?=(?:${MINUTES}|${SECONDS})\\b)`, "g");
const TWO = new RegExp(`^(${NUMBER})(?:${MINUTES})?[\\s,-]+(${NUMBER})(?:${SECONDS})?$`);
const STAGE = new RegExp(`^([0-9]+/)?(${NUMBER})(~?)(?:([+db])(${NUMBER})(~?))?$`);
const BYO_YOMI = new RegExp(`^(${NUMBER})(~?)(/[0-9]+x${NUMBER}~?)$`);
const HOURGLASS = new RegExp(`^(${NUMBER})(~?)h$`);
const SMALLEST_SECONDS = 60; // without a unit a smaller number may be minutes

/** @param {string} text @returns {{wire: string, why: string}} `why`: what to type instead, if it is not clear */
export function entered(text) {
  const typed = text.trim(), said = typed.toLowerCase().replaceAll("~", "?").replace(UNIT_APART, "$1");
  const two = said.match(TWO);
  if (two) return refused(t`write ${two[1]}m+${two[2]}s for ${two[1]} minutes and ${two[2]} seconds a move, not ${typed}`);
  const marked = said.replace(/\s*([+|:])\s*/g, "$1")
    .replace(WITH_UNIT, (_, minutes, more, seconds) => `${inSeconds(minutes, more ?? seconds)}~`);
  if (!marked || /\s/.test(marked)) {
    return refused(t`${typed || "nothing"} is no time control such as 5m+3s, 90s, 40/90m+30s or 3days`);
  }
  const sides = marked.split("|"), meant = sides.map(twoMeanings);
  if (meant.every((one) => !one)) return { wire: marked.replaceAll("~", ""), why: "" };
  const clear = sides.map((side, at) => meant[at] ?? [0, 1].map(() => side.replaceAll("~", "s")));
  const [minutes, seconds] = [0, 1].map((number) => clear.map((side) => side[number]).join("|"));
  if (sides.length === 2 && sides.every((side) => /^[0-9]+$/.test(side))) {
    const [first, second] = sides;
    return refused(t`write ${first}m+${second}s for ${first} minutes and ${second} seconds a move, or ${minutes}`
      + t` if White has ${first} minutes and Black ${second}, not ${typed}`);
  }
  if (marked.endsWith("h")) return refused(t`write ${minutes} for hours, or ${seconds} for an hourglass in seconds, not ${typed}`);
  return refused(t`${typed} may mean minutes or seconds: write ${minutes} or ${seconds}`);
}

/** @param {string} why */
function refused(why) {
  return { wire: "", why };
}

function inSeconds(minutes = "0", seconds = "0") {
  return String(Math.round(Number(minutes) * 60000 + Number(seconds) * 1000) / 1000);
}

function isSmall(time, known) {
  return !known && Number(time) > 0 && Number(time) < SMALLEST_SECONDS;
}

/** How to write it in minutes and in seconds; null if it is clear, or no time control that is known here. */
function twoMeanings(side) {
  if (side.includes(".")) return null;
  const hourglass = side.match(HOURGLASS), byoYomi = side.match(BYO_YOMI);
  if (hourglass) {
    const [, time, known] = hourglass;
    return isSmall(time, known) ? [`${60 * Number(time)}m`, `${time}sh`] : null;
  }
  if (byoYomi) {
    const [, time, known, periods] = byoYomi, rest = periods.replaceAll("~", "s");
    return isSmall(time, known) ? [`${time}m${rest}`, `${time}s${rest}`] : null;
  }
  const stages = side.split(":").map((stage) => stage.match(STAGE));
  if (stages.includes(null) || !stages.some((stage) => isSmall(stage[2], stage[3]))) return null;
  return ["m", "s"].map((unit) => stages.map((stage) => spelled(stage, unit)).join(":"));
}

function spelled([, moves = "", time, known, sign, bonus], unit) {
  return `${moves}${time}${isSmall(time, known) ? unit : "s"}${sign ? `${sign}${bonus}s` : ""}`;
}

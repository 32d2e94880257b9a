/** Small graphs of a match's figures over its games. */

import { draw, make } from "./dom.js";
import { t } from "./texts.js";
import { signedText } from "./words.js";

const WIDTH = 600, HEIGHT = 160; // of the drawing, which the page stretches to its width
const MARGIN = 0.08; // of the range, above and below
const FAR = 4; // ranges beyond the edge: points farther out are drawn there

/** Games, Elo, its error, and the log-likelihood ratio. @typedef {[number, number|null, number|null, number|null]} Point */

/** @param {number[]} values @returns {[number, number]} the range to show, with a margin */
function range(values) {
  const low = Math.min(...values), high = Math.max(...values);
  const room = MARGIN * (high - low || 1);
  return [low - room, high + room];
}

/** @param {{name: string, last: number, from: number, to: number, rules: {at: number, name: string}[]}} frame
 * rules: horizontal lines, each with its label @param {(scale: {x: (games: number) => string, y: (value: number) => string}) => any[]} drawn */
function figure({ name, last, from, to, rules }, drawn) {
  const x = (games) => ((WIDTH * games) / last).toFixed(1);
  const y = (value) => {
    const part = Math.max(-FAR, Math.min(FAR, (to - value) / (to - from)));
    return (HEIGHT * part).toFixed(1);
  };
  const lines = rules.map(({ at }) => draw("line", { x1: 0, x2: WIDTH, y1: y(at), y2: y(at), class: "axis" }));
  const words = rules.map((rule) => make("span", { style: `top: ${(Number(y(rule.at)) / HEIGHT) * 100}%` }, rule.name));
  return make("figure", { class: "course" }, make("figcaption", {}, name),
    make("div", { class: "course-rules", "aria-hidden": "true" }, ...words),
    draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "graph", "aria-hidden": "true" },
      ...lines, ...drawn({ x, y })),
    make("p", { class: "course-games quiet", "aria-hidden": "true" }, make("span", {}, "0"), make("span", {}, t`${last} games`)));
}

const corners = (points) => points.map((point) => point.join(",")).join(" ");

/** Elo with its error as a band; null if there are too few points. @param {Point[]} course */
export function eloCourse(course) {
  const known = course.filter(([, elo, error]) => elo !== null && error !== null);
  if (known.length < 2) return null;
  const last = known[known.length - 1][0];
  // The first games have errors of hundreds, so that they do not set the scale.
  const late = known.filter(([games]) => games >= last / 4);
  const [from, to] = range([0, ...late.flatMap(([, elo, error]) => [elo - error, elo + error])]);
  const [, elo, error] = known[known.length - 1];
  const rules = [{ at: 0, name: "0" }];
  for (const at of [elo - error, elo + error]) {
    if (Math.abs(at) > 0.12 * (to - from)) rules.push({ at, name: signedText(at, 0) });
  }
  return figure({ name: t`Elo, with its 95 % interval`, last, from, to, rules }, ({ x, y }) => {
    const above = known.map(([games, elo, error]) => [x(games), y(elo + error)]);
    const below = known.map(([games, elo, error]) => [x(games), y(elo - error)]);
    return [
      draw("polygon", { points: corners([...above, ...below.reverse()]), class: "band" }),
      draw("polyline", { points: corners(known.map(([games, elo]) => [x(games), y(elo)])), class: "line" }),
    ];
  });
}

/** The log-likelihood ratio between its bounds; null if there are too few points.
 * @param {Point[]} course @param {{lower: number, upper: number}} test */
export function llrCourse(course, { lower, upper }) {
  const known = course.filter(([, , , llr]) => llr !== null);
  if (known.length < 2) return null;
  const last = known[known.length - 1][0];
  const [from, to] = range([lower, upper, ...known.map(([, , , llr]) => llr)]);
  const rules = [{ at: upper, name: "H1" }, { at: 0, name: "0" }, { at: lower, name: "H0" }];
  return figure({ name: "LLR", last, from, to, rules }, ({ x, y }) => [
    draw("polyline", { points: corners(known.map(([games, , , llr]) => [x(games), y(llr)])), class: "line" }),
  ]);
}

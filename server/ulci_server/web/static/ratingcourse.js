/** The course of a rating, as a small graph of its changes. */

import { draw, make } from "./dom.js";
import { t } from "./texts.js";
import { dateText } from "./words.js";

const WIDTH = 600, HEIGHT = 160; // of the drawing, which the page stretches to its width
const LEAST = 100; // points from top to bottom: small changes look small
const STEPS = [25, 50, 100, 200, 500, 1000];
const RULES = 5; // horizontal lines, at most

/** @typedef {{at: string, rating: number, game: number|null}} Point */

/** @param {Point[]} course @returns {HTMLElement|null} null if there are too few points */
export function ratingCourse(course) {
  if (course.length < 2) return null;
  const values = course.map(({ rating }) => rating);
  const middle = (Math.max(...values) + Math.min(...values)) / 2;
  const span = Math.max(LEAST, 1.15 * (Math.max(...values) - Math.min(...values)));
  const from = middle - span / 2, to = middle + span / 2;
  const x = (at) => ((WIDTH * at) / (course.length - 1)).toFixed(1);
  const y = (rating) => ((HEIGHT * (to - rating)) / span).toFixed(1);
  const step = STEPS.find((size) => span / size <= RULES) ?? span;
  const rules = [];
  for (let rating = Math.ceil(from / step) * step; rating <= to; rating += step) rules.push(rating);
  const first = course[0], last = course[course.length - 1];
  const said = t`Rating from ${first.rating} to ${last.rating}, at most ${Math.max(...values)}, at least ${Math.min(...values)}`;
  return make("figure", { class: "course" },
    make("div", { class: "course-rules", "aria-hidden": "true" },
      ...rules.map((rating) => make("span", { style: `top: ${(Number(y(rating)) / HEIGHT) * 100}%` }, String(rating)))),
    draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "graph", role: "img", "aria-label": said },
      ...rules.map((rating) => draw("line", { x1: 0, x2: WIDTH, y1: y(rating), y2: y(rating), class: "axis" })),
      draw("polyline", { class: "line", points: course.map(({ rating }, at) => `${x(at)},${y(rating)}`).join(" ") })),
    make("p", { class: "course-games quiet", "aria-hidden": "true" }, make("span", {}, dateText(first.at)), make("span", {}, dateText(last.at))));
}

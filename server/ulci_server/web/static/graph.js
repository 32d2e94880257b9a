/** Small graphs of a game: the score, and the time of each move. */

import { draw } from "./dom.js";
import { t } from "./texts.js";
import { sideName, spokenTime } from "./words.js";

const WIDTH = 320, HEIGHT = 90, MIDDLE = HEIGHT / 2, EDGE = 8;
const MATE_CP = 2000;

/** What the ledger has of a move. @typedef {{ply: number, side: string, score_cp?: number|null,
 *  score_mate?: number|null, spent_ms?: number|null}} Ledger */

/** The score from White's side, -1 to 1: a pawn matters more at 0 than at 5. */
function height(move) {
  const mate = move.score_mate ?? null;
  const cp = mate !== null ? (mate > 0 ? MATE_CP : -MATE_CP) : move.score_cp ?? null;
  if (cp === null) return null;
  return Math.tanh(cp / 500) * (move.side === "white" ? 1 : -1);
}

const x = (ply, last) => EDGE + ((WIDTH - 2 * EDGE) * (ply - 1)) / Math.max(1, last - 1);

function frame(name, ...drawn) {
  return draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": name, class: "graph" },
    draw("line", { x1: 0, x2: WIDTH, y1: MIDDLE, y2: MIDDLE, class: "axis" }), ...drawn);
}

function marker(ply, last) {
  if (ply < 1) return [];
  return [draw("line", { x1: x(ply, last), x2: x(ply, last), y1: 0, y2: HEIGHT, class: "marker" })];
}

/** The scores that White's engine gave as a solid line, those of Black's as a dashed one; null if there is no score.
 * @param {Ledger[]} moves @param {number} shown ply @param {string} rules */
export function scoreGraph(moves, shown, rules) {
  const lines = ["white", "black"].flatMap((side) => {
    const points = moves.filter((move) => move.side === side).map((move) => [move.ply, height(move)])
      .filter(([, y]) => y !== null)
      .map(([ply, y]) => `${x(ply, moves.length).toFixed(1)},${(MIDDLE - y * (MIDDLE - EDGE)).toFixed(1)}`);
    return points.length > 1 ? [draw("polyline", { points: points.join(" "), class: `line ${side}` })] : [];
  });
  if (!lines.length) return null;
  const last = moves.findLast((move) => height(move) !== null);
  const y = last ? height(last) : 0;
  const better = Math.abs(y) < 0.1 ? t`about equal` : t`better for ${sideName(y > 0 ? "white" : "black", rules)}`;
  return frame(t`Evaluations, in the end ${better}`, ...lines, ...marker(shown, moves.length));
}

/** White's time upwards, Black's downwards; null if no time is known.
 * @param {Ledger[]} moves @param {number} shown ply @param {string} rules */
export function timeGraph(moves, shown, rules) {
  const most = Math.max(...moves.map((move) => move.spent_ms ?? 0));
  if (!(most > 0)) return null;
  const wide = Math.max(0.6, Math.min(8, ((WIDTH - 2 * EDGE) / moves.length) * 0.8));
  const sums = { white: 0, black: 0 };
  const bars = moves.map((move) => {
    const spent = move.spent_ms ?? 0;
    sums[move.side] += spent;
    const high = Math.max(0.5, (spent / most) * (MIDDLE - EDGE));
    return draw("rect", {
      x: (x(move.ply, moves.length) - wide / 2).toFixed(1), width: wide.toFixed(1),
      y: (move.side === "white" ? MIDDLE - high : MIDDLE).toFixed(1), height: high.toFixed(1), class: `bar ${move.side}`,
    });
  });
  const [first, second] = ["white", "black"].map((side) => `${sideName(side, rules)} ${spokenTime(sums[side])}`);
  return frame(t`Time of each move. In all: ${first}, ${second}`, ...bars, ...marker(shown, moves.length));
}

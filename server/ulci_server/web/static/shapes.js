/** Arrows and circles that a person draws on a board with the right button, visible only on this page: a drag from square
 * to square draws an arrow, a click draws a circle. Drawing a shape again removes it, and a left click removes all. */

import { draw } from "./dom.js";

const RING = 0.42; // of a square
const SHAFT = 0.16, HEAD = 0.42, GAP = 0.1;

export class Shapes {
  /** @param {HTMLElement} grid
   * @param {(event: PointerEvent) => string} under the square at the pointer, "" outside the board
   * @param {(square: string) => {x: number, y: number}|null} centre of a square, in squares from the top left of the grid; null: not shown */
  constructor(grid, under, centre) {
    this.centre = centre;
    /** @type {Map<string, [string, string]>} from and to, by both */
    this.drawn = new Map();
    this.from = "";
    this.svg = draw("svg", { class: "shapes", "aria-hidden": "true", focusable: "false", preserveAspectRatio: "none" });
    grid.addEventListener("contextmenu", (event) => event.preventDefault());
    grid.addEventListener("pointerdown", (event) => {
      this.from = event.button === 2 && event.pointerType === "mouse" ? under(event) : "";
      if (event.button === 0) this.clear();
      if (!this.from) return;
      addEventListener("pointerup", (end) => this._end(end.button === 2 ? under(end) : ""), { once: true });
    });
  }

  clear() {
    if (!this.drawn.size) return;
    this.drawn.clear();
    this.show();
  }

  /** @param {string} to "": outside the board */
  _end(to) {
    const { from } = this;
    this.from = "";
    if (!from || !to) return;
    const name = `${from} ${to}`;
    if (!this.drawn.delete(name)) this.drawn.set(name, [from, to]);
    this.show();
  }

  /** @param {{columns: number, rows: number}} [size] squares that are shown, if they have changed */
  show(size) {
    if (size) this.svg.setAttribute("viewBox", `0 0 ${size.columns} ${size.rows}`);
    const shapes = [...this.drawn.values()].map(([from, to]) => {
      const start = this.centre(from), end = this.centre(to);
      if (!start || !end) return null;
      return from === to ? draw("circle", { cx: start.x, cy: start.y, r: RING }) : arrow(start, end);
    });
    this.svg.replaceChildren(...shapes.filter((shape) => shape !== null));
  }
}

/** @param {{x: number, y: number}} start @param {{x: number, y: number}} end */
function arrow(start, end) {
  const dx = end.x - start.x, dy = end.y - start.y, length = Math.hypot(dx, dy);
  const point = (along, aside) => `${start.x + (dx * along - dy * aside) / length} ${start.y + (dy * along + dx * aside) / length}`;
  const neck = length - HEAD - GAP, half = SHAFT / 2;
  const points = [[GAP, half], [neck, half], [neck, HEAD / 2], [length - GAP, 0], [neck, -HEAD / 2], [neck, -half], [GAP, -half]];
  return draw("polygon", { points: points.map(([along, aside]) => point(along, aside)).join(", ") });
}

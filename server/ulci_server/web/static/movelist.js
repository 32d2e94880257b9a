/** The moves of a game in its notation, each a button that shows its position. */

import { make } from "./dom.js";
import { sideName } from "./words.js";

export class MoveList {
  /** @param {(ply: number) => void} choose */
  constructor(choose) {
    this.choose = choose;
    this.list = make("ol", { class: "moves" });
    this.empty = make("p", { class: "quiet" }, "No moves yet.");
    this.element = make("nav", { class: "move-list", "aria-label": "Moves", tabIndex: 0 }, this.empty, this.list);
    /** @type {HTMLButtonElement[]} */
    this.buttons = [];
    this.number = 0;
    this.book = 0;
    this.lastSide = "";
  }

  /** @param {{side: string, san: string|null, move: string}[]} moves @param {string} rules
   * @param {number} book how many of the first are moves of a book */
  set(moves, rules, book) {
    this.list.replaceChildren();
    this.buttons = [];
    this.number = 0;
    this.lastSide = "";
    this.shown = undefined;
    this.rules = rules;
    this.book = book;
    this.empty.hidden = moves.length > 0;
    for (const move of moves) this.add(move);
  }

  /** @param {{side: string, san: string|null, move: string}} move */
  add(move) {
    this.empty.hidden = true;
    const ply = this.buttons.length + 1;
    const side = sideName(move.side, this.rules);
    const text = move.san ?? move.move;
    // Who is to move comes from the rules: a side may move twice, or not begin.
    if (move.side === "white" || this.lastSide !== "white") {
      this.number += 1;
      this.row = make("li", {}, make("span", { class: "move-number", "aria-hidden": "true" }, `${this.number}.`));
      if (move.side === "black") this.row.append(make("span", { class: "quiet", "aria-hidden": "true" }, "…"));
      this.list.append(this.row);
    }
    this.lastSide = move.side;
    const book = ply <= this.book;
    const button = make("button", {
      type: "button", class: book && "book", "aria-label": `${this.number}, ${side}, ${text}${book ? ", book" : ""}`,
      onclick: () => this.choose(ply),
    }, text);
    this.buttons.push(button);
    this.row.append(button);
  }

  /** @param {number} ply 0: the start */
  show(ply) {
    const old = this.shown && this.buttons[this.shown - 1];
    if (old) old.removeAttribute("aria-current");
    this.shown = ply;
    const button = this.buttons[ply - 1];
    if (!button) {
      this.element.scrollTop = 0;
      return;
    }
    button.setAttribute("aria-current", "true");
    // Not scrollIntoView, which scrolls the page as well.
    const box = this.element, top = button.offsetTop; // which the box is the parent of
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + button.offsetHeight > box.scrollTop + box.clientHeight) {
      box.scrollTop = top + button.offsetHeight - box.clientHeight;
    }
  }
}

/** The moves of a game in its notation, each a button that shows its position. */

import { make } from "./dom.js";
import { t } from "./texts.js";
import { sideName } from "./words.js";

/** @param {{side: string, san: string|null, move: string}} move */
const saidOf = ({ side, san, move }) => `${side} ${san ?? move}`;

export class MoveList {
  /** @param {(ply: number) => void} choose */
  constructor(choose) {
    this.choose = choose;
    this.list = make("ol", { class: "moves" });
    this.empty = make("p", { class: "quiet" }, t`No moves yet.`);
    this.element = make("nav", { class: "move-list", "aria-label": t`Moves`, tabIndex: 0 }, this.empty, this.list);
    /** @type {HTMLButtonElement[]} */
    this.buttons = [];
    /** how the list stood after each move @type {{said: string, number: number, side: string, row: HTMLElement}[]} */
    this.added = [];
    this.book = 0;
  }

  /** @param {{side: string, san: string|null, move: string}[]} moves @param {string} rules
   * @param {number} book how many of the first are moves of a book */
  set(moves, rules, book) {
    const alike = rules === this.rules && book === this.book;
    const other = this.added.findIndex(({ said }, at) => !alike || !moves[at] || said !== saidOf(moves[at]));
    this._cut(other < 0 ? this.added.length : other); // the others keep their buttons, which a person may be pressing
    this.rules = rules;
    this.book = book;
    this.empty.hidden = moves.length > 0;
    for (const move of moves.slice(this.added.length)) this.add(move);
  }

  /** Remove all moves but the first ones. @param {number} kept */
  _cut(kept) {
    for (const button of this.buttons.splice(kept)) button.remove();
    const row = this.added[kept - 1]?.row ?? null;
    for (const { row: cut } of this.added.splice(kept)) if (cut !== row) cut.remove();
  }

  /** @param {{side: string, san: string|null, move: string}} move */
  add(move) {
    this.empty.hidden = true;
    const ply = this.buttons.length + 1, last = this.added.at(-1);
    let number = last?.number ?? 0, row = /** @type {HTMLElement} */ (last?.row);
    const side = sideName(move.side, this.rules);
    const text = move.san ?? move.move;
    // The rules say which side moves: one may move twice, and Black may begin.
    if (move.side === "white" || last?.side !== "white") {
      number += 1;
      row = make("li", {}, make("span", { class: "move-number", "aria-hidden": "true" }, `${number}.`));
      if (move.side === "black") row.append(make("span", { class: "quiet", "aria-hidden": "true" }, "…"));
      this.list.append(row);
    }
    const book = ply <= this.book;
    const button = make("button", {
      type: "button", class: book && "book", "aria-label": `${number}, ${side}, ${text}${book ? t`, book` : ""}`,
      onclick: () => this.choose(ply),
    }, text);
    this.buttons.push(button);
    this.added.push({ said: saidOf(move), number, side: move.side, row });
    row.append(button);
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
    const box = this.element, top = button.offsetTop; // from the top of the box
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + button.offsetHeight > box.scrollTop + box.clientHeight) {
      box.scrollTop = top + button.offsetHeight - box.clientHeight;
    }
  }
}

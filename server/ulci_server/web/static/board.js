/** `<ulci-board>`: a board of any size, to look at and to play on.
 *
 *     board.rules = "chess";            names and pictures of the pieces
 *     board.show(position, "e2e4");     a Board of the API, and the move that led to it
 *     board.flipped = true;             Black's side below
 *     board.allow(["e2e4", …]);         who may move: legal moves as the server spells them; [] nobody
 *     board.addEventListener("move", ({ detail }) => …);     "e7e8q"
 *     board.addEventListener("say", ({ detail }) => …);      what a screen reader should hear
 *
 * It is a grid of ARIA: arrows walk, Home and End go to the ends of a rank (with Ctrl of the board),
 * Enter and Space pick up and put down, Escape puts back. With the attribute `mini` it is a picture.
 * Every mark has a shape of its own beside its colour. */

import { askPromotion } from "./choice.js";
import { make } from "./dom.js";
import { pieceImage } from "./piece.js";
import { fileName, readMove, squareAt, squareName } from "./squares.js";
import { hasStones, kindName, pieceName } from "./words.js";

const WHOLE_MAX = 64; // squares a side that are all drawn: 64x64 take 65 ms, 256x256 1.5 s
const WINDOW = 24; // squares a side of the part that is shown of a larger board
const DENSE = 13; // columns above which a square has no room for a piece and its name
const CROWDED = 9; // the same on a phone
const DRAG_PX = 5; // a hand is never quite still
const SLIDE_MS = 140;
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** @typedef {import("./api.js").Board} Board */

export class UlciBoard extends HTMLElement {
  constructor() {
    super();
    this.rules = "chess";
    this._flipped = false;
    /** @type {Board|null} */
    this.position = null;
    this.lastMove = "";
    /** @type {Map<string, Map<string, string[]>>} by square (or `N@`, or "" for stones), then target: moves */
    this.legal = new Map();
    this.selected = "";
    this.cursor = "";
    /** the part that is drawn: left file and top rank as seen, from 0 */
    this.corner = { x: 0, y: 0 };
    /** @type {Map<string, HTMLElement>} */
    this.cells = new Map();
    this._drawn = "";
  }

  connectedCallback() {
    if (this.frame) return;
    this.mini = this.hasAttribute("mini");
    this.pocketFar = make("div", { class: "pocket", hidden: true });
    this.pocketNear = make("div", { class: "pocket", hidden: true });
    this.grid = make("div", { class: "board-grid", role: this.mini ? "img" : "grid" });
    this.frame = make("div", { class: "board-frame" }, this.grid);
    this.pan = make("div", { class: "board-pan", role: "group", "aria-label": "Part of the board", hidden: true },
      ...[["left", "←", -1, 0], ["up", "↑", 0, -1], ["down", "↓", 0, 1], ["right", "→", 1, 0]].map(([name, sign, x, y]) =>
        make("button", {
          type: "button", "data-axis": x ? "x" : "y", "aria-label": `Show the squares further ${name}`,
          onclick: () => this._moveWindow(Number(x) * (WINDOW / 2), Number(y) * (WINDOW / 2)),
        }, String(sign))));
    this.hint = make("p", { class: "board-hint", hidden: true }, "The board is wider than the screen: move it sideways.");
    this.append(this.pocketFar, this.frame, this.hint, this.pocketNear, this.pan);
    if (!this.mini) new ResizeObserver(() => this._hint()).observe(this.frame);
    this._nameGrid();
    if (this.mini) {
      this.inert = true;
    } else {
      this.grid.addEventListener("keydown", (event) => this._key(event));
      this.grid.addEventListener("click", (event) => this._click(event));
      this.grid.addEventListener("pointerdown", (event) => this._press(event));
      // A click on a board that nobody may move on leaves the focus, and the arrows, with the replay.
      this.grid.addEventListener("mousedown", (event) => { if (!this.legal.size) event.preventDefault(); });
      this.grid.addEventListener("focusin", (event) => {
        const cell = event.target.closest("[data-square]");
        if (cell) this._setCursor(cell.dataset.square);
      });
    }
    this._render();
  }

  static get observedAttributes() {
    return ["label"];
  }

  attributeChangedCallback() {
    if (this.grid) this._nameGrid();
  }

  get flipped() {
    return this._flipped;
  }

  set flipped(flipped) {
    if (this._flipped === flipped) return;
    this._flipped = flipped;
    this._drawn = "";
    this.corner = { x: 0, y: 0 };
    this._render();
  }

  get columns() {
    return this.position?.ranks[0]?.length ?? 0;
  }

  get rows() {
    return this.position?.ranks.length ?? 0;
  }

  /** @param {Board} position @param {string} [move] @param {{slide?: boolean}} [how] */
  show(position, move = "", { slide = false } = {}) {
    this.position = position;
    this.lastMove = move;
    this._dropDrag();
    this._render();
    if (slide && !this.mini && !calm.matches) this._slide(move);
  }

  /** @param {string[]} moves */
  allow(moves) {
    const held = this.selected;
    this.legal = new Map();
    for (const text of moves) {
      const move = readMove(text);
      if (!move) continue;
      const from = move.drop ? `${move.drop}@` : move.from;
      if (!this.legal.has(from)) this.legal.set(from, new Map());
      const targets = /** @type {Map<string, string[]>} */ (this.legal.get(from));
      targets.set(move.to, [...(targets.get(move.to) ?? []), text]);
    }
    if (!this.legal.has(held)) this.selected = "";
    this._mark();
    this._pockets();
  }

  /** @param {string} square @returns {string} the piece's letter, empty: none */
  at(square) {
    const place = squareAt(square);
    const letter = place && this.position?.ranks[this.rows - 1 - place.rank]?.[place.file];
    return letter && letter !== "." ? letter : "";
  }

  // What is drawn

  /** A touch screen shows no scroll bar. */
  _hint() {
    this.hint.hidden = this.frame.scrollWidth <= this.frame.clientWidth + 1;
  }

  _nameGrid() {
    this.grid.setAttribute("aria-label", this.getAttribute("label") ?? "Board");
  }

  /** The squares that are shown, as columns and rows on the screen. */
  _window() {
    const columns = Math.min(this.columns, this.columns > WHOLE_MAX ? WINDOW : WHOLE_MAX);
    const rows = Math.min(this.rows, this.rows > WHOLE_MAX ? WINDOW : WHOLE_MAX);
    const x = Math.max(0, Math.min(this.corner.x, this.columns - columns));
    const y = Math.max(0, Math.min(this.corner.y, this.rows - rows));
    this.corner = { x, y };
    return { columns, rows, x, y };
  }

  /** @param {number} x @param {number} y as seen, from the top left @returns {string} */
  _square(x, y) {
    return this._flipped ? squareName(this.columns - 1 - x, y) : squareName(x, this.rows - 1 - y);
  }

  /** @param {string} square @returns {{x: number, y: number}} */
  _seen(square) {
    const { file, rank } = squareAt(square) ?? { file: 0, rank: 0 };
    return this._flipped
      ? { x: this.columns - 1 - file, y: rank } : { x: file, y: this.rows - 1 - rank };
  }

  _render() {
    if (!this.grid || !this.position) return;
    this.frame.hidden = !this.rows;
    if (!this.rows) return;
    const shown = this._window();
    const plan = `${this.columns}x${this.rows} ${shown.x},${shown.y} ${this._flipped} ${this.rules}`;
    if (plan !== this._drawn) this._build(shown, plan);
    for (const [square, cell] of this.cells) {
      const letter = this.at(square);
      if (cell.dataset.piece === letter) continue;
      cell.dataset.piece = letter;
      cell.querySelector(".piece")?.remove();
      if (letter) cell.append(pieceImage(letter, this.rules));
    }
    this._mark();
    this._pockets();
  }

  _build({ columns, rows, x, y }, plan) {
    const focused = this.grid.contains(document.activeElement);
    const resized = this._drawn.split(" ")[0] !== plan.split(" ")[0];
    this._drawn = plan;
    this.cells.clear();
    this.style.setProperty("--columns", String(columns));
    this.style.setProperty("--rows", String(rows));
    this.classList.toggle("plain", hasStones(this.rules));
    this.classList.toggle("dense", columns > DENSE);
    this.classList.toggle("crowded", columns > CROWDED);
    const wide = columns < this.columns, high = rows < this.rows;
    this.pan.hidden = this.mini || !(wide || high);
    for (const button of this.pan.children) button.hidden = button.dataset.axis === "x" ? !wide : !high;
    if (!this.mini) {
      this.grid.setAttribute("aria-rowcount", String(this.rows));
      this.grid.setAttribute("aria-colcount", String(this.columns));
    }
    const lines = [];
    for (let row = y; row < y + rows; row++) {
      const line = make("div", { class: "board-row" });
      if (!this.mini) {
        line.setAttribute("role", "row");
        line.setAttribute("aria-rowindex", String(row + 1));
      }
      for (let column = x; column < x + columns; column++) {
        line.append(this._cell(column, row, column === x, row === y + rows - 1));
      }
      lines.push(line);
    }
    this.grid.replaceChildren(...lines);
    this._hint();
    if (!this.cells.has(this.cursor)) {
      const first = this._flipped ? squareName(this.columns - 1, this.rows - 1) : "a1";
      const home = resized || !this.cursor ? first : this._square(x, y + rows - 1);
      this.cursor = this.cells.has(home) ? home : this._square(x, y + rows - 1);
    }
    if (focused) this.cells.get(this.cursor)?.focus();
  }

  _cell(column, row, left, bottom) {
    const square = this._square(column, row);
    const { file, rank } = squareAt(square) ?? { file: 0, rank: 0 };
    const cell = make("div", { class: (file + rank) % 2 ? "square light" : "square dark" });
    cell.dataset.square = square;
    cell.dataset.piece = "";
    if (!this.mini) {
      cell.setAttribute("role", "gridcell");
      cell.setAttribute("aria-colindex", String(column + 1));
      cell.tabIndex = -1;
      // Written by the style sheet: a square is named in full already.
      if (left) cell.append(make("span", { class: "rank-name", "data-name": String(rank + 1) }));
      if (bottom) cell.append(make("span", { class: "file-name", "data-name": fileName(file) }));
    }
    this.cells.set(square, cell);
    return cell;
  }

  _mark() {
    const last = this.lastMove ? readMove(this.lastMove) : null;
    const checked = new Set(this.position?.check ?? []);
    const targets = this._targets();
    for (const [square, cell] of this.cells) {
      const letter = cell.dataset.piece ?? "";
      const marks = {
        "last-from": last?.from === square,
        "last-to": last?.to === square,
        check: checked.has(square),
        selected: this.selected === square,
        target: targets.has(square) && !letter,
        capture: targets.has(square) && !!letter,
        movable: this.legal.has(square),
      };
      for (const [mark, on] of Object.entries(marks)) cell.classList.toggle(mark, on);
      if (this.mini) continue;
      const name = [
        square, letter ? pieceName(letter, this.rules) : "empty",
        marks.check ? "in check" : "", marks.selected ? "selected" : "",
        targets.has(square) && this.selected ? (letter ? "can be taken" : "can be moved to") : "",
        marks["last-to"] ? "last move" : marks["last-from"] ? "last move from here" : "",
      ].filter(Boolean).join(", ");
      if (cell.getAttribute("aria-label") !== name) cell.setAttribute("aria-label", name);
      if (marks.selected) cell.setAttribute("aria-selected", "true");
      else cell.removeAttribute("aria-selected");
      cell.tabIndex = square === this.cursor ? 0 : -1;
    }
  }

  _pockets() {
    const pockets = this.position?.pockets;
    if (!this.pocketFar) return;
    const sides = this._flipped ? ["white", "black"] : ["black", "white"];
    for (const [bar, side] of [[this.pocketFar, sides[0]], [this.pocketNear, sides[1]]]) {
      bar.hidden = !pockets || this.mini;
      if (bar.hidden) continue;
      const counts = new Map();
      for (const letter of pockets[side]) {
        const kind = letter.toLowerCase();
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
      }
      const before = bar.contains(document.activeElement) ? document.activeElement.dataset.drop : "";
      bar.setAttribute("role", "group");
      bar.setAttribute("aria-label", `${side === "white" ? "White" : "Black"}'s pocket${counts.size ? "" : ", empty"}`);
      bar.replaceChildren(...[...counts].map(([kind, count]) => {
        const drop = `${kind.toUpperCase()}@`;
        const letter = side === "white" ? kind.toUpperCase() : kind;
        const usable = this.position?.turn === side && this.legal.has(drop);
        const button = make("button", {
          type: "button", class: "pocket-piece", disabled: !usable,
          "aria-pressed": String(usable && this.selected === drop),
          "aria-label": `${side} ${kindName(kind)}, ${count} in the pocket`,
          onclick: () => this._select(this.selected === drop ? "" : drop),
        }, pieceImage(letter, this.rules), make("span", { class: "pocket-count" }, String(count)));
        button.dataset.drop = drop;
        return button;
      }));
      if (before) bar.querySelector(`[data-drop="${before}"]`)?.focus();
    }
  }

  _slide(text) {
    const move = readMove(text);
    const piece = move?.from && this.cells.get(move.to)?.querySelector(".piece");
    const start = move?.from && this.cells.get(move.from);
    if (!piece || !start) return;
    const from = start.getBoundingClientRect(), to = piece.parentElement.getBoundingClientRect();
    piece.animate(
      [{ transform: `translate(${from.left - to.left}px, ${from.top - to.top}px)`, zIndex: 3 }, { transform: "none", zIndex: 3 }],
      { duration: SLIDE_MS, easing: "ease-out" },
    );
  }

  // Moving

  /** @returns {Map<string, string[]>} the targets of what is selected; stones need no selection */
  _targets() {
    return this.legal.get(this.selected) ?? new Map();
  }

  _select(from) {
    this.selected = from;
    this._mark();
    this._pockets();
    if (!from) return;
    const targets = [...this._targets().keys()];
    const what = from.endsWith("@") ? kindName(from[0]) : `${from}, ${pieceName(this.at(from), this.rules)}`;
    this._say(`${what} selected, ${targets.length} ${targets.length === 1 ? "target" : "targets"}: ${targets.join(", ")}`);
  }

  /** A click or Enter. @param {string} square */
  _act(square) {
    const moves = this._targets().get(square);
    if (moves) this._make(moves);
    else if (this.selected === square) this._select("");
    else if (this.legal.has(square)) this._select(square);
    else if (this.selected) {
      this._select("");
      this._say("No such move. Nothing is selected now.");
    }
  }

  /** @param {string[]} moves that differ in their promotion only */
  async _make(moves) {
    let chosen = moves[0];
    const { from, to } = readMove(chosen) ?? { from: "", to: "" };
    if (moves.length > 1) {
      const letters = moves.map((move) => readMove(move)?.promotion ?? "");
      const white = this.position?.turn === "white";
      const letter = await askPromotion(letters, white, this.rules);
      if (letter === null) return this._select("");
      chosen = moves[letters.indexOf(letter)];
    }
    if (!this._targets().get(to)?.includes(chosen)) return undefined; // taken back meanwhile
    const letter = this.selected.endsWith("@") ? this._own(this.selected[0])
      : from ? this._promoted(this.at(from), readMove(chosen)?.promotion) : this._own(this.position?.turn === "white" ? "x" : "o");
    this.selected = "";
    this.legal = new Map();
    this._foresee(from, to, letter, chosen);
    this.dispatchEvent(new CustomEvent("move", { detail: chosen }));
    return undefined;
  }

  _own(letter) {
    return this.position?.turn === "white" ? letter.toUpperCase() : letter.toLowerCase();
  }

  _promoted(letter, to) {
    return to ? this._own(to) : letter;
  }

  /** Show the move at once; the server's next position corrects what this does not know. */
  _foresee(from, to, letter, move) {
    if (!this.position) return;
    const taken = this.at(to);
    // Castling that is spelled as "king takes own rook" is better waited for.
    if (from && taken && (taken === taken.toUpperCase()) === (letter === letter.toUpperCase())) return this._mark();
    const ranks = this.position.ranks.map((rank) => [...rank]);
    const put = (square, what) => {
      const { file, rank } = squareAt(square) ?? { file: 0, rank: 0 };
      ranks[this.rows - 1 - rank][file] = what;
    };
    if (from) put(from, ".");
    put(to, letter);
    this.position = { ...this.position, ranks: ranks.map((rank) => rank.join("")), check: [] };
    this.lastMove = move;
    this._render();
    return undefined;
  }

  _say(text) {
    this.dispatchEvent(new CustomEvent("say", { detail: text }));
  }

  // Keyboard

  _setCursor(square) {
    if (square === this.cursor) return;
    const old = this.cells.get(this.cursor);
    if (old) old.tabIndex = -1;
    this.cursor = square;
    const cell = this.cells.get(square);
    if (cell) cell.tabIndex = 0;
  }

  _key(event) {
    if (event.altKey || event.metaKey) return;
    const { x, y } = this._seen(this.cursor);
    let to = null;
    if (event.key in STEPS && !event.ctrlKey) {
      const [dx, dy] = STEPS[event.key];
      to = { x: x + dx, y: y + dy };
    } else if (event.key === "Home") to = { x: 0, y: event.ctrlKey ? 0 : y };
    else if (event.key === "End") to = { x: this.columns - 1, y: event.ctrlKey ? this.rows - 1 : y };
    else if (event.key === "Enter" || event.key === " ") this._act(this.cursor);
    else if (event.key === "Escape" && this.selected) {
      this._select("");
      this._say("Nothing is selected now.");
    } else return;
    event.preventDefault();
    event.stopPropagation();
    if (to && to.x >= 0 && to.y >= 0 && to.x < this.columns && to.y < this.rows) this._go(to.x, to.y);
  }

  /** Focus the square at this place, and show that part of a large board. */
  _go(x, y) {
    const shown = this._window();
    const outside = x < shown.x || y < shown.y || x >= shown.x + shown.columns || y >= shown.y + shown.rows;
    const square = this._square(x, y);
    if (outside) {
      this.corner = { x: x - Math.floor(shown.columns / 2), y: y - Math.floor(shown.rows / 2) };
      this.cursor = square;
      this._render();
    }
    this._setCursor(square);
    this.cells.get(square)?.focus();
  }

  _moveWindow(dx, dy) {
    this.corner = { x: this.corner.x + dx, y: this.corner.y + dy };
    this._render();
  }

  // Pointer

  _click(event) {
    const cell = event.target.closest("[data-square]");
    if (!cell || this._dragged) return;
    this._setCursor(cell.dataset.square);
    this._act(cell.dataset.square);
  }

  _press(event) {
    this._dragged = false;
    const cell = event.target.closest("[data-square]");
    const square = cell?.dataset.square;
    if (!square || event.button !== 0 || !this.legal.has(square)) return;
    const piece = cell.querySelector(".piece");
    if (!piece || this._targets().has(square)) return;
    this._drag = { square, piece, x: event.clientX, y: event.clientY, pointer: event.pointerId };
    const move = (e) => this._dragTo(e), end = (e) => this._release(e);
    this._drag.stop = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", end);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
  }

  _dragTo(event) {
    const drag = this._drag;
    if (!drag || event.pointerId !== drag.pointer) return;
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    if (!this._dragged && Math.hypot(dx, dy) < DRAG_PX) return;
    if (!this._dragged) {
      this._dragged = true;
      if (this.selected !== drag.square) this._select(drag.square);
      drag.piece.classList.add("dragged");
    }
    drag.piece.style.transform = `translate(${dx}px, ${dy}px)`;
    const over = this._under(event);
    if (drag.over !== over) {
      this.cells.get(drag.over)?.classList.remove("over");
      this.cells.get(over)?.classList.add("over");
      drag.over = over;
    }
  }

  _release(event) {
    if (!this._drag || event.pointerId !== this._drag.pointer) return;
    const dragged = this._dragged, over = this._under(event);
    this._dropDrag();
    if (!dragged || event.type !== "pointerup") return;
    const moves = over && this._targets().get(over);
    if (moves) this._make(moves);
    // The click that follows the release belongs to the drag.
    setTimeout(() => { this._dragged = false; });
  }

  _dropDrag() {
    const drag = this._drag;
    if (!drag) return;
    drag.stop();
    drag.piece.classList.remove("dragged");
    drag.piece.style.transform = "";
    this.cells.get(drag.over)?.classList.remove("over");
    this._drag = null;
  }

  _under(event) {
    const element = document.elementFromPoint(event.clientX, event.clientY);
    const cell = element?.closest("[data-square]");
    return cell && this.grid.contains(cell) ? cell.dataset.square : "";
  }
}

customElements.define("ulci-board", UlciBoard);

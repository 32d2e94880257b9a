/** `<ulci-board>`: a board of any size, for spectators and players.
 *
 *     board.rules = "chess";            names and pictures of the pieces
 *     board.show(position, "e2e4");     a Board of the API, and the move that led to it
 *     board.flipped = true;             Black's side below
 *     board.allow(["e2e4", …]);         the legal moves in the server's spelling; []: no moves
 *     board.allowPremoves("white");     whose pieces may premove while no move is allowed; "" nobody's
 *     board.markPremove("e2e4");        the premove that waits; "" none
 *     board.addEventListener("move", ({ detail }) => …);     "e7e8q"
 *     board.addEventListener("premove", ({ detail }) => …);  a move without a promotion; "": the premove is cancelled
 *     board.addEventListener("say", ({ detail }) => …);      a text for screen readers
 *
 * The board is a grid of ARIA: arrows move the focus, Home and End move it to the ends of a rank (with Ctrl, of the
 * board), Enter and Space pick up and put down, Escape puts back. With the attribute `mini` it is a picture.
 * Every mark has a shape of its own beside its colour. */

import { fill, make } from "./dom.js";
import { pieceImage } from "./piece.js";
import { premoveSources } from "./premovesources.js";
import { setting } from "./settings.js";
import { Shapes } from "./shapes.js";
import { fileName, readMove, squareAt, squareName } from "./squares.js";
import { t } from "./texts.js";
import { hasStones, kindName, pieceName } from "./words.js";

const WHOLE_MAX = 64; // squares a side of the largest board that is drawn whole: 64x64 take 65 ms, 256x256 1.5 s
const WINDOW = 24; // squares a side of the shown part of a larger board
const DENSE = 13; // columns above which a square has no room for a piece and its name
const CROWDED = 9; // columns above which that is so on a phone
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
    /** the side that may premove @type {"white"|"black"|""} */
    this.premovable = "";
    this.premove = "";
    this.selected = "";
    this.cursor = "";
    /** the drawn part of the board: its left column and top row on the screen, from 0 */
    this.corner = { x: 0, y: 0 };
    /** @type {Map<string, HTMLElement>} */
    this.cells = new Map();
    this.pictures = 0; // how often the person has chosen other pictures of the pieces
    this._drawn = "";
  }

  connectedCallback() {
    this._redraw = () => this._drawAnew();
    document.addEventListener("settings", this._redraw);
    if (this.frame) return;
    this.mini = this.hasAttribute("mini");
    this.pocketFar = make("div", { class: "pocket", hidden: true });
    this.pocketNear = make("div", { class: "pocket", hidden: true });
    this.grid = make("div", { class: "board-grid", role: this.mini ? "img" : "grid" });
    this.frame = make("div", { class: "board-frame", hidden: true });
    this.blank = make("div", { class: "board-blank" }); // until the position is known
    this.pan = make("div", { class: "board-pan", role: "group", "aria-label": t`Part of the board`, hidden: true },
      ...[["left", "←", -1, 0], ["up", "↑", 0, -1], ["down", "↓", 0, 1], ["right", "→", 1, 0]].map(([name, sign, x, y]) =>
        make("button", {
          type: "button", "data-axis": x ? "x" : "y", "aria-label": t`Show the squares further ${name}`,
          onclick: () => this._moveWindow(Number(x) * (WINDOW / 2), Number(y) * (WINDOW / 2)),
        }, String(sign))));
    this.hint = make("p", { class: "board-hint", hidden: true }, t`The board is wider than the screen: move it sideways.`);
    this.append(this.pocketFar, this.blank, this.frame, this.hint, this.pocketNear, this.pan);
    if (!this.mini) new ResizeObserver(() => this._hint()).observe(this.frame);
    this._nameGrid();
    if (this.mini) {
      this.inert = true;
      this.frame.append(this.grid);
    } else {
      this.shapes = new Shapes(this.grid, (event) => this._under(event), (square) => this._centre(square));
      this.frame.append(make("div", { class: "board-stage" }, this.grid, this.shapes.svg));
      this.grid.addEventListener("keydown", (event) => this._key(event));
      this.grid.addEventListener("click", (event) => this._click(event));
      this.grid.addEventListener("pointerdown", (event) => this._press(event));
      // After a quick drag by touch, Chromium takes the next tap as the end of a fling and sends no click.
      this.grid.addEventListener("touchmove", (event) => { if (this._drag) event.preventDefault(); }, { passive: false });
      // If no piece may move, a click on the board leaves the focus, and so the arrows, to the replay.
      this.grid.addEventListener("mousedown", (event) => { if (!this._sources().size) event.preventDefault(); });
      this.grid.addEventListener("focusin", (event) => {
        const cell = event.target.closest("[data-square]");
        if (cell) this._setCursor(cell.dataset.square);
      });
    }
    this._render();
  }

  disconnectedCallback() {
    document.removeEventListener("settings", this._redraw);
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
    if (this._drag && this.at(this._drag.square) !== this._drag.letter) this._dropDrag();
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
    if (!this._sources().has(held)) this.selected = "";
    this._mark();
    this._pockets();
  }

  /** @param {"white"|"black"|""} side */
  allowPremoves(side) {
    if (side === this.premovable) return;
    this.premovable = side;
    if (!this._sources().has(this.selected)) this.selected = "";
    this._mark();
    this._pockets();
  }

  /** @param {string} move */
  markPremove(move) {
    if (move === this.premove) return;
    this.premove = move;
    this._mark();
  }

  /** Focus the square that had the focus last. */
  focusSquare() {
    this.cells.get(this.cursor)?.focus();
  }

  /** @param {string} square @returns {string} the piece's letter; empty if there is none */
  at(square) {
    const place = squareAt(square);
    const letter = place && this.position?.ranks[this.rows - 1 - place.rank]?.[place.file];
    return letter && letter !== "." ? letter : "";
  }

  // Drawing

  /** A touch screen shows no scroll bar. */
  _hint() {
    this.hint.hidden = this.frame.scrollWidth <= this.frame.clientWidth + 1;
  }

  _nameGrid() {
    this.grid.setAttribute("aria-label", this.getAttribute("label") ?? t`Board`);
  }

  /** The size of the shown part, as columns and rows on the screen. */
  _window() {
    const columns = Math.min(this.columns, this.columns > WHOLE_MAX ? WINDOW : WHOLE_MAX);
    const rows = Math.min(this.rows, this.rows > WHOLE_MAX ? WINDOW : WHOLE_MAX);
    const x = Math.max(0, Math.min(this.corner.x, this.columns - columns));
    const y = Math.max(0, Math.min(this.corner.y, this.rows - rows));
    this.corner = { x, y };
    return { columns, rows, x, y };
  }

  /** @param {number} x @param {number} y column and row on the screen, from the top left @returns {string} the square's name */
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
    this.blank.hidden = true;
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
    this._dropDrag();
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
    this.shapes?.show({ columns, rows });
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
      // The style sheet shows these names: screen readers read the full name of each square already.
      if (left) cell.append(make("span", { class: "rank-name", "data-name": String(rank + 1) }));
      if (bottom) cell.append(make("span", { class: "file-name", "data-name": fileName(file) }));
    }
    this.cells.set(square, cell);
    return cell;
  }

  /** The middle of a square, in squares from the top left of the shown part. @param {string} square */
  _centre(square) {
    if (!this.cells.has(square)) return null;
    const { x, y } = this._seen(square);
    return { x: x - this.corner.x + 0.5, y: y - this.corner.y + 0.5 };
  }

  /** Draw the pieces again, after the person has chosen other pictures. */
  _drawAnew() {
    this.pictures += 1;
    for (const cell of this.cells.values()) cell.dataset.piece = "";
    for (const piece of this.grid.querySelectorAll(".piece")) piece.remove();
    this._dropDrag();
    this._render();
  }

  _mark() {
    const last = this.lastMove ? readMove(this.lastMove) : null;
    const checked = new Set(this.position?.check ?? []);
    const sources = this._sources(), targets = this.legal.get(this.selected) ?? new Map(); // a premove has all squares as targets
    const premove = this.premove ? readMove(this.premove) : null;
    for (const [square, cell] of this.cells) {
      const letter = cell.dataset.piece ?? "";
      const marks = {
        "last-from": last?.from === square,
        "last-to": last?.to === square,
        check: checked.has(square),
        selected: this.selected === square,
        target: targets.has(square) && !letter,
        capture: targets.has(square) && !!letter,
        movable: sources.has(square),
        premove: !!premove && (premove.from === square || premove.to === square),
      };
      for (const [mark, on] of Object.entries(marks)) cell.classList.toggle(mark, on);
      if (this.mini) continue;
      const name = [
        square, letter ? pieceName(letter, this.rules) : t`empty`,
        marks.check ? t`in check` : "", marks.selected ? t`selected` : "",
        targets.has(square) && this.selected ? (letter ? t`can be taken` : t`can be moved to`) : "",
        premove?.to === square ? t`premove` : marks.premove ? t`premove from here` : "",
        marks["last-to"] ? t`last move` : marks["last-from"] ? t`last move from here` : "",
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
      const buttons = new Map([...bar.children].map((button) => [button.dataset.key, button]));
      bar.setAttribute("role", "group");
      bar.setAttribute("aria-label", t`${side === "white" ? t`White` : t`Black`}'s pocket${counts.size ? "" : t`, empty`}`);
      fill(bar, [...counts].map(([kind, count]) => {
        const drop = `${kind.toUpperCase()}@`;
        const letter = side === "white" ? kind.toUpperCase() : kind;
        const usable = (this.legal.size ? this.position?.turn : this.premovable) === side && this._sources().has(drop);
        const key = `${letter} ${count} ${this.rules} ${this.pictures}`;
        // A button that is replaced while it is pressed gets no click.
        const button = buttons.get(key) ?? make("button", {
          type: "button", class: "pocket-piece", "data-drop": drop, "data-key": key,
          "aria-label": t`${side === "white" ? t`white` : t`black`} ${kindName(kind)}, ${count} in the pocket`,
          onclick: () => this._select(this.selected === drop ? "" : drop),
        }, pieceImage(letter, this.rules), make("span", { class: "pocket-count" }, String(count)));
        button.disabled = !usable;
        button.setAttribute("aria-pressed", String(usable && this.selected === drop));
        return button;
      }));
      if (before && !bar.contains(document.activeElement)) bar.querySelector(`[data-drop="${before}"]`)?.focus();
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

  /** @returns {Map<string, any>} the pieces that may move, by legal moves or by premoves, with their targets */
  _sources() {
    if (this.legal.size || !this.premovable) return this.legal;
    return premoveSources(this, this.premovable);
  }

  /** @returns {Map<string, string[]>} the targets of the selected piece; stones need no selection */
  _targets() {
    return this._sources().get(this.selected) ?? new Map();
  }

  _select(from) {
    this.selected = from;
    this._mark();
    this._pockets();
    if (!from) return undefined;
    const what = from.endsWith("@") ? kindName(from[0]) : `${from}, ${pieceName(this.at(from), this.rules)}`;
    if (!this.legal.size) return this._say(t`${what} selected for a premove`);
    const targets = [...this._targets().keys()];
    return this._say(t`${what} selected, ${targets.length} ${targets.length === 1 ? t`target` : t`targets`}: ${targets.join(", ")}`);
  }

  /** Handle a click or Enter. @param {string} square */
  _act(square) {
    const sources = this._sources(), ahead = !this.legal.size;
    if (ahead && this.premove && !this.selected) {
      const { from, to } = readMove(this.premove) ?? { from: "", to: "" };
      this.dispatchEvent(new CustomEvent("premove", { detail: "" }));
      if (square === from || square === to) return;
    }
    // In a premove every square is a target: a click on another own piece selects that piece; a drag to it is a move.
    const moves = ahead && sources.has(square) ? undefined : this._targets().get(square);
    if (moves) this._make(moves);
    else if (this.selected === square) this._select("");
    else if (sources.has(square)) this._select(square);
    else if (this.selected) {
      this._select("");
      this._say(t`No such move. Nothing is selected now.`);
    }
  }

  /** @param {string[]} moves that differ in their promotion only */
  async _make(moves) {
    let chosen = moves[0];
    if (!this.legal.size) {
      this._select("");
      this.dispatchEvent(new CustomEvent("premove", { detail: chosen }));
      return undefined;
    }
    const { from, to } = readMove(chosen) ?? { from: "", to: "" };
    if (moves.length > 1) {
      const letters = moves.map((move) => readMove(move)?.promotion ?? "");
      const white = this.position?.turn === "white";
      const ask = async () => (await import("./choice.js")).askPromotion(letters, white, this.rules); // spectators do not load it
      const letter = setting("queen") && letters.includes("q") ? "q" : await ask();
      if (letter === null) return this._select("");
      chosen = moves[letters.indexOf(letter)];
    }
    if (!this._targets().get(to)?.includes(chosen)) return undefined; // a takeback removed it meanwhile
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

  /** Show the move at once; the server's next position corrects what this method does not know. */
  _foresee(from, to, letter, move) {
    if (!this.position) return;
    const taken = this.at(to);
    // Castling that is spelled as "king takes own rook" waits for the server's position.
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
      this._say(t`Nothing is selected now.`);
    } else return;
    event.preventDefault();
    event.stopPropagation();
    if (to && to.x >= 0 && to.y >= 0 && to.x < this.columns && to.y < this.rows) this._go(to.x, to.y);
  }

  /** Focus the square at this place, and show the part of a large board that contains it. */
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
    if (!square || event.button !== 0 || !this._sources().has(square)) return;
    const piece = cell.querySelector(".piece");
    if (!piece || (this.legal.size && this._targets().has(square))) return;
    this._dropDrag();
    this._drag = { square, piece, letter: this.at(square), x: event.clientX, y: event.clientY, pointer: event.pointerId };
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
    const dragged = this._dragged, over = this._under(event), { square } = this._drag;
    this._dropDrag();
    if (!dragged || event.type !== "pointerup") return;
    // The piece that was picked up for a premove may not be movable any more.
    const moves = over && this.selected === square && this._targets().get(over);
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

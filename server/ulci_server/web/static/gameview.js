/** One game on the screen: board, players with their clocks, moves, replay. It follows the game by
 * itself while that runs. The pages for watching, playing and embedding are made of it. */

import "./board.js";
import { getJson, learnTime } from "./api.js";
import { ClockPair } from "./clock.js";
import { make, note, say, setText } from "./dom.js";
import { MoveList } from "./movelist.js";
import { pieceImage } from "./piece.js";
import { Stream } from "./stream.js";
import { gameName, hasStones, playerName, ratingText, resultText, sideName, spokenTime } from "./words.js";

const SIDES = /** @type {const} */ (["white", "black"]);
const STATES = { here: "", away: "away, the clock runs on", hung: "does not answer" };
const LEDGER = ["spent_ms", "left_ms", "lag_ms", "stall_ms", "held_ms", "score_cp", "score_mate", "depth", "pv"];
const LEDGER_EVERY_MS = 10_000;
const RETRY_MS = 3000;
const ELSEWHERE = "input, select, textarea, dialog, [role=grid]";

/** @typedef {{own?: "white"|"black"|null, compact?: boolean, onChange?: (view: GameView) => void, onInfo?: (info: any) => void,
 *             onGone?: () => void}} Options
 * `own`: the side of who looks, which is below. */

export class GameView {
  /** @param {number|string} id @param {Options} options */
  constructor(id, options) {
    this.id = id;
    this.options = options;
    this.path = `/api/games/${id}`;
    /** @type {any} */
    this.game = null;
    this.ply = 0;
    this._build();
  }

  get over() {
    return this.game?.state === "finished";
  }

  get atEnd() {
    return !this.game || this.ply === this.game.moves.length;
  }

  get turn() {
    return this.game?.board.turn;
  }

  /** Read the game, and follow it if it runs. @throws {import("./api.js").ApiError} */
  async start() {
    const game = await getJson(this.path);
    if (this.closed) return;
    this._take(game);
    if (!this.over) this._follow();
  }

  /** The same, again and again until it can be read or is known to be missing.
   * @param {(text: string, missing: boolean) => void} onFault what to say; "" once it is read */
  async startPatiently(onFault) {
    try {
      await this.start();
      onFault("", false);
    } catch (error) {
      const missing = error.status === 404 || error.status === 400;
      onFault(missing ? `There is no game ${this.id} on this server.` : `${error.message} Trying again…`, missing);
      if (!missing) setTimeout(() => this.startPatiently(onFault), RETRY_MS);
    }
  }

  close() {
    this.closed = true;
    this.stream?.close();
    this.clocks.close();
    clearTimeout(this.ledgerTimer);
    document.removeEventListener("keydown", this._keys);
  }

  /** There is news of the game. */
  hurry() {
    this.stream?.hurry();
  }

  /** The line was lost: ask for all news on another one. */
  renew() {
    this.stream?.renew();
  }

  flip() {
    this.board.flipped = !this.board.flipped;
    this._seat();
  }

  /** @param {number} ply 0: the start @param {boolean} [slide] */
  show(ply, slide = false) {
    const moves = this.game.moves;
    this.ply = Math.max(0, Math.min(ply, moves.length));
    const move = this.ply ? moves[this.ply - 1] : null;
    const position = this.atEnd ? this.game.board : move ? move.board : this.game.start_board;
    this.board.show(position, move?.move ?? "", { slide });
    this.boardSide.style.setProperty("--columns", String(this.board.columns || 8));
    this.boardSide.style.setProperty("--rows", String(this.board.rows || 8));
    this.moves.show(this.ply);
    this.buttons.first.disabled = this.buttons.previous.disabled = this.ply === 0;
    this.buttons.last.disabled = this.buttons.next.disabled = this.atEnd;
    if (this.over) this._oldClocks();
    note(this.past, this.atEnd || this.over ? "" : `Ply ${this.ply} of ${moves.length}; the game goes on.`);
    this.options.onChange?.(this);
  }

  // What the server says

  _follow() {
    this.stream = new Stream(`${this.path}/events`, {
      own: !!this.options.own,
      onEvent: (name, data) => this._hear(name, data),
      onState: (state) => this._line(state),
    });
  }

  _line(state) {
    if (state === "gone") {
      this.options.onGone?.();
      return;
    }
    const lost = state === "lost";
    if (lost && !this.lost) say("The connection is lost. Trying again.");
    if (!lost && this.lost) say("Connected again.");
    this.lost = lost;
    note(this.line, lost ? "The connection is lost. Trying again…" : "");
  }

  _hear(name, data) {
    if (name === "game") this._take(data);
    else if (!this.game) return;
    else if (name === "move") this._move(data);
    else if (name === "takeback") this._takeback(data);
    else if (name === "clock") this._setClocks(data);
    else if (name === "info") this.options.onInfo?.(data);
    else if (name === "player") {
      this.game.players = { ...this.game.players, [data.side]: data.state };
      this._players();
    } else if (name === "over") this._end(data);
  }

  _take(game) {
    const before = this.game;
    const live = !before || this.atEnd;
    this.game = game;
    this.board.rules = game.rules;
    const white = sideName("white", game.rules), names = `${playerName(game.white)} and ${playerName(game.black)}`;
    this.board.setAttribute("label", `Board, ${gameName(game.rules)}, ${names}. ${white} is ${playerName(game.white)}.`);
    note(this.unknown, game.board.ranks.length ? "" : "The board of this game is not known to the server; its moves are below.");
    this.moves.set(game.moves, game.rules, game.book);
    this._setClocks(game);
    this._seat();
    this.show(live ? (before || !this.over ? game.moves.length : this._asked() ?? game.moves.length) : this.ply);
    if (before && before.moves.length < game.moves.length) this._sayMove(game.moves.at(-1));
    if (this.over && before && before.state !== "finished") this._closeLine(game);
  }

  /** The ply in the address, as in `/games/7#12`. */
  _asked() {
    const found = /^#(\d{1,5})$/.exec(location.hash);
    return found ? Number(found[1]) : null;
  }

  _move(data) {
    const moves = this.game.moves;
    if (data.ply <= moves.length) return; // said again after a lost line
    if (data.ply !== moves.length + 1) {
      this._reread();
      return;
    }
    const live = this.atEnd;
    const foreseen = this.board.lastMove === data.move;
    moves.push(data);
    this.game.board = data.board;
    this.moves.add(data);
    this._setClocks(data);
    this._sayMove(data);
    this.show(live ? moves.length : this.ply, live && !foreseen);
    this._status();
    this._askLedger();
  }

  _takeback(data) {
    this.game.moves.length = Math.min(this.game.moves.length, data.ply);
    this.game.board = data.board;
    this.moves.set(this.game.moves, this.game.rules, this.game.book);
    this._setClocks(data);
    say("A move was taken back.");
    this.show(this.game.moves.length);
    this._status();
  }

  _end(data) {
    Object.assign(this.game, { result: data.result, reason: data.reason, detail: data.detail, state: "finished" });
    if (data.clocks) this.game.clocks = data.clocks;
    const left = Object.fromEntries(SIDES.map((side) => [`${side}_ms`, this.clocks.left(side)]));
    this._setClocks({ clocks: { ...left, running: null } });
    this._closeLine(this.game);
    this._players();
    this.show(this.ply);
    this._reread();
  }

  _closeLine(game) {
    this.stream?.close();
    note(this.line);
    say(`The game is over. ${resultText(game)}`);
    this._status();
  }

  /** The whole game once more: it has its ledger now, or events were missed. */
  async _reread() {
    try {
      const game = await getJson(this.path);
      if (!this.closed) this._take(game);
    } catch {
      // The stream says what is wrong, or brings the game anew.
    }
  }

  /** Times and scores of the moves come later than the moves themselves. */
  _askLedger() {
    if (this.ledgerTimer || this.options.compact || this.over) return;
    this.ledgerTimer = setTimeout(async () => {
      this.ledgerTimer = undefined;
      try {
        const { moves } = await getJson(this.path);
        if (this.closed) return;
        for (const [at, move] of this.game.moves.entries()) {
          if (moves[at]?.move !== move.move) break;
          for (const key of LEDGER) move[key] = moves[at][key];
        }
        this.options.onChange?.(this);
      } catch {
        // It is asked again after the next move.
      }
    }, LEDGER_EVERY_MS);
  }

  _setClocks(said) {
    learnTime(said);
    if (said.clocks !== undefined) this.game.clocks = said.clocks;
    this.clocks.set(this.game.clocks, said.now);
  }

  /** In a game that is over, the clocks as they were after the move that is shown. */
  _oldClocks() {
    if (this.atEnd || !this.game.clocks) {
      this.clocks.set(this.game.clocks);
      return;
    }
    const left = { white_ms: null, black_ms: null };
    for (const move of this.game.moves.slice(0, this.ply)) {
      if (move.left_ms !== undefined) left[`${move.side}_ms`] = move.left_ms;
    }
    this.clocks.set({ ...left, running: null });
  }

  _sayMove(move) {
    if (!move || this.over) return;
    const check = move.board?.check?.length && !/[+#]/.test(move.san ?? "") ? ", check" : "";
    say(`${sideName(move.side, this.game.rules)}: ${(move.san ?? move.move).replace("+", " check").replace("#", " mate")}${check}`);
  }

  _warn(side, ms) {
    if (this.over || (this.options.own && this.options.own !== side)) return;
    const whose = this.options.own ? "You have" : `${sideName(side, this.game.rules)} has`;
    say(`${whose} ${spokenTime(ms)} left.`);
  }

  // What is shown

  _build() {
    const face = (side) => make("span", { class: "clock", role: "timer", "aria-label": `${side}'s clock` });
    this.bars = Object.fromEntries(SIDES.map((side) => {
      const clock = face(sideName(side));
      const name = make("span", { class: "player-name" }), state = make("span", { class: "player-state" });
      const mark = make("span", { class: "side-mark" });
      const bar = make("div", { class: "player-bar" }, mark, make("div", { class: "player-who" }, name, state), clock);
      return [side, { bar, clock, name, state, mark }];
    }));
    this.clocks = new ClockPair(
      { white: this.bars.white.clock, black: this.bars.black.clock }, (side, ms) => this._warn(side, ms),
    );
    this.board = /** @type {import("./board.js").UlciBoard} */ (make("ulci-board"));
    this.board.flipped = this.options.own === "black";
    this.board.addEventListener("say", (event) => say(event.detail));
    this.moves = new MoveList((ply) => this.show(ply));
    this.line = make("p", { class: "banner warning", hidden: true });
    this.past = make("p", { class: "banner", hidden: true });
    this.unknown = make("p", { class: "banner", hidden: true });
    this.status = make("h2", { class: "status", tabIndex: -1 });
    const button = (name, sign, act) => make("button", { type: "button", "aria-label": name, title: name, onclick: act }, sign);
    this.buttons = {
      first: button("First position (Home)", "«", () => this.show(0)),
      previous: button("Back one ply (arrow left)", "‹", () => this.show(this.ply - 1)),
      next: button("On one ply (arrow right)", "›", () => this.show(this.ply + 1, true)),
      last: button("Last position (End)", "»", () => this.show(Infinity)),
      flip: button("Flip the board (F)", "⇅", () => this.flip()),
    };
    this.replay = make("div", { class: "replay", role: "group", "aria-label": "Replay" }, ...Object.values(this.buttons));
    this.boardSide = make("section", { class: "board-side", "aria-label": "Board and clocks" });
    this._keys = (event) => this._key(event);
    document.addEventListener("keydown", this._keys);
    this._seat();
  }

  /** Who is below. */
  _seat() {
    const [far, near] = this.board.flipped ? [...SIDES] : [...SIDES].reverse();
    if (this.seated === near) {
      this._players();
      return;
    }
    this.seated = near;
    this.boardSide.replaceChildren(this.bars[far].bar, this.unknown, this.board, this.bars[near].bar, this.line, this.past, this.replay);
    this._players();
  }

  _players() {
    if (!this.game) return;
    for (const side of SIDES) {
      const { bar, name, state, mark, clock } = this.bars[side], player = this.game[side];
      const you = this.options.own === side ? " (you)" : "";
      setText(name, playerName(player) + you);
      const kind = player.kind === "engine" ? "engine" : "";
      const there = this.over ? "" : STATES[this.game.players?.[side]] ?? "";
      setText(state, [ratingText(player.rating), kind, there].filter(Boolean).join(" · "));
      if (mark.dataset.rules !== this.game.rules) {
        mark.dataset.rules = this.game.rules;
        const letter = hasStones(this.game.rules) ? "x" : "k", other = hasStones(this.game.rules) ? "o" : "k";
        mark.classList.toggle("plain", hasStones(this.game.rules));
        mark.replaceChildren(pieceImage(side === "white" ? letter.toUpperCase() : other, this.game.rules),
          make("span", { class: "visually-hidden" }, sideName(side, this.game.rules)));
      }
      clock.setAttribute("aria-label", `${sideName(side, this.game.rules)}'s clock`);
      bar.classList.toggle("to-move", !this.over && this.turn === side);
    }
    this._status();
  }

  _status() {
    const { game } = this;
    if (!game) return;
    if (this.over) setText(this.status, resultText(game));
    else if (this.options.own) setText(this.status, this.turn === this.options.own ? "Your move" : "The opponent's move");
    else setText(this.status, `${sideName(this.turn, game.rules)} to move`);
    for (const side of SIDES) this.bars[side].bar.classList.toggle("to-move", !this.over && this.turn === side);
  }

  _key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || !this.game) return;
    if (event.target instanceof Element && event.target.closest(ELSEWHERE)) return;
    if (event.key === "ArrowLeft") this.show(this.ply - 1);
    else if (event.key === "ArrowRight") this.show(this.ply + 1, true);
    else if (event.key === "Home") this.show(0);
    else if (event.key === "End") this.show(Infinity);
    else if (event.key === "f") this.flip();
    else return;
    event.preventDefault();
  }
}

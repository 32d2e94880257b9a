/** One game on the screen: board, players with their clocks, moves, replay. The view follows a running
 * game by itself. The pages for watching, playing and embedding use it. */

import "./board.js";
import { getJson, learnTime } from "./api.js";
import { ClockPair } from "./clock.js";
import { enable, make, note, say, setText } from "./dom.js";
import { material, materialImage } from "./material.js";
import { MoveList } from "./movelist.js";
import { playerLink } from "./people.js";
import { pieceImage } from "./piece.js";
import { Stream } from "./stream.js";
import { t } from "./texts.js";
import { gameName, hasStones, playerName, ratingText, resultText, sideName, spokenTime } from "./words.js";

const SIDES = /** @type {const} */ (["white", "black"]);
const STATES = { here: "", away: t`away, the clock runs on`, hung: t`does not answer` };
const LEDGER = ["spent_ms", "left_ms", "lag_ms", "stall_ms", "held_ms", "score_cp", "score_mate", "depth", "pv"];
const LEDGER_EVERY_MS = 10_000;
const RETRY_MS = 3000;
const ELSEWHERE = "input, select, textarea, dialog, [role=grid]";

/** @typedef {{own?: "white"|"black"|null, called?: {white: string, black: string}, compact?: boolean, onChange?: (view: GameView) => void,
 *             onInfo?: (info: any) => void, onGone?: () => void, onMove?: (move: any, before: import("./api.js").Board) => void, onLow?: () => void}} Options
 * `own`: the side of the player at this page, which is below. `called`: the players' names in the lobby. `onMove`: a move was made on
 * the board `before`. `onLow`: the own clock runs low. */

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

  /** Start, and try again until the game is read or the server knows no such game.
   * @param {(text: string, missing: boolean) => void} onFault shows a text; "" once the game is read */
  async startPatiently(onFault) {
    try {
      await this.start();
      onFault("", false);
    } catch (error) {
      const missing = error.status === 404 || error.status === 400;
      onFault(missing ? t`There is no game ${this.id} on this server.` : t`${error.message} Trying again…`, missing);
      if (!missing) setTimeout(() => this.startPatiently(onFault), RETRY_MS);
    }
  }

  close() {
    this.closed = true;
    this.stream?.close();
    this.clocks.close();
    clearTimeout(this.ledgerTimer);
    document.removeEventListener("keydown", this._keys);
    document.removeEventListener("settings", this._look);
  }

  /** Read the news of the game now, because there is some. */
  hurry() {
    this.stream?.hurry();
  }

  /** Ask for all news on a new connection, because the old one may be dead. */
  renew() {
    this.stream?.renew();
  }

  /** Count this page's spectator by its other connection and not by the stream. */
  countElsewhere() {
    if (!this.stream || this.stream.listener.own) return;
    this.stream.listener.own = true;
    this.stream.renew();
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
    this._material(position);
    this.boardSide.style.setProperty("--columns", String(this.board.columns || 8));
    this.boardSide.style.setProperty("--rows", String(this.board.rows || 8));
    this.moves.show(this.ply);
    enable(this.ply > 0, this.buttons.first, this.buttons.previous);
    enable(!this.atEnd, this.buttons.last, this.buttons.next);
    if (this.over) this._oldClocks();
    note(this.past, this.atEnd || this.over ? "" : t`Ply ${this.ply} of ${moves.length}; the game goes on.`);
    this.options.onChange?.(this);
  }

  // From the server

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
    if (lost && !this.lost) say(t`The connection is lost. Trying again.`);
    if (!lost && this.lost) say(t`Connected again.`);
    this.lost = lost;
    note(this.line, lost ? t`The connection is lost. Trying again…` : "");
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
    } else if (name === "spectators") {
      this.game.spectators = data.count;
      this.options.onChange?.(this);
    } else if (name === "chat") this.options.onChat?.(data);
    else if (name === "over") this._end(data);
  }

  _take(game) {
    const before = this.game;
    const live = !before || this.atEnd;
    game.spectators ??= before?.spectators; // only the stream has it
    this.game = game;
    this.board.rules = game.rules;
    const white = sideName("white", game.rules), names = t`${this._name("white")} and ${this._name("black")}`;
    this.board.setAttribute("label", t`Board, ${gameName(game.rules)}, ${names}. ${white} is ${this._name("white")}.`);
    note(this.unknown, game.board.ranks.length ? "" : t`The board of this game is not known to the server; its moves are below.`);
    this.moves.set(game.moves, game.rules, game.book);
    this._setClocks(game);
    this._seat();
    this.show(live ? (before ? game.moves.length : this._asked() ?? game.moves.length) : this.ply);
    if (before && before.moves.length < game.moves.length) this._sayMove(game.moves.at(-1));
    if (this.over && before && before.state !== "finished") this._closeLine(game);
  }

  /** The ply in the address, as in `/games/7?ply=12` or `/games/7#12`; null if there is none, and where the person plays. */
  _asked() {
    const said = new URLSearchParams(location.search).get("ply") ?? location.hash.slice(1);
    return /^\d{1,5}$/.test(said) && !this.options.own ? Number(said) : null;
  }

  _move(data) {
    const moves = this.game.moves;
    if (data.ply <= moves.length) return; // repeated after a lost connection
    if (data.ply !== moves.length + 1) {
      this._reread();
      return;
    }
    const live = this.atEnd;
    const foreseen = this.board.lastMove === data.move;
    this.options.onMove?.(data, this.game.board);
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
    say(t`A move was taken back.`);
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
    say(t`The game is over. ${resultText(game)}`);
    this._status();
  }

  /** Read the whole game again: it has its ledger now, or events were missed. */
  async _reread() {
    try {
      const game = await getJson(this.path);
      if (!this.closed) this._take(game);
    } catch {
      // The stream reports the fault, or sends the game again.
    }
  }

  /** Read the times and scores of the moves, which come later than the moves. */
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
        // The next move asks again.
      }
    }, LEDGER_EVERY_MS);
  }

  _setClocks(said) {
    learnTime(said);
    if (said.clocks !== undefined) this.game.clocks = said.clocks;
    this.clocks.set(this.game.clocks, said.now);
  }

  /** In a finished game, show the clocks as they were after the shown move. */
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
    const check = move.board?.check?.length && !/[+#]/.test(move.san ?? "") ? t`, check` : "";
    say(`${sideName(move.side, this.game.rules)}: ${(move.san ?? move.move).replace("+", t` check`).replace("#", t` mate`)}${check}`);
  }

  _warn(side, ms) {
    if (this.over || (this.options.own && this.options.own !== side)) return;
    if (this.options.own) this.options.onLow?.();
    const whose = this.options.own ? t`You have` : t`${sideName(side, this.game.rules)} has`;
    say(t`${whose} ${spokenTime(ms)} left.`);
  }

  // Showing

  _build() {
    const face = (side) => make("span", { class: "clock", role: "timer", "aria-label": t`${side}'s clock` });
    this.bars = Object.fromEntries(SIDES.map((side) => {
      const clock = face(sideName(side));
      const name = make("span", { class: "player-name" }), state = make("span", { class: "player-state" });
      const mark = make("span", { class: "side-mark" });
      const taken = make("span", { class: "player-taken" });
      const bar = make("div", { class: "player-bar" }, mark,
        make("div", { class: "player-who" }, name, make("div", { class: "player-facts" }, state, taken)), clock);
      return [side, { bar, clock, name, state, mark, taken }];
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
      first: button(t`First position (Home)`, "«", () => this.show(0)),
      previous: button(t`Back one ply (arrow left)`, "‹", () => this.show(this.ply - 1)),
      next: button(t`On one ply (arrow right)`, "›", () => this.show(this.ply + 1, true)),
      last: button(t`Last position (End)`, "»", () => this.show(Infinity)),
      flip: button(t`Flip the board (F)`, "⇅", () => this.flip()),
    };
    this.replay = make("div", { class: "replay", role: "group", "aria-label": t`Replay` }, ...Object.values(this.buttons));
    this.boardSide = make("section", { class: "board-side", "aria-label": t`Board and clocks` });
    this._keys = (event) => this._key(event);
    document.addEventListener("keydown", this._keys);
    this._look = () => this._anew();
    document.addEventListener("settings", this._look);
    this._seat();
  }

  /** Put the players and clocks above and below the board. */
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

  /** Show the pieces captured up to this position. @param {import("./api.js").Board|null} position */
  _material(position) {
    const found = material(this.game.rules, this.game.start_board, position);
    for (const side of SIDES) {
      const image = found && materialImage(found[side], side, this.game.rules), { taken } = this.bars[side];
      const text = image?.getAttribute("aria-label") ?? "";
      if (taken.dataset.said === text) continue;
      taken.dataset.said = text;
      taken.replaceChildren(...(image ? [image] : []));
    }
  }

  /** Draw the captured pieces again, after the person has chosen other pictures. */
  _anew() {
    for (const side of SIDES) this.bars[side].mark.dataset.rules = this.bars[side].taken.dataset.said = "";
    if (!this.game) return;
    this._players();
    this._material(this.board.position);
  }

  /** The player's name as the record has it; or the one in the lobby, if it differs by more than blanks: guests whose name
   * another player has are `Ada-2` or `Ada_(guest)` in the chat and in the lists of players. @param {"white"|"black"} side */
  _name(side) {
    const player = this.game[side], called = this.options.called?.[side];
    return playerName(called && called !== player.name.trim().replaceAll(/\s+/g, "_") ? { ...player, name: called } : player);
  }

  _players() {
    if (!this.game) return;
    for (const side of SIDES) {
      const { bar, name, state, mark, clock } = this.bars[side], player = this.game[side];
      const you = this.options.own === side ? t` (you)` : "";
      const text = this._name(side);
      // Whoever plays here would leave the board by it.
      if (name.textContent !== text + you) name.replaceChildren(playerLink(player.name, { text, ...(this.options.own ? { apart: true } : {}) }), you);
      const kind = player.kind === "engine" ? t`engine` : "";
      const there = this.over ? "" : STATES[this.game.players?.[side]] ?? "";
      setText(state, [ratingText(player.rating), kind, there].filter(Boolean).join(" · "));
      if (mark.dataset.rules !== this.game.rules) {
        mark.dataset.rules = this.game.rules;
        const letter = hasStones(this.game.rules) ? "x" : "k", other = hasStones(this.game.rules) ? "o" : "k";
        mark.classList.toggle("plain", hasStones(this.game.rules));
        mark.replaceChildren(pieceImage(side === "white" ? letter.toUpperCase() : other, this.game.rules),
          make("span", { class: "visually-hidden" }, sideName(side, this.game.rules)));
      }
      clock.setAttribute("aria-label", t`${sideName(side, this.game.rules)}'s clock`);
      bar.classList.toggle("to-move", !this.over && this.turn === side);
    }
    this._status();
  }

  _status() {
    const { game } = this;
    if (!game) return;
    if (this.over) setText(this.status, resultText(game));
    else if (this.options.own) setText(this.status, this.turn === this.options.own ? t`Your move` : t`The opponent's move`);
    else setText(this.status, t`${sideName(this.turn, game.rules)} to move`);
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

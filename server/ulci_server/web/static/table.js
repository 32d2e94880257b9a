/** The person's own game: the board takes moves, and beside it are the other commands and the chat. */

import { getJson, serverNow } from "./api.js";
import { callBack, setTitle, stopCalling } from "./attention.js";
import { ChatLog } from "./chatlog.js";
import { confirmed } from "./choice.js";
import { complain } from "./complaint.js";
import { byId, make, note, say, setText } from "./dom.js";
import { GameView } from "./gameview.js";
import { oneLine } from "./lobby.js";
import { Premove } from "./premove.js";
import { setting } from "./settings.js";
import { moveSound, play } from "./sounds.js";
import { t } from "./texts.js";
import { shown } from "./timechoice.js";
import { clockText, conductText, gameName, permits, playerName, pliesText, resultText, spectatorsText, typedExample } from "./words.js";

const RETRY_MS = 1000;
const OPPONENT = {
  away: t`Your opponent's connection is lost; the clock runs on.`, back: t`Your opponent is back.`,
  hung: t`Your opponent's program does not answer.`, "line-down": t`Your opponent's connection is slow or lost.`,
  gone: t`Your opponent has left.`,
};

/** @typedef {import("./seat.js").Seat} Seat */

export class Table {
  /** @param {Seat} seat @param {Object<string, string>} start the lobby's line, and `me`, the player's name @param {{has: (name: string) => boolean}} ignored names
   * @param {() => void} leave */
  constructor(seat, start, ignored, leave) {
    this.seat = seat;
    this.id = start.id;
    this.own = start.white === start.me ? "white" : "black";
    this.opponent = this.own === "white" ? start.black : start.white;
    /** the opponent's name for people, with the level of an engine of the server */
    this.opponentText = playerName({ name: this.opponent, level: start[this.own === "white" ? "black-level" : "white-level"] });
    /** the question for the legal moves of the position in which the player is to move: a new object for each question.
     * `ahead`: for a premove, before the board has the position @type {{ply: number, ahead?: boolean}|null} */
    this.question = null;
    this.unconfirmed = ""; // the move that is on the board and waits for its confirmation
    this.heardPly = 0; // the last ply that had its sound
    this.conduct = start.conduct;
    /** whether this player plays with half the time */
    this.berserk = false;
    this.over = false;
    this.view = new GameView(start.id, {
      own: this.own, called: { white: start.white, black: start.black }, onChange: () => this._changed(), onLow: () => play("low"),
      onMove: (move, before) => this._sound(move.ply, moveSound(before, move.board)),
    });
    const { board } = this.view;
    board.rules = start.game;
    board.addEventListener("move", (event) => this._chosen(event.detail));
    this.premove = new Premove(board, this.own, { banner: byId("premove"), text: byId("premove-text"), button: byId("act-premove") },
      (text) => this._tellUser(text));
    byId("table-board").replaceChildren(this.view.boardSide);
    byId("table-status").replaceChildren(this.view.status);
    byId("table-moves").replaceChildren(this.view.moves.element);
    this.chat = new ChatLog(byId("chat"), start.id);
    byId("typed").value = "";
    byId("typed").placeholder = typedExample(start.game);
    this.facts = [gameName(start.game), shown(start.time).text, start.rated === "yes" ? t`rated` : "", ...conductText(start.conduct)];
    this._facts();
    byId("table-page").href = `/games/${start.id}`;
    for (const place of ["offer", "presence", "table-note", "typed-fault"]) note(byId(place));
    this.acts = {
      draw: () => this._tell("draw"),
      takeback: () => this._tell("takeback"),
      abort: () => this._tell("abort"),
      resign: () => this._resign(),
      givetime: () => this._tell("givetime 15"),
      berserk: () => this._tell("berserk"),
      rematch: () => this._tell("rematch", t`You asked for a rematch.`),
      "claim-win": () => this._tell("claim win"),
      "claim-draw": () => this._tell("claim draw"),
      ignore: () => this._tell(`${this.ignored ? "unignore" : "ignore"} ${this.opponent}`),
      complain: () => complain(this.opponent, (line) => this.seat.say(line)),
      confirm: () => this._confirm(),
      unconfirm: () => this._unconfirm(),
      leave,
    };
    for (const [name, act] of Object.entries(this.acts)) byId(`act-${name}`).onclick = act;
    byId("confirm").onkeydown = (event) => { if (event.key === "Escape") this._unconfirm(); };
    byId("move-form").onsubmit = (event) => { event.preventDefault(); this._typed(); };
    byId("say-form").onsubmit = (event) => { event.preventDefault(); this._chat(); };
    this.ignoring(this.opponent, ignored.has(this.opponent));
    this._buttons();
    this._begin();
    callBack(t`A game begins`, this.opponentText);
  }

  close() {
    stopCalling();
    setTitle(t`Play`);
    this.premove.close();
    this._showConfirm("");
    clearTimeout(this.again);
    clearInterval(this.claimTimer);
    this.question = null;
    this.view.close();
  }

  /** @param {Object<string, string>} line of the lobby, about this game */
  hear(line) {
    const theirs = line.from !== this.seat.name;
    switch (line.line) {
      case "DrawOffer":
        this._offer(theirs ? t`${line.from} offers a draw. A move declines it.` : t`You offered a draw.`, theirs ? [t`Accept the draw`, "draw"] : null);
        break;
      case "TakebackOffer":
        this._offer(theirs ? t`${line.from} asks to take back ${pliesText(Number(line.plies))}. A move declines it.` : t`You asked to take back your last move.`,
          theirs ? [t`Grant it`, "takeback"] : null);
        break;
      case "DrawDecline": case "TakebackDecline":
        this._offer(theirs ? t`${line.from} declined.` : "", null);
        break;
      case "TakenBack":
        this._offer("", null);
        this.premove.drop(); // the player chose it for another position
        this._unconfirm();
        break;
      case "TimeGift": this._tellUser(t`${line.from} gave ${Number(line.ms) / 1000} s more.`); break;
      case "WentBerserk":
        this.berserk ||= !theirs;
        this._tellUser(theirs ? t`${line.from} goes berserk, with half the time.` : t`You play with half the time.`);
        this._buttons();
        break;
      case "Pause": this._tellUser(t`The server is being restarted. The clocks stand, and the game goes on afterwards.`); break;
      case "Resumption": this._tellUser(t`The server is back; nobody's clock has paid for that.`); break;
      case "OpponentState": this._presence(line); break;
      case "GameOver": this._ended(line); break;
      default:
    }
  }

  /** Ask the player for a move. */
  asked() {
    this.question = null;
    this._unconfirm();
    this.view.hurry();
    if (this.premove.text) this._askLegal(this.seat.plies, true);
    else this._call();
    this._changed();
  }

  /** Call a player who looks at another tab: it is the player's turn. */
  _call() {
    if (document.visibilityState === "visible") return;
    this._sound(this.seat.plies, "move"); // a hidden tab has no stream of the game
    callBack(t`Your move`, this.opponentText);
  }

  /** Play the sound of a move, once. @param {number} ply @param {string} name of the sound */
  _sound(ply, name) {
    if (ply <= this.heardPly) return;
    this.heardPly = ply;
    play(name);
  }

  /** Drop the question for a move, because the connection is lost: the server asks again on the next one. */
  lost() {
    this.question = null;
    this._unconfirm();
    this._changed();
  }

  /** @param {string} name @param {string} text */
  heard(name, text) {
    this.chat.add(name, text);
    say(t`${name} says: ${text}`);
  }

  /** @param {string} name @param {boolean} ignored whether this player's chat is hidden */
  ignoring(name, ignored) {
    if (name !== this.opponent) return;
    this.ignored = ignored;
    setText(byId("act-ignore"), ignored ? t`Hear the opponent again` : t`Ignore the opponent`);
  }

  /** @param {string} text why the server refused a command */
  fault(text) {
    this._tellUser(text);
    // The board shows a refused move as if it had been played.
    if (this.view.game) this.view.show(this.view.ply);
  }

  // Moves

  async _begin() {
    try {
      await this.view.start();
    } catch {
      this.again = setTimeout(() => this._begin(), RETRY_MS);
    }
  }

  _changed() {
    const { view } = this;
    if (!view.game) return;
    this.over ||= view.over;
    this._title();
    this._facts();
    this._buttons();
    const mine = !view.over && view.atEnd && this.seat.asked && view.turn === this.own;
    const ply = view.game.moves.length;
    if (this.unconfirmed && !view.atEnd) {
      this._showConfirm(""); // the move is not on the board any more
      this.question = null;
    }
    view.board.allowPremoves(this.over || view.over || !view.atEnd || this.unconfirmed ? "" : this.own);
    if (!mine) {
      if (!this.question?.ahead) this.question = null;
      view.board.allow([]);
    } else if (this.question?.ply !== ply) this._askLegal(ply);
  }

  _facts() {
    const spectators = this.over ? "" : spectatorsText(this.view.game?.spectators);
    setText(byId("table-facts"), [...this.facts, spectators].filter(Boolean).join(" · "));
  }

  /** Set the title for a player who looks at another tab. */
  _title() {
    const state = this.over ? t`Game over` : this.seat.asked ? t`Your move` : t`Playing`;
    setTitle(`${state}: ${this.opponentText}`);
  }

  /** Ask for the legal moves until there is an answer, or a question about another position. */
  async _askLegal(ply, ahead = false) {
    const question = (this.question = { ply, ahead });
    const unknown = this.view.game && !this.view.game.board.ranks.length; // typed moves only
    if (unknown && !this.premove.text) return;
    while (this.question === question) {
      try {
        const { moves, ply: at } = unknown ? { moves: [], ply } : await getJson(`/api/games/${this.id}/legal`);
        if (this.question !== question) return;
        if (at === ply) {
          const move = await this.premove.take(moves, (text) => this._parse(text, moves));
          if (this.question !== question) return;
          if (move) this._play(move);
          else if (ahead) {
            this._call();
            this.question = null;
            this._changed();
          } else this.view.board.allow(moves);
          return;
        } // else a moment too early
      } catch {
        // The connection may be lost: ask again.
      }
      await new Promise((done) => setTimeout(done, RETRY_MS));
    }
  }

  /** Let the server parse a typed text. In a game without a board no legal moves are known, and the text itself is the move.
   * @param {string} text @param {string[]} moves @returns {Promise<string|null>} */
  async _parse(text, moves) {
    try {
      const { move } = await getJson(`/api/games/${this.id}/parse?text=${encodeURIComponent(text)}`);
      return move ?? (moves.length ? null : text);
    } catch (error) {
      if (error.status === 400) return null; // too long for a move
      throw error;
    }
  }

  /** Take a move from the board: send it at once, or after its confirmation. @param {string} move */
  _chosen(move) {
    if (!setting("confirm")) {
      this._play(move);
      return;
    }
    this._showConfirm(move);
    this._changed();
    byId("act-confirm").focus({ preventScroll: true });
    say(t`${move}: confirm or take it back.`);
  }

  _showConfirm(move) {
    this.unconfirmed = move;
    byId("confirm").hidden = !move;
    setText(byId("confirm-text"), move ? t`Play ${move}?` : "");
  }

  _confirm() {
    const move = this.unconfirmed;
    this._showConfirm("");
    this.view.board.focusSquare();
    if (move) this._play(move);
  }

  _unconfirm() {
    if (!this.unconfirmed) return;
    const focused = byId("confirm").contains(document.activeElement);
    this._showConfirm("");
    this.question = null;
    this.view.show(this.view.ply);
    if (focused) this.view.board.focusSquare();
  }

  _play(move) {
    note(byId("typed-fault"));
    this._offer("", null);
    const ply = this.question?.ply ?? this.view.game.moves.length;
    stopCalling();
    if (this.seat.move(move)) {
      this.question = { ply }; // the move has answered it
      this._title();
      this._changed();
    } else {
      this._tellUser(t`The move could not be sent; try it again in a moment.`);
      this.question = null;
      this.view.show(this.view.ply);
    }
  }

  async _typed() {
    const field = byId("typed"), text = oneLine(field.value);
    if (!text) return;
    if (this.over) {
      this._wrong(t`The game is over.`);
      return;
    }
    if (!this.seat.asked || this.view.turn !== this.own) {
      note(byId("typed-fault"));
      field.value = "";
      this.premove.choose(text, true);
      return;
    }
    try {
      const { move, why } = await getJson(`/api/games/${this.id}/parse?text=${encodeURIComponent(text)}`);
      const known = this.view.game.board.ranks.length > 0;
      if (!move && known) {
        this._wrong(why || t`${text} is no legal move here.`);
        return;
      }
      field.value = "";
      this._play(move ?? text);
    } catch (error) {
      this._wrong(error.message);
    }
  }

  _wrong(text) {
    note(byId("typed-fault"), text);
    say(text);
  }

  // Other commands

  _tell(line, done = "") {
    if (!this.seat.say(line)) this._tellUser(t`The connection is lost; try it again in a moment.`);
    else if (done) note(byId("table-note"), done);
  }

  async _resign() {
    if (await confirmed(t`Resign this game?`, t`Resign`, t`Play on`)) this._tell("resign");
  }

  _chat() {
    const field = byId("said"), text = oneLine(field.value);
    if (!text || !this.seat.say(`say ${text}`)) return;
    this.chat.add(this.seat.name, text);
    field.value = "";
  }

  _offer(text, answer) {
    const place = byId("offer");
    const focused = place.contains(document.activeElement);
    place.hidden = !text;
    place.replaceChildren(text, ...(answer ? [make("button", { type: "button", class: "primary", onclick: () => this._tell(answer[1]) }, answer[0])] : []));
    if (text && answer) say(text);
    if (focused && !place.querySelector("button")) this.view.status.focus();
  }

  _presence(line) {
    clearInterval(this.claimTimer);
    const text = OPPONENT[line.state] ?? "";
    const until = line["claim-in"] === undefined ? null : serverNow() + Number(line["claim-in"]);
    const show = () => {
      const left = until === null ? null : until - serverNow();
      const claim = left !== null && left > 0 ? t` You may claim the game in ${clockText(left)}.` : left !== null ? t` You may claim the game now.` : "";
      note(byId("presence"), text && text + claim);
      byId("claims").hidden = left === null || left > 0 || this.over;
    };
    show();
    say(text);
    if (until !== null && line.state !== "back") this.claimTimer = setInterval(show, RETRY_MS);
    if (line.state === "back") {
      byId("claims").hidden = true;
      this.claimTimer = setTimeout(() => note(byId("presence")), 5000);
    }
  }

  _ended(line) {
    this.over = true;
    clearInterval(this.claimTimer);
    for (const place of ["offer", "presence", "table-note"]) note(byId(place));
    byId("claims").hidden = true;
    this.question = null;
    this.premove.drop();
    this._showConfirm("");
    this.view.board.allowPremoves("");
    this.view.board.allow([]);
    play("end");
    callBack(t`Game over`, this.opponentText);
    if (!this.view.over && this.view.game) {
      setText(this.view.status, resultText({ ...line, rules: this.view.game.rules }));
    }
    this._buttons();
    const mine = { "1-0": "white", "0-1": "black" }[line.result];
    const verdict = mine === this.own ? t`You won.` : mine ? t`You lost.` : line.result === "1/2-1/2" ? t`A draw.` : t`No result.`;
    note(byId("table-note"), verdict);
    say(verdict);
  }

  _tellUser(text) {
    note(byId("table-note"), text);
    say(text);
  }

  _buttons() {
    const { moves, book } = this.view.game ?? { moves: [], book: 0 };
    const plies = moves.length - book, unknown = !this.view.game; // without those of the opening
    const focused = document.activeElement;
    const hidden = {
      draw: this.over, resign: this.over, givetime: this.over, takeback: this.over || plies < 1, abort: this.over || unknown || plies > 1,
      berserk: this.over || unknown || this.berserk || moves.slice(book).some((move) => move.side === this.own), rematch: !this.over, leave: !this.over,
    };
    for (const [name, hides] of Object.entries(hidden)) byId(`act-${name}`).hidden = hides || !permits(name, this.conduct);
    byId("table-page").hidden = !this.over;
    byId("move-form").hidden = this.over;
    if (focused instanceof HTMLElement && focused !== document.body && focused.closest("[hidden]")) this.view.status.focus();
  }
}

/** A game that one plays: the board takes moves, and beside it is what else may be said. */

import { getJson, serverNow } from "./api.js";
import { confirmed } from "./choice.js";
import { byId, make, note, say, setText } from "./dom.js";
import { GameView } from "./gameview.js";
import { oneLine } from "./lobby.js";
import { clockText, conductText, gameName, permits, playerName, pliesText, resultText, typedExample } from "./words.js";

const RETRY_MS = 1000;
const CHAT_MAX = 200; // lines that are kept on the screen
const OPPONENT = {
  away: "Your opponent's connection is lost; the clock runs on.", back: "Your opponent is back.",
  hung: "Your opponent's program does not answer.", "line-down": "Your opponent's connection is slow or lost.",
  gone: "Your opponent has left.",
};

/** @typedef {import("./seat.js").Seat} Seat */

export class Table {
  /** @param {Seat} seat @param {Object<string, string>} start the lobby's line @param {{has: (name: string) => boolean}} ignored names
   * @param {() => void} leave */
  constructor(seat, start, ignored, leave) {
    this.seat = seat;
    this.id = start.id;
    this.own = start.white === seat.name ? "white" : "black";
    this.opponent = this.own === "white" ? start.black : start.white;
    /** for people: with the level of an engine of the server */
    this.opponentText = playerName({ name: this.opponent, level: start[this.own === "white" ? "black-level" : "white-level"] });
    /** the question for the legal moves of the position in which a move is wanted; anew for each @type {{ply: number}|null} */
    this.question = null;
    this.conduct = start.conduct;
    /** whether this player plays with half the time */
    this.berserk = false;
    this.over = false;
    this.view = new GameView(start.id, { own: this.own, onChange: () => this._changed() });
    this.view.board.addEventListener("move", (event) => this._play(event.detail));
    byId("table-board").replaceChildren(this.view.boardSide);
    byId("table-status").replaceChildren(this.view.status);
    byId("table-moves").replaceChildren(this.view.moves.element);
    byId("chat").replaceChildren();
    byId("typed").value = "";
    byId("typed").placeholder = typedExample(start.game);
    setText(byId("table-facts"), [gameName(start.game), start.time, start.rated === "yes" ? "rated" : "", ...conductText(start.conduct)]
      .filter(Boolean).join(" · "));
    byId("table-page").href = `/games/${start.id}`;
    for (const place of ["offer", "presence", "table-note", "typed-fault"]) note(byId(place));
    this.acts = {
      draw: () => this._tell("draw"),
      takeback: () => this._tell("takeback"),
      abort: () => this._tell("abort"),
      resign: () => this._resign(),
      givetime: () => this._tell("givetime 15"),
      berserk: () => this._tell("berserk"),
      rematch: () => this._tell("rematch", "You asked for a rematch."),
      "claim-win": () => this._tell("claim win"),
      "claim-draw": () => this._tell("claim draw"),
      ignore: () => this._tell(`${this.ignored ? "unignore" : "ignore"} ${this.opponent}`),
      leave,
    };
    for (const [name, act] of Object.entries(this.acts)) byId(`act-${name}`).onclick = act;
    byId("move-form").onsubmit = (event) => { event.preventDefault(); this._typed(); };
    byId("say-form").onsubmit = (event) => { event.preventDefault(); this._chat(); };
    this.ignoring(this.opponent, ignored.has(this.opponent));
    this._buttons();
    this._begin();
  }

  close() {
    document.title = "Play";
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
        this._offer(theirs ? `${line.from} offers a draw. A move declines it.` : "You offered a draw.", theirs ? ["Accept the draw", "draw"] : null);
        break;
      case "TakebackOffer":
        this._offer(theirs ? `${line.from} asks to take back ${pliesText(Number(line.plies))}. A move declines it.` : "You asked to take back your last move.",
          theirs ? ["Grant it", "takeback"] : null);
        break;
      case "DrawDecline": case "TakebackDecline":
        this._offer(theirs ? `${line.from} declined.` : "", null);
        break;
      case "TakenBack": this._offer("", null); break;
      case "TimeGift": this._tellUser(`${line.from} gave ${Number(line.ms) / 1000} s more.`); break;
      case "WentBerserk":
        this.berserk ||= !theirs;
        this._tellUser(theirs ? `${line.from} goes berserk, with half the time.` : "You play with half the time.");
        this._buttons();
        break;
      case "Pause": this._tellUser("The server is being restarted. The clocks stand, and the game goes on afterwards."); break;
      case "Resumption": this._tellUser("The server is back; nobody's clock has paid for that."); break;
      case "OpponentState": this._presence(line); break;
      case "GameOver": this._ended(line); break;
      default:
    }
  }

  /** A move is wanted. */
  asked() {
    this.question = null;
    this.view.hurry();
    this._changed();
  }

  /** The line is lost, and with it the question for a move: it is asked again when the line is back. */
  lost() {
    this._changed();
  }

  /** @param {string} name @param {string} text */
  heard(name, text) {
    this._line(name, text);
    say(`${name} says: ${text}`);
  }

  /** @param {string} name @param {boolean} ignored whether nothing that this player says is heard any more */
  ignoring(name, ignored) {
    if (name !== this.opponent) return;
    this.ignored = ignored;
    setText(byId("act-ignore"), ignored ? "Hear the opponent again" : "Ignore the opponent");
  }

  /** @param {string} text why something was not done */
  fault(text) {
    this._tellUser(text);
    // A move that was not taken stands on the board as if it had been.
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
    this._buttons();
    const mine = !view.over && view.atEnd && this.seat.asked && view.turn === this.own;
    const ply = view.game.moves.length;
    if (!mine) {
      this.question = null;
      view.board.allow([]);
    } else if (this.question?.ply !== ply) this._askLegal(ply);
  }

  /** For who looks at another tab. */
  _title() {
    const state = this.over ? "Game over" : this.seat.asked ? "Your move" : "Playing";
    document.title = `${state}: ${this.opponentText}`;
  }

  /** Until it is answered, or another position is asked about. */
  async _askLegal(ply) {
    const question = (this.question = { ply });
    if (!this.view.game.board.ranks.length) return; // typed moves only
    while (this.question === question) {
      try {
        const { moves, ply: at } = await getJson(`/api/games/${this.id}/legal`);
        if (this.question !== question) return;
        if (at === ply) {
          this.view.board.allow(moves);
          return;
        } // else a moment too early
      } catch {
        // The line is lost, perhaps: it is asked again.
      }
      await new Promise((done) => setTimeout(done, RETRY_MS));
    }
  }

  _play(move) {
    note(byId("typed-fault"));
    this._offer("", null);
    if (this.seat.move(move)) {
      this.question = { ply: this.view.game.moves.length }; // which is answered
      this._title();
    } else {
      this._tellUser("The move could not be sent; try it again in a moment.");
      this.question = null;
      this.view.show(this.view.ply);
    }
  }

  async _typed() {
    const field = byId("typed"), text = oneLine(field.value);
    if (!text) return;
    if (!this.seat.asked || this.view.turn !== this.own) {
      this._wrong(this.over ? "The game is over." : "It is not your move.");
      return;
    }
    try {
      const { move, why } = await getJson(`/api/games/${this.id}/parse?text=${encodeURIComponent(text)}`);
      const known = this.view.game.board.ranks.length > 0;
      if (!move && known) {
        this._wrong(why || `${text} is no legal move here.`);
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

  // What else is said

  _tell(line, done = "") {
    if (!this.seat.say(line)) this._tellUser("The connection is lost; try it again in a moment.");
    else if (done) note(byId("table-note"), done);
  }

  async _resign() {
    if (await confirmed("Resign this game?", "Resign", "Play on")) this._tell("resign");
  }

  _chat() {
    const field = byId("said"), text = oneLine(field.value);
    if (!text || !this.seat.say(`say ${text}`)) return;
    this._line(this.seat.name, text);
    field.value = "";
  }

  _line(name, text) {
    const log = byId("chat");
    log.append(make("li", {}, make("b", {}, name), ` ${text}`));
    while (log.children.length > CHAT_MAX) log.firstChild.remove();
    log.scrollTop = log.scrollHeight;
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
      const claim = left !== null && left > 0 ? ` You may claim the game in ${clockText(left)}.` : left !== null ? " You may claim the game now." : "";
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
    this.view.board.allow([]);
    if (!this.view.over && this.view.game) {
      setText(this.view.status, resultText({ ...line, rules: this.view.game.rules }));
    }
    this._buttons();
    const mine = { "1-0": "white", "0-1": "black" }[line.result];
    const verdict = mine === this.own ? "You won." : mine ? "You lost." : line.result === "1/2-1/2" ? "A draw." : "No result.";
    note(byId("table-note"), verdict);
    say(verdict);
  }

  _tellUser(text) {
    note(byId("table-note"), text);
    say(text);
  }

  _buttons() {
    const { moves, book } = this.view.game ?? { moves: [], book: 0 };
    const plies = moves.length - book; // which the players made
    const focused = document.activeElement;
    const hidden = {
      draw: this.over, resign: this.over, givetime: this.over, takeback: this.over || plies < 1, abort: this.over || plies > 1,
      berserk: this.over || this.berserk || moves.slice(book).some((move) => move.side === this.own), rematch: !this.over, leave: !this.over,
    };
    for (const [name, hides] of Object.entries(hidden)) byId(`act-${name}`).hidden = hides || !permits(name, this.conduct);
    byId("table-page").hidden = !this.over;
    byId("move-form").hidden = this.over;
    if (focused instanceof HTMLElement && focused !== document.body && focused.closest("[hidden]")) this.view.status.focus();
  }
}

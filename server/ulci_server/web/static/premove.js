/** Premoves: a player chooses one while the opponent thinks, and the page sends it when the turn comes. */

import { askPromotion } from "./choice.js";
import { note, say } from "./dom.js";
import { readMove } from "./squares.js";
import { t } from "./texts.js";

/** @param {string} text a move without its promotion @param {string[]} moves legal ones */
function matching(text, moves) {
  const wanted = readMove(text);
  if (moves.includes(text)) return [text];
  if (!wanted) return [];
  return moves.filter((move) => {
    const read = readMove(move);
    return read && read.from === wanted.from && read.to === wanted.to && read.drop === wanted.drop && !wanted.promotion;
  });
}

export class Premove {
  /** @param {import("./board.js").UlciBoard} board @param {"white"|"black"} own
   * @param {{banner: HTMLElement, text: HTMLElement, button: HTMLElement}} places show the premove, and cancel it
   * @param {(text: string) => void} tell shows why the premove was dropped */
  constructor(board, own, places, tell) {
    this.board = board;
    this.own = own;
    this.places = places;
    this.tell = tell;
    /** a move, or the typed text; "": no premove */
    this.text = "";
    this.typed = false;
    board.addEventListener("premove", (event) => (event.detail ? this.choose(event.detail) : this.takeBack()));
    places.button.onclick = () => this.takeBack();
    this._keys = (event) => {
      if (event.key !== "Escape" || !this.text || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      this.takeBack();
    };
    document.addEventListener("keydown", this._keys);
    this._show();
  }

  close() {
    document.removeEventListener("keydown", this._keys);
    this.drop();
  }

  /** @param {string} text @param {boolean} [typed] */
  choose(text, typed = false) {
    this.text = text;
    this.typed = typed;
    this._show();
    say(t`Premove ${text}. Escape takes it back.`);
  }

  takeBack() {
    if (!this.text) return;
    this.drop();
    say(t`The premove is taken back.`);
  }

  /** Drop the premove silently. */
  drop() {
    this.text = "";
    this._show();
  }

  /**
   * Take the premove, because the player's turn has come.
   * @param {string[]} moves the legal ones @param {(text: string) => Promise<string|null>} parse reads a typed text
   * @returns {Promise<string|null>} the move; null: there is no premove, or it is not legal
   */
  async take(moves, parse) {
    const { text, typed } = this;
    if (!text) return null;
    let found = matching(text, moves);
    if (!found.length && typed) found = [await parse(text)].filter((move) => move !== null);
    if (this.text !== text) return null; // cancelled meanwhile
    this.drop();
    if (found.length > 1) {
      const letters = found.map((move) => readMove(move)?.promotion ?? "");
      const queen = letters.indexOf("q");
      const letter = queen < 0 ? await askPromotion(letters, this.own === "white", this.board.rules) : "q";
      if (letter === null) return null;
      return found[letters.indexOf(letter)];
    }
    if (!found.length) this.tell(t`Your premove ${text} is not possible any more.`);
    return found[0] ?? null;
  }

  _show() {
    const move = this.text && readMove(this.text);
    this.board.markPremove(move ? this.text : "");
    const { banner, text, button } = this.places;
    const focused = banner.contains(document.activeElement);
    note(text, this.text ? t`Premove: ${this.text}` : "");
    banner.hidden = button.hidden = !this.text;
    if (focused && !this.text) this.board.focusSquare();
  }
}

/** The moves that were played in a position in games of this server. It asks only while its part of the page is open. */

import { postJson } from "./postjson.js";
import { byId, make, note } from "./dom.js";
import { t } from "./texts.js";

const AGAIN_MS = 1000; // while the server is still reading its games
const SOON_MS = 250; // before a question: a person who steps through a game asks only where they stop

export class ExplorerView {
  /** @param {(move: any) => void} play called with the move that the person chooses */
  constructor(play) {
    this.play = play;
    this.part = byId("explorer-part");
    this.part.addEventListener("toggle", () => this._later(0));
  }

  /** @param {{rules: string, start: string|null, moves: string[]}} question about the shown position */
  show(question) {
    this.question = question;
    this._later(SOON_MS);
  }

  _later(ms) {
    clearTimeout(this.timer);
    if (this.part.open && this.question) this.timer = setTimeout(() => this._ask(), ms);
  }

  async _ask() {
    const { question } = this;
    try {
      const found = await postJson("/api/analysis/explorer", question);
      if (question !== this.question) return;
      byId("explored").replaceChildren(...found.moves.map((move) => this._row(move)));
      byId("explored-table").hidden = !found.moves.length;
      const none = question.moves.length >= found.plies ? t`Of each game the first ${found.plies} plies are known.` : t`No game of this server went on from here.`;
      note(byId("explored-note"), !found.whole ? t`Older games are still being read.` : found.moves.length ? "" : none);
      if (!found.whole) this._later(AGAIN_MS);
    } catch (error) {
      if (question === this.question) note(byId("explored-note"), error.message);
    }
  }

  _row(move) {
    const part = (side) => make("span", { class: side });
    const bar = make("div", { class: "results", "aria-hidden": "true" });
    for (const side of ["white", "drawn", "black"]) {
      const piece = part(side);
      piece.style.width = `${(100 * move[side]) / move.games}%`;
      bar.append(piece);
    }
    const text = t`${move.white} won by White, ${move.drawn} drawn, ${move.black} won by Black`;
    return make("tr", {},
      make("th", { scope: "row" }, make("button", { type: "button", onclick: () => this.play(move.move) }, move.san)),
      make("td", { class: "number" }, String(move.games)),
      make("td", { title: text }, bar, make("span", { class: "visually-hidden" }, text)));
  }
}

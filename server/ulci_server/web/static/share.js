/** Shares a game: a link to the shown position, and the position as text. */

import { getJson } from "./api.js";
import { forget, give, tell } from "./clipboard.js";
import { byId } from "./dom.js";
import { t } from "./texts.js";
import { hasStones } from "./words.js";
import { GAMES } from "./tables.js";

export class Share {
  /** @param {import("./gameview.js").GameView} view */
  constructor(view) {
    this.view = view;
    byId("copy-link").addEventListener("click", () => give(this.link(), t`The link is copied.`));
    byId("copy-position").addEventListener("click", () => this._position());
    byId("share").hidden = false;
  }

  /** @returns {string} the address of the shown position */
  link() {
    const { id, ply, atEnd } = this.view;
    return `${location.origin}/games/${id}${atEnd ? "" : `?ply=${ply}`}`;
  }

  /** Follow the view to another position. */
  changed() {
    const { id, ply, game, over } = this.view;
    byId("analyse").href = `/analysis?game=${id}&ply=${ply}`;
    byId("analyse").hidden = !over || !(game.rules in GAMES); // in a running game it would help a player
    byId("copy-position").hidden = !game.board.ranks.length;
    byId("copy-position").textContent = hasStones(game.rules) ? t`Copy the position` : t`Copy the FEN`;
    forget();
  }

  async _position() {
    try {
      const { fen } = await getJson(`/api/games/${this.view.id}/position?ply=${this.view.ply}`);
      if (fen) await give(fen, t`The position is copied.`);
    } catch (error) {
      tell(error.message);
    }
  }
}

/** The running games: small boards for the first ones, lines of text for the others. */

import "./board.js";
import { getJson } from "./api.js";
import { byId, fill, make, setText } from "./dom.js";
import { bothLinks } from "./people.js";
import { t } from "./texts.js";
import { shown } from "./timechoice.js";
import { clockText, gameName, playerName, pliesText, scoreText } from "./words.js";

const BOARDS = 6;
export const BOARD_EVERY_MS = 2000; // between two reads of a small board, at least

/** @typedef {{id: number, white: {name: string}, black: {name: string}, rules?: string, control?: string, plies?: number}} Running
 * @typedef {{card: HTMLElement, board: any, plies: HTMLElement, state?: HTMLElement, timer?: any}} Place */

/** The clocks of a game, and the analysis of the engine that moved last. @param {any} game */
function stateText({ clocks, moves }) {
  const move = moves.at(-1), score = move ? scoreText(move.score_cp, move.score_mate) : "";
  const times = clocks && clocks.white_ms !== null && clocks.black_ms !== null
    ? `${clockText(clocks.white_ms)} – ${clockText(clocks.black_ms)}` : "";
  return [times, score].filter(Boolean).join(" · ");
}

/** @param {HTMLElement} list @param {Place[]} places */
function showPlaces(list, places) {
  list.hidden = !places.length;
  fill(list, places.map(({ card: element }) => element));
}

export class GameGrid {
  /** Fills the lists `boards` and `rows` of the page. */
  constructor() {
    /** @type {Map<number|string, Place>} */
    this.shown = new Map();
  }

  /** @param {Running[]} games all running games, in their order */
  show(games) {
    const known = new Set(games.map(({ id }) => id));
    for (const [id, place] of this.shown) {
      if (known.has(/** @type {number} */ (id))) continue;
      clearTimeout(place.timer);
      this.shown.delete(id);
    }
    let boards = [...this.shown.values()].filter(({ board }) => board).length;
    for (const game of games) {
      if (!this.shown.has(game.id)) {
        const small = boards < BOARDS;
        this.shown.set(game.id, small ? card(game) : row(game));
        if (small) { boards += 1; this.read(game.id, 0); }
      }
      if (game.plies !== undefined) setText(this.shown.get(game.id).plies, pliesText(game.plies));
    }
    const places = games.map(({ id }) => this.shown.get(id));
    showPlaces(byId("boards"), places.filter(({ board }) => board));
    showPlaces(byId("rows"), places.filter(({ board }) => !board));
  }

  /** Whether that game has the focus. @param {number|string} id */
  hasFocus(id) {
    return !!this.shown.get(id)?.card.contains(document.activeElement);
  }

  /** Read a game after a move, if it has a board. @param {number|string} id */
  read(id, pause = BOARD_EVERY_MS) {
    const place = this.shown.get(id);
    if (!place?.board || place.timer) return;
    place.timer = setTimeout(async () => {
      place.timer = undefined;
      try {
        const game = await getJson(`/api/games/${id}`);
        place.board.rules = game.rules;
        place.board.show(game.board, game.moves.at(-1)?.move ?? "");
        setText(place.plies, pliesText(game.plies));
        if (place.state) setText(place.state, stateText(game));
      } catch {
        // The next move reads it again.
      }
    }, pause);
  }
}

/** @param {Running} game @returns {Place} */
function card(game) {
  const names = namesText(game);
  const plies = make("span", { class: "quiet" }), state = make("span", { class: "quiet figures" });
  const board = make("ulci-board", { mini: true, label: t`Position of ${names}` });
  if (game.rules) board.rules = game.rules;
  const element = make("li", { class: "game-card" }, make("a", { class: "game-link", href: `/games/${game.id}`, "aria-label": t`Position of ${names}` }, board),
    make("span", { class: "game-names" }, bothLinks(game)), kind(game), plies, state);
  return { card: element, board, plies, state };
}

/** @param {Running} game @returns {Place} */
function row(game) {
  const plies = make("span", { class: "quiet" });
  const what = kind(game) ?? make("span", { class: "quiet" }, t`The game`);
  const label = `${what.textContent}, ${namesText(game)}`;
  const element = make("li", { class: "game-row" }, make("span", { class: "game-names" }, bothLinks(game)),
    make("a", { class: "game-link", href: `/games/${game.id}`, "aria-label": label }, what), plies);
  return { card: element, board: null, plies };
}

/** @param {Running} game */
const namesText = ({ white, black }) => `${playerName(white)} – ${playerName(black)}`;

/** @param {Running} game */
const kind = ({ rules, control }) => (rules ? make("span", { class: "quiet" }, `${gameName(rules)} · ${shown(control).text}`) : null);

/** Running games: small boards of the first ones, lines of text for the others. */

import "./board.js";
import { getJson } from "./api.js";
import { byId, make, setText } from "./dom.js";
import { clockText, gameName, playerName, pliesText, scoreText } from "./words.js";

const BOARDS = 6;
export const BOARD_EVERY_MS = 2000; // a small board is read anew at most so often

/** @typedef {{id: number, white: {name: string}, black: {name: string}, rules?: string, control?: string, plies?: number}} Running
 * @typedef {{card: HTMLElement, board: any, plies: HTMLElement, state?: HTMLElement, timer?: any}} Place */

/** What their clocks show, and what the last engine that moved thought of it. @param {any} game */
function stateText({ clocks, moves }) {
  const move = moves.at(-1), score = move ? scoreText(move.score_cp, move.score_mate) : "";
  const times = clocks && clocks.white_ms !== null && clocks.black_ms !== null
    ? `${clockText(clocks.white_ms)} – ${clockText(clocks.black_ms)}` : "";
  return [times, score].filter(Boolean).join(" · ");
}

/** Put these children there, but leave alone what is right already: focus stays. @param {HTMLElement} list @param {Node[]} children */
function fill(list, children) {
  list.hidden = !children.length;
  const right = children.length === list.children.length && children.every((child, at) => list.children[at] === child);
  if (!right) list.replaceChildren(...children);
}

export class GameGrid {
  /** In the lists `boards` and `rows` of the page. */
  constructor() {
    /** @type {Map<number|string, Place>} */
    this.shown = new Map();
  }

  /** @param {Running[]} games all that run, in their order */
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
    fill(byId("boards"), places.filter(({ board }) => board).map((place) => place.card));
    fill(byId("rows"), places.filter(({ board }) => !board).map((place) => place.card));
  }

  /** Whether the focus is on that game. @param {number|string} id */
  hasFocus(id) {
    return !!this.shown.get(id)?.card.contains(document.activeElement);
  }

  /** A move was made: read the game, if it has a board. @param {number|string} id */
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
        // The next move asks again.
      }
    }, pause);
  }
}

/** @param {Running} game @returns {Place} */
function card(game) {
  const names = `${playerName(game.white)} – ${playerName(game.black)}`;
  const plies = make("span", { class: "quiet" }), state = make("span", { class: "quiet figures" });
  const board = make("ulci-board", { mini: true, label: `Position of ${names}` });
  if (game.rules) board.rules = game.rules;
  const element = make("li", {}, make("a", { class: "game-card", href: `/games/${game.id}` },
    board, make("span", { class: "game-names" }, names), kind(game), plies, state));
  return { card: element, board, plies, state };
}

/** @param {Running} game @returns {Place} */
function row(game) {
  const plies = make("span", { class: "quiet" });
  const element = make("li", {}, make("a", { class: "game-row", href: `/games/${game.id}` },
    make("span", { class: "game-names" }, `${playerName(game.white)} – ${playerName(game.black)}`), kind(game), plies));
  return { card: element, board: null, plies };
}

/** @param {Running} game */
const kind = ({ rules, control }) => (rules ? make("span", { class: "quiet" }, `${gameName(rules)} · ${control}`) : null);

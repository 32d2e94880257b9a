/** The choice of a game: cards with a picture of the start and a sentence. A click opens the games without a pool. */

import { draw, make } from "./dom.js";
import { pieceImage } from "./piece.js";
import { GAMES } from "./tables.js";
import { t, translated } from "./texts.js";
import { gameName, hasStones } from "./words.js";

/** A small picture of a position. @param {string[]} ranks @param {string} rules @returns {SVGElement} */
function boardImage(ranks, rules) {
  const height = ranks.length, width = ranks[0].length, plain = hasStones(rules);
  const image = draw("svg", { viewBox: `0 0 ${width} ${height}`, class: "game-board" }, draw("rect", { width, height, class: "light-squares" }));
  ranks.forEach((rank, y) => [...rank].forEach((letter, x) => {
    if (plain) image.append(draw("path", { d: `M${x} ${y}h1v1h-1z`, class: "lines" }));
    else if ((x + y + height) % 2 === 1) image.append(draw("rect", { x, y, width: 1, height: 1, class: "dark-squares" }));
    if (letter === ".") return;
    const piece = pieceImage(letter, rules);
    for (const [key, value] of Object.entries({ x, y, width: 1, height: 1 })) piece.setAttribute(key, String(value));
    image.append(piece);
  }));
  return image;
}

/** The picture for a game whose board is not known here. @param {string} name @returns {SVGElement} */
function initialImage(name) {
  const text = draw("text", { x: 4, y: 5.4, "text-anchor": "middle", "font-size": 4, "font-weight": 700, class: "initial" });
  text.textContent = gameName(name).charAt(0).toUpperCase();
  return draw("svg", { viewBox: "0 0 8 8", class: "game-board" }, draw("rect", { width: 8, height: 8, class: "light-squares" }), text);
}

/** @param {string} name @param {boolean} chosen */
function card(name, chosen) {
  const game = GAMES[name];
  const picture = make("span", { class: "game-picture", "aria-hidden": "true" });
  picture.append(game?.ranks?.length ? boardImage(game.ranks, name) : initialImage(name));
  return make("label", { class: "game-choice" },
    make("input", { type: "radio", name: "game", value: name, checked: chosen }),
    picture,
    make("span", {}, make("b", {}, gameName(name)), make("span", { class: "quiet" }, game?.about ? ` ${translated(game.about)}` : "")));
}

/** @param {HTMLElement} place @param {string[]} first the games of the server's pools @param {string[]} names all games */
export function offerGames(place, first, names) {
  const others = names.filter((name) => !first.includes(name));
  place.replaceChildren(make("div", { class: "game-choices" }, ...first.map((name, at) => card(name, at === 0))));
  if (!others.length) return;
  // A board has dozens of elements: the cards of the other games are drawn when the person opens their list.
  const more = make("div", { class: "game-choices" });
  place.append(make("details", {
    id: "more-games",
    ontoggle: () => { if (!more.children.length) more.replaceChildren(...others.map((name) => card(name, false))); },
  }, make("summary", {}, t`${others.length} more games`), more));
}

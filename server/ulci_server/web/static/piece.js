/** Pictures of pieces: a symbol of pieces.svg, or a disc with the letter for a piece of an unknown game. */

import { draw } from "./dom.js";
import { symbolOf } from "./words.js";

const SPRITE = "/static/pieces.svg";

/** Where the symbols are. In a frame whose `sandbox` takes its origin away, only those of the page itself are shown. */
const place = self.origin === "null" ? "" : SPRITE;
if (!place) {
  fetch(SPRITE).then((answer) => answer.text()).then((text) => {
    const sprite = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    sprite.setAttribute("class", "visually-hidden");
    sprite.setAttribute("aria-hidden", "true");
    document.body.append(document.adoptNode(sprite));
  }).catch(() => {}); // the names of the pieces are there all the same
}

/** @param {string} letter upper case for White @param {string} rules @returns {SVGElement} */
export function pieceImage(letter, rules) {
  const white = letter === letter.toUpperCase();
  const image = draw("svg", {
    viewBox: "0 0 45 45", "aria-hidden": "true", focusable: "false", class: `piece ${white ? "white" : "black"}`,
  });
  const symbol = symbolOf(letter, rules);
  if (symbol) {
    image.append(draw("use", { href: `${place}#${symbol}` }));
  } else {
    const name = draw("text", { x: 22.5, y: 30, "text-anchor": "middle", class: "letter" });
    name.textContent = letter.toUpperCase();
    image.append(draw("circle", { cx: 22.5, cy: 22.5, r: 16, "stroke-width": 2 }), name);
  }
  return image;
}

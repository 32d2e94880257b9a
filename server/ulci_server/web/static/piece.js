/** Pictures of pieces: a symbol of pieces.svg, or a disc with the letter for a piece of an unknown game. */

import { draw } from "./dom.js";
import { symbolOf } from "./words.js";

/** @param {string} letter upper case for White @param {string} rules @returns {SVGElement} */
export function pieceImage(letter, rules) {
  const white = letter === letter.toUpperCase();
  const image = draw("svg", {
    viewBox: "0 0 45 45", "aria-hidden": "true", focusable: "false", class: `piece ${white ? "white" : "black"}`,
  });
  const symbol = symbolOf(letter, rules);
  if (symbol) {
    image.append(draw("use", { href: `/static/pieces.svg#${symbol}` }));
  } else {
    const name = draw("text", { x: 22.5, y: 30, "text-anchor": "middle", class: "letter" });
    name.textContent = letter.toUpperCase();
    image.append(draw("circle", { cx: 22.5, cy: 22.5, r: 16, "stroke-width": 2 }), name);
  }
  return image;
}

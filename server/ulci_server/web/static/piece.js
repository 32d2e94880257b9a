/** Pictures of pieces: a symbol of pieces.svg, or the letter, on a disc for White and on a tile for Black. People can choose
 * letters; the pieces of an unknown game always have them. */

import { draw } from "./dom.js";
import { setting } from "./settings.js";
import { t } from "./texts.js";
import { hasStones, symbolOf } from "./words.js";

const SPRITE = new URL("./pieces.svg", import.meta.url).pathname;

/** The address of the symbols. In a frame whose `sandbox` takes its origin away, a browser shows only those in the page itself. */
const place = self.origin === "null" ? "" : SPRITE;
if (!place) {
  fetch(SPRITE).then((answer) => answer.text()).then((text) => {
    const sprite = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    sprite.setAttribute("class", "visually-hidden");
    sprite.setAttribute("aria-hidden", "true");
    document.body.append(document.adoptNode(sprite));
  }).catch(() => {}); // screen readers have the names of the pieces even so
}

/** @param {string} letter upper case for White @param {string} rules @returns {SVGElement} */
export function pieceImage(letter, rules) {
  const white = letter === letter.toUpperCase();
  const image = draw("svg", {
    viewBox: "0 0 45 45", "aria-hidden": "true", focusable: "false", class: `piece ${white ? "white" : "black"}`,
  });
  const symbol = symbolOf(letter, rules);
  if (symbol && (setting("pieces") !== "letters" || hasStones(rules))) {
    image.append(draw("use", { href: `${place}#${symbol}` }));
  } else {
    const name = draw("text", { x: 22.5, y: 30.5, "text-anchor": "middle", class: "letter" });
    name.textContent = letter.toUpperCase();
    const ground = white ? draw("circle", { cx: 22.5, cy: 22.5, r: 17, "stroke-width": 2 })
      : draw("rect", { x: 6.5, y: 6.5, width: 32, height: 32, rx: 5, "stroke-width": 2 });
    image.append(ground, name);
  }
  return image;
}

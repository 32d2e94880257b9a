/** In the head of each page but the one that plays: "Back to your game", and "Play" where one may play here. */

import { getJson } from "./api.js";
import { make } from "./dom.js";
import { gameToReturnTo } from "./runninggame.js";
import { t } from "./texts.js";

const place = document.querySelector("header.site nav") ?? document.querySelector("header.site");
const play = place?.querySelector("a.play");
if (place && self === top) {
  gameToReturnTo().then((game) => {
    if (game) place.prepend(make("a", { class: "button primary back", href: "/play?back" }, t`Back to your game`), " ");
  });
  if (play) offer(play);
}

async function offer(link) {
  try {
    link.hidden = (await getJson("/api/server")).serve !== "play";
  } catch {
    // The server does not answer, as the page itself says.
  }
}

/** The board alone, for other sites' frames. */

import { byId, note } from "./dom.js";
import { GameView } from "./gameview.js";

const id = /\/embed\/([^/]+)/.exec(location.pathname)?.[1] ?? "";
const RETRY_MS = 3000;

const view = new GameView(id, {
  compact: true,
  onChange: ({ game }) => { document.title = `${game.white.name} – ${game.black.name}`; },
});
byId("board").replaceWith(view.boardSide);
byId("status").replaceWith(view.status);
byId("link").href = `/games/${id}`;

async function begin() {
  try {
    await view.start();
    note(byId("fault"));
  } catch (error) {
    const none = error.status === 404 || error.status === 400;
    note(byId("fault"), none ? `There is no game ${id} on this server.` : `${error.message} Trying again…`);
    if (!none) setTimeout(begin, RETRY_MS);
  }
}

begin();

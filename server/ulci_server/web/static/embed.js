/** The board alone, for other sites' frames. */

import { byId, note } from "./dom.js";
import { GameView } from "./gameview.js";

const id = /\/embed\/([^/]+)/.exec(location.pathname)?.[1] ?? "";

const view = new GameView(id, {
  compact: true,
  onChange: ({ game }) => { document.title = `${game.white.name} – ${game.black.name}`; },
});
byId("board").replaceWith(view.boardSide);
byId("status").replaceWith(view.status);
byId("link").href = `/games/${id}`;

view.startPatiently((text) => note(byId("fault"), text));

/** The board alone, for other sites' frames. */

import { byId, note } from "./dom.js";
import { GameView } from "./gameview.js";
import { playerName } from "./words.js";

const id = /\/embed\/([^/]+)/.exec(location.pathname)?.[1] ?? "";

const view = new GameView(id, {
  compact: true,
  onChange: ({ game }) => { document.title = `${playerName(game.white)} – ${playerName(game.black)}`; },
});
byId("board").replaceWith(view.boardSide);
byId("status").replaceWith(view.status);
byId("link").href = `/games/${id}`;

view.startPatiently((text) => note(byId("fault"), text));

/** The page of one game: watched while it runs, replayed afterwards. */

import { byId, make, note, setText } from "./dom.js";
import { GameView } from "./gameview.js";
import { scoreGraph, timeGraph } from "./graph.js";
import { dateText, gameName, playerName, resultText, scoreText, sideName } from "./words.js";

const id = /\/games\/([^/]+)/.exec(location.pathname)?.[1] ?? "";

/** @type {Object<string, any>} the last thought of each side */
const thoughts = {};
let drawn = "";

const view = new GameView(id, { onChange: show, onInfo: think });

byId("board").replaceWith(view.boardSide);
byId("status").replaceWith(view.status);
byId("moves").replaceWith(view.moves.element);
for (const [link, path] of [["pgn", `/api/games/${id}.pgn`], ["json", `/api/games/${id}`], ["why", `/api/games/${id}/why`]]) {
  byId(link).href = path;
}

function show() {
  const { game } = view;
  const names = `${playerName(game.white)} – ${playerName(game.black)}`;
  setText(byId("title"), names);
  document.title = view.over ? `${names}: ${resultText(game)}` : `${names}, live`;
  const facts = [gameName(game.rules), game.control, game.rated ? "rated" : "", view.over ? dateText(game.finished_at) : "live"];
  setText(byId("facts"), facts.filter(Boolean).join(" · "));
  byId("tournament").hidden = !game.tournament;
  if (game.tournament) {
    byId("tournament").href = `/tournaments/${encodeURIComponent(game.tournament)}`;
    setText(byId("tournament"), game.tournament);
  }
  byId("why").hidden = !view.over;
  showMove(game);
  graphs(game);
}

/** What the engine said of its move, and where the move's time went. */
function showMove(game) {
  const move = view.ply ? game.moves[view.ply - 1] : null;
  const score = move && scoreText(move.score_cp, move.score_mate);
  const said = move && [
    view.ply <= game.book ? "a move of a book" : "",
    score && `${score}${move.depth ? ` at depth ${move.depth}` : ""}`,
    typeof move.spent_ms === "number" ? `${(move.spent_ms / 1000).toFixed(1)} s` : "",
    move.lag_ms ? `${move.lag_ms} ms of it network` : "",
    move.stall_ms ? `${move.stall_ms} ms of it the server` : "",
  ].filter(Boolean).join(" · ");
  note(byId("move"), said ? `${move.san ?? move.move}: ${said}` : "");
  note(byId("line"), (move?.pv ?? []).join(" "));
}

function graphs(game) {
  const known = game.moves.filter((move) => move.score_cp !== null && move.score_cp !== undefined).length;
  const state = `${game.moves.length} ${known} ${view.ply} ${game.state} ${game.moves.filter((move) => move.spent_ms).length}`;
  if (state === drawn) return;
  drawn = state;
  const [white, black] = ["white", "black"].map((side) => sideName(side, game.rules));
  setText(byId("scores-key"), `Above the middle ${white} is better. Solid: ${white}'s view. Dashed: ${black}'s.`);
  setText(byId("times-key"), `Upwards: ${white}. Downwards: ${black}.`);
  let any = false;
  for (const [place, drawing] of [["scores", scoreGraph], ["times", timeGraph]]) {
    const graph = drawing(game.moves, view.ply, game.rules);
    byId(place).hidden = !graph;
    byId(`${place}-graph`).replaceChildren(...(graph ? [graph] : []));
    any ||= !!graph;
  }
  byId("graphs").hidden = !any;
}

/** @param {any} info what an engine thinks, as late as the server tells watchers */
function think(info) {
  thoughts[info.side] = { ...thoughts[info.side], ...Object.fromEntries(Object.entries(info).filter(([, value]) => value !== null)) };
  byId("thoughts").hidden = false;
  byId("thoughts-list").replaceChildren(...["white", "black"].filter((side) => thoughts[side]).flatMap((side) => {
    const { score_cp, score_mate, depth, nodes, pv } = thoughts[side];
    const facts = [scoreText(score_cp ?? null, score_mate ?? null), depth ? `depth ${depth}` : "", nodes ? `${Number(nodes).toLocaleString("en")} nodes` : ""];
    return [
      make("dt", {}, sideName(side, view.game.rules)),
      make("dd", {}, facts.filter(Boolean).join(" · "), make("span", { class: "pv" }, (pv ?? []).join(" "))),
    ];
  }));
}

view.startPatiently((text, missing) => {
  note(byId("fault"), text);
  byId("main").classList.toggle("missing", missing);
});

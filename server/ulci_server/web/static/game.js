/** The page of one game: people watch it while it runs, and replay it afterwards. */

import { byId, make, note, setText } from "./dom.js";
import { GameView } from "./gameview.js";
import { scoreGraph, timeGraph } from "./graph.js";
import { bothLinks } from "./people.js";
import { wireSettings } from "./settingsdialog.js";
import { Share } from "./share.js";
import { LOCALE, t } from "./texts.js";
import { shown } from "./timechoice.js";
import { dateText, gameName, playerName, resultText, scoreText, sideName, spectatorsText } from "./words.js";

const id = /\/games\/([^/]+)/.exec(location.pathname)?.[1] ?? "";

/** @type {Object<string, any>} the last analysis of each side's engine */
const thoughts = {};
let drawn = "";

/** @type {Promise<import("./spectatortalk.js").SpectatorTalk>|null} while the game runs, and for as long as one stays */
let talk = null;

const view = new GameView(id, { onChange: show, onInfo: think, onChat: async (line) => (await talk)?.heard(line) });
const share = new Share(view);

byId("board").replaceWith(view.boardSide);
byId("status").replaceWith(view.status);
byId("moves").replaceWith(view.moves.element);
for (const [link, path] of [["pgn", `/api/games/${id}.pgn`], ["json", `/api/games/${id}`], ["why", `/api/games/${id}/why`]]) {
  byId(link).href = path;
}

function show() {
  const { game } = view;
  const names = `${playerName(game.white)} – ${playerName(game.black)}`;
  if (byId("title").textContent !== names) byId("title").replaceChildren(bothLinks(game));
  document.title = view.over ? `${names}: ${resultText(game)}` : t`${names}, live`;
  const facts = [gameName(game.rules), shown(game.control).text, game.rated ? t`rated` : "", view.over ? dateText(game.finished_at) : t`live`,
    view.over ? "" : spectatorsText(game.spectators)];
  setText(byId("facts"), facts.filter(Boolean).join(" · "));
  byId("tournament").hidden = !game.tournament;
  if (game.tournament) {
    byId("tournament").href = `/tournaments/${encodeURIComponent(game.tournament)}`;
    setText(byId("tournament"), game.tournament);
  }
  byId("why").hidden = !view.over;
  share.changed();
  if (!view.over) talk ??= openTalk();
  talk?.then((spectators) => spectators.changed(view.over));
  showMove(game);
  graphs(game);
}

async function openTalk() {
  const { SpectatorTalk } = await import("./spectatortalk.js"); // a finished game needs none of its scripts
  return new SpectatorTalk(id, () => view.countElsewhere());
}

/** Show the engine's analysis of its move, and how the move's time was spent. */
function showMove(game) {
  const move = view.ply ? game.moves[view.ply - 1] : null;
  const score = move && scoreText(move.score_cp, move.score_mate);
  const said = move && [
    view.ply <= game.book ? t`a move of a book` : "",
    score && `${score}${move.depth ? t` at depth ${move.depth}` : ""}`,
    typeof move.spent_ms === "number" ? `${(move.spent_ms / 1000).toFixed(1)} s` : "",
    move.lag_ms ? t`${move.lag_ms} ms of it network` : "",
    move.stall_ms ? t`${move.stall_ms} ms of it the server` : "",
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
  setText(byId("scores-key"), t`Above the middle ${white} is better. Solid: ${white}'s view. Dashed: ${black}'s.`);
  setText(byId("times-key"), t`Upwards: ${white}. Downwards: ${black}.`);
  let any = false;
  for (const [place, drawing] of [["scores", scoreGraph], ["times", timeGraph]]) {
    const graph = drawing(game.moves, view.ply, game.rules);
    byId(place).hidden = !graph;
    byId(`${place}-graph`).replaceChildren(...(graph ? [graph] : []));
    any ||= !!graph;
  }
  byId("graphs").hidden = !any;
}

/** @param {any} info an engine's analysis, which the server delays for spectators */
function think(info) {
  thoughts[info.side] = { ...thoughts[info.side], ...Object.fromEntries(Object.entries(info).filter(([, value]) => value !== null)) };
  byId("thoughts").hidden = false;
  byId("thoughts-list").replaceChildren(...["white", "black"].filter((side) => thoughts[side]).flatMap((side) => {
    const { score_cp, score_mate, depth, nodes, pv } = thoughts[side];
    const facts = [scoreText(score_cp ?? null, score_mate ?? null), depth ? t`depth ${depth}` : "", nodes ? t`${Number(nodes).toLocaleString(LOCALE)} nodes` : ""];
    return [
      make("dt", {}, sideName(side, view.game.rules)),
      make("dd", {}, facts.filter(Boolean).join(" · "), make("span", { class: "pv" }, (pv ?? []).join(" "))),
    ];
  }));
}

wireSettings();
view.startPatiently((text, missing) => {
  note(byId("fault"), text);
  byId("main").classList.toggle("missing", missing);
});

/** The list of games: those that run, as they run, and those that are over. */

import { getJson } from "./api.js";
import { byId, make, note, say, setText } from "./dom.js";
import { BOARD_EVERY_MS, GameGrid } from "./gamegrid.js";
import { StandingsView } from "./standings.js";
import { Stream } from "./stream.js";
import { dateText, gameName, playerName, resultText, shortResult } from "./words.js";

const RUNNING_MAX = 50;
const PAGE = 25;
const DOWNLOAD = 200; // games of one file: the most that the server gives at once
const RETRY_MS = 5000;
const TURN_MS = 5000; // a turn reads both lists

/** @type {Map<number|string, any>} running games by their number, newest first */
let running = new Map();
const grid = new GameGrid();
/** @type {any} */
let before = null;
let reading = 0;
let more = false; // games may run that are not listed
/** @type {any} */
let refill;

// Running games

function showRunning() {
  const games = [...running.values()];
  grid.show(games);
  byId("none-running").hidden = games.length > 0;
  setText(byId("running-count"), games.length ? `${games.length}${more ? " or more" : ""}` : "");
}

async function readRunning() {
  const turn = ++reading;
  try {
    const { games } = await getJson(`/api/games?state=running&limit=${RUNNING_MAX}`);
    if (turn !== reading) return;
    running = new Map(games.map((game) => [game.id, game]));
    more = games.length === RUNNING_MAX;
    showRunning();
    for (const game of games) grid.read(game.id, 0);
    note(byId("fault"));
  } catch (error) {
    note(byId("fault"), `${error.message} Trying again…`);
    setTimeout(readRunning, RETRY_MS);
  }
}

function hear(name, data) {
  if (name === "started") {
    const games = [[data.id, data], ...running];
    more ||= games.length > RUNNING_MAX;
    running = new Map(games.slice(0, RUNNING_MAX));
    showRunning();
  } else if (name === "move" && running.has(data.id)) {
    running.get(data.id).plies = data.ply;
    showRunning();
    grid.read(data.id);
  } else if (name === "standings") {
    standings?.changed();
  } else if (name === "over") {
    running.delete(data.id);
    // Whoever stands on the link of a game that ends stays in the list.
    const inside = grid.hasFocus(data.id);
    showRunning();
    if (inside) byId("running-title").focus();
    if (more) refill ??= setTimeout(() => { refill = undefined; readRunning(); }, BOARD_EVERY_MS);
    if (onFirstPage()) finishedSoon();
  }
}

/** @type {StandingsView|null} */
let standings = null;
let lost = false;
/** @type {any} */
let stream;
function follow() {
  stream = new Stream("/api/events", {
    onEvent: hear,
    turnMs: TURN_MS,
    onState(state) {
      if (state === "live") { // what happened meanwhile
        readRunning();
        standings?.read();
        if (onFirstPage()) readFinished();
      }
      if (state === "lost" && !lost) say("The connection is lost. Trying again.");
      if (state === "live" && lost) say("Connected again.");
      lost = state !== "live";
      note(byId("line"), lost ? "The connection is lost. Trying again…" : "");
    },
  });
}

// Finished games

const form = byId("filters");
const onFirstPage = () => before === null;
/** @type {any} */
let soon;

/** Where many games end, they are read together; whoever stands in the list is left there. */
function finishedSoon() {
  soon ??= setTimeout(() => {
    soon = undefined;
    if (onFirstPage() && !byId("finished").contains(document.activeElement)) readFinished();
  }, BOARD_EVERY_MS);
}

function filters() {
  const wanted = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (typeof value === "string" && value.trim()) wanted.set(name, value.trim());
  }
  return wanted;
}

function finishedRow(game) {
  const result = resultText(game);
  return make("tr", {},
    make("td", {}, make("a", { href: `/games/${game.id}` }, `${playerName(game.white)} – ${playerName(game.black)}`)),
    make("td", { class: "result", title: result, "aria-label": result }, shortResult(game.result)),
    make("td", { class: "wide" }, result),
    make("td", {}, gameName(game.rules)),
    make("td", { class: "wide" }, game.control),
    make("td", { class: "number wide" }, String(game.plies)),
    make("td", { class: "date" }, dateText(game.finished_at)));
}

async function readFinished() {
  const wanted = filters();
  const query = new URLSearchParams(wanted);
  query.set("state", "finished");
  if (before !== null) query.set("before", before);
  query.set("limit", String(DOWNLOAD));
  byId("download").href = `/api/games.pgn?${query}`;
  query.set("limit", String(PAGE));
  try {
    const answer = await getJson(`/api/games?${query}`);
    byId("finished").replaceChildren(...answer.games.map(finishedRow));
    byId("finished-table").hidden = !answer.games.length;
    note(byId("none-finished"), answer.games.length ? "" : [...wanted].length ? "No finished game is like that." : "No game has been finished yet.");
    byId("older").hidden = answer.before === null || answer.before === undefined;
    byId("older").dataset.before = answer.before ?? "";
    byId("newest").hidden = onFirstPage();
    note(byId("filter-fault"));
  } catch (error) {
    note(byId("filter-fault"), error.message);
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  before = null;
  const wanted = filters().toString();
  history.replaceState(null, "", wanted ? `?${wanted}` : location.pathname);
  readFinished().then(() => say(`${byId("finished").children.length} games shown.`));
});
form.addEventListener("reset", () => setTimeout(() => form.requestSubmit()));
byId("older").addEventListener("click", (event) => {
  before = event.target.dataset.before;
  readFinished().then(() => byId("finished-title").focus());
});
byId("newest").addEventListener("click", () => {
  before = null;
  readFinished().then(() => byId("finished-title").focus());
});

async function begin() {
  const asked = new URLSearchParams(location.search);
  try {
    const server = await getJson("/api/server");
    byId("play-link").hidden = byId("play-hint").hidden = server.serve !== "play";
    byId("tournaments-link").hidden = !(await getJson("/api/tournaments")).tournaments.length;
    if (server.standings) standings = new StandingsView();
    byId("rules").append(...server.games.map((name) => make("option", { value: name }, gameName(name))));
  } catch {
    // Without it the list works all the same.
  }
  for (const field of form.querySelectorAll("input, select")) field.value = asked.get(field.name) ?? "";
  await readFinished();
  follow();
}

begin();

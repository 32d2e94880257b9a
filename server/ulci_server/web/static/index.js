/** The lists of games: running ones, which are kept up to date, and finished ones. */

import { readAccount } from "./accounts.js";
import { getJson } from "./api.js";
import { byId, fillList, make, note, say, setText } from "./dom.js";
import { BOARD_EVERY_MS, GameGrid } from "./gamegrid.js";
import { bothLinks } from "./people.js";
import { Stream } from "./stream.js";
import { t } from "./texts.js";
import { shown } from "./timechoice.js";
import { dateText, gameName, resultText, shortResult } from "./words.js";

const RUNNING_MAX = 50;
const PAGE = 25;
const DOWNLOAD = 200; // games of one file: the server's limit
const RETRY_MS = 5000;
const TURN_MS = 5000; // a turn reads both lists

/** @type {Map<number|string, any>} running games by their number, newest first */
let running = new Map();
const grid = new GameGrid();
/** @type {any} */
let before = null;
let reading = 0; // the number of the last request for the running games
/** the events since that request, until its answer comes, which may be older than they are @type {[string, any][]|null} */
let since = null;
let readingFinished = 0; // the same for the finished ones: the page drops answers to earlier requests
let more = false; // whether more games may run than the list has
/** @type {any} */
let refill;

// Running games

function showRunning() {
  const games = [...running.values()];
  grid.show(games);
  byId("none-running").hidden = games.length > 0;
  setText(byId("running-count"), games.length ? `${games.length}${more ? t` or more` : ""}` : "");
}

async function readRunning() {
  const turn = ++reading;
  since = [];
  try {
    const { games } = await getJson(`/api/games?state=running&limit=${RUNNING_MAX}`);
    if (turn !== reading) return;
    running = new Map(games.map((game) => [game.id, game]));
    more = games.length === RUNNING_MAX;
    for (const [name, data] of since ?? []) change(name, data);
    since = null;
    showRunning();
    for (const game of games) grid.read(game.id, 0);
    note(byId("fault"));
  } catch (error) {
    if (turn === reading) since = null;
    note(byId("fault"), t`${error.message} Trying again…`);
    setTimeout(readRunning, RETRY_MS);
  }
}

/** Change the running games by an event, which they may know already. @param {string} name @param {any} data */
function change(name, data) {
  const game = running.get(data.id);
  if (name === "started" && !game) {
    const games = [[data.id, data], ...running];
    more ||= games.length > RUNNING_MAX;
    running = new Map(games.slice(0, RUNNING_MAX));
  } else if (name === "move" && game) game.plies = data.ply;
  else if (name === "over") running.delete(data.id);
}

function hear(name, data) {
  since?.push([name, data]);
  change(name, data);
  if (name === "started") showRunning();
  else if (name === "move" && running.has(data.id)) {
    showRunning();
    grid.read(data.id);
  } else if (name === "standings") {
    standings?.changed();
  } else if (name === "over") {
    // If the link of the game that ends has the focus, the focus stays in the list.
    const inside = grid.hasFocus(data.id);
    showRunning();
    if (inside) byId("running-title").focus();
    if (more) refill ??= setTimeout(() => { refill = undefined; readRunning(); }, BOARD_EVERY_MS);
    if (onFirstPage()) finishedSoon();
  }
}

/** @type {import("./standings.js").StandingsView|null} */
let standings = null;
let lost = false;
/** @type {any} */
let stream;
function follow() {
  stream = new Stream("/api/events", {
    onEvent: hear,
    turnMs: TURN_MS,
    onState(state) {
      if (state === "live") { // read what happened meanwhile
        readRunning();
        standings?.read();
        if (onFirstPage()) readFinished();
      }
      if (state === "lost" && !lost) say(t`The connection is lost. Trying again.`);
      if (state === "live" && lost) say(t`Connected again.`);
      lost = state !== "live";
      note(byId("line"), lost ? t`The connection is lost. Trying again…` : "");
    },
  });
}

// Finished games

const form = byId("filters");
const onFirstPage = () => before === null;
/** @type {any} */
let soon;

/** Read the finished games soon, once for many that end together; not while the focus is in their list. */
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
    make("td", { class: "game-names" }, bothLinks(game)),
    make("td", { class: "result" }, make("a", { href: `/games/${game.id}`, title: result, "aria-label": t`${shortResult(game.result)}, game ${game.id}: ${result}` }, shortResult(game.result))),
    make("td", { class: "wide" }, result),
    make("td", {}, gameName(game.rules)),
    make("td", { class: "wide" }, shown(game.control).text),
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
  const turn = ++readingFinished;
  try {
    const answer = await getJson(`/api/games?${query}`);
    if (turn !== readingFinished) return;
    fillList(byId("finished"), answer.games, finishedRow);
    byId("finished-table").hidden = !answer.games.length;
    byId("download").hidden = !answer.games.length && before === null;
    note(byId("none-finished"), answer.games.length ? "" : [...wanted].length ? t`No finished game is like that.` : t`No game has been finished yet.`);
    byId("older").hidden = answer.before === null || answer.before === undefined;
    byId("older").dataset.before = answer.before ?? "";
    byId("newest").hidden = onFirstPage();
    note(byId("filter-fault"));
  } catch (error) {
    if (turn === readingFinished) note(byId("filter-fault"), error.message);
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  before = null;
  const wanted = filters().toString();
  history.replaceState(null, "", wanted ? `?${wanted}` : location.pathname);
  readFinished().then(() => say(t`${byId("finished").children.length} games shown.`));
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

/** @param {string} mode who may sign up */
async function showAccount(mode) {
  byId("account-link").hidden = mode === "off";
  if (mode === "off") return;
  try {
    const { account } = await readAccount();
    if (account) setText(byId("account-link"), t`Account`);
  } catch {
    // The page of the account shows more.
  }
}

/** Show what a person can do here besides watching. */
async function offer() {
  try {
    const [server, { tournaments }] = await Promise.all(["/api/server", "/api/tournaments"].map(getJson));
    byId("play-link").hidden = byId("play-hint").hidden = server.serve !== "play";
    showAccount(server.sign_up);
    byId("tournaments-link").hidden = !tournaments.length;
    if (server.standings) {
      const { StandingsView } = await import("./standings.js"); // few servers need it
      standings = new StandingsView();
    }
    byId("rules").append(...server.games.map((name) => make("option", { value: name }, gameName(name))));
  } catch {
    // The lists work without it.
  }
}

/** Send all requests at once: on a slow connection one answer takes as long as several together. */
async function begin() {
  const asked = new URLSearchParams(location.search);
  readRunning();
  const offered = offer();
  if (asked.has("rules")) await offered; // the filter's options come with it
  for (const field of form.querySelectorAll("input, select")) field.value = asked.get(field.name) ?? "";
  await Promise.all([readFinished(), offered]);
  follow();
}

begin();

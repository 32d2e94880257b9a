/** The page of one tournament, also in the frame of another page: its running games, standings, crosstable, and the
 * pairings of a round. */

import { getJson } from "./api.js";
import { byId, enable, fillList, make, note, setText } from "./dom.js";
import { BOARD_EVERY_MS, GameGrid } from "./gamegrid.js";
import { GameView } from "./gameview.js";
import { playerLink } from "./people.js";
import { StandingsView } from "./standings.js";
import { Stream } from "./stream.js";
import { t } from "./texts.js";
import { dateText } from "./words.js";

const READ_EVERY_MS = 5000;
const STAYS_MS = 6000; // for which the page shows the end of the followed game
const TURN_MS = 5000;
const SINGLE_GAMES = ["arena", "ladder"]; // whatever `games` says
const OVER = ["stopped", "finished"];
/** @type {Object<string, string>} */
const FORMATS = {
  roundrobin: t`round robin`, gauntlet: t`gauntlet`, swiss: t`Swiss`, knockout: t`knockout`, sprt: t`test of two`, ladder: t`ladder`, arena: t`arena`,
};

/** @typedef {{number: number, white: string, black: string|null, score: string|null, why: string, by: string,
 *   void: boolean, game: number|null, running: boolean}} Pairing
 * @typedef {{game: number, white: string, black: string}} Running */

const word = location.pathname.split("/").at(-1) ?? "";
const address = `/api/tournaments/${word}`;
const framed = location.pathname.startsWith("/embed/");
let chosen = ""; // the round that the person has chosen; "" the last one
/** the last pairings of the pages before the one that is shown @type {number[]} */
let pages = [];
/** @type {any} */
let last = null;
let reading = 0; // the number of the last request: the page drops answers to earlier ones
/** @type {any} */
let due = null;

const standings = new StandingsView(async () => last.standings);
const grid = new GameGrid();

// Running games

/** @type {GameView|null} the game that the page follows: the one highest in the standings when the last one ended */
let followed = null;
/** @type {any} */
let leaving = null;

/** @param {Running[]} running those of the highest ranks first */
function showRunning(running) {
  byId("live-part").hidden = !running.length && !followed;
  setText(byId("live-count"), running.length ? String(running.length) : "");
  if (!followed && running.length) follow(running[0].game);
  else if (followed && !running.some(({ game }) => game === followed?.id)) leaveSoon();
  grid.show(running.filter(({ game }) => game !== followed?.id)
    .map(({ game, white, black }) => ({ id: game, white: { name: white }, black: { name: black } })));
  if (framed) for (const { game } of running) grid.read(game);
}

/** @param {number} id */
function follow(id) {
  followed = new GameView(id, { compact: true });
  const link = make("a", { href: `/games/${id}` }, t`The whole game`);
  byId("followed").replaceChildren(followed.boardSide, make("div", { class: "embed-foot" }, followed.status, link));
  byId("followed").hidden = false;
  followed.startPatiently((text) => note(byId("live-fault"), text));
}

/** Show the end of the followed game for a moment; then follow the next one. */
function leaveSoon() {
  leaving ??= setTimeout(() => {
    leaving = null;
    followed?.close();
    followed = null;
    byId("followed").hidden = true;
    byId("followed").replaceChildren();
    note(byId("live-fault"));
    showRunning(last.running);
  }, STAYS_MS);
}

// Pairings

/** @param {Pairing} one @returns {string} */
function resultOf(one) {
  if (one.void) return "void";
  if (one.score) return one.score.replaceAll("1/2", "½");
  return one.running ? t`playing` : "–";
}

/** @param {Pairing} one */
function row(one) {
  const result = resultOf(one);
  const shown = one.game === null ? result : make("a", { href: `/games/${one.game}` }, result);
  const why = one.by ? `${one.why} (${one.by})` : one.why;
  return make("tr", {},
    make("td", { class: "game-names" }, playerLink(one.white)),
    make("td", { class: "game-names" }, one.black === null ? "bye" : playerLink(one.black)),
    make("td", { class: "result" }, shown),
    make("td", { class: "wide quiet" }, why));
}

function showRounds() {
  byId("rounds-part").hidden = !last.rounds;
  const select = byId("round");
  if (select.options.length !== last.rounds) {
    select.replaceChildren(...Array.from({ length: last.rounds }, (_, at) => make("option", { value: String(at + 1) }, String(at + 1))));
  }
  select.value = String(last.round);
  fillList(byId("pairings"), last.pairings, row);
  const { before, paired } = last, until = before + last.pairings.length;
  byId("pages").hidden = until - before === paired;
  setText(byId("shown"), t`${before + 1} to ${until} of ${paired}`);
  enable(pages.length > 0, byId("earlier"));
  enable(until < paired, byId("later"));
}

function show() {
  setText(byId("title"), last.title);
  document.title = last.title;
  const form = FORMATS[last.format] ?? last.format;
  const format = last.games === 2 && !SINGLE_GAMES.includes(last.format) ? t`${form}, two games an encounter` : form;
  const begun = last.begun_at ? t`begun ${dateText(last.begun_at)}` : last.schedule && t`begins ${last.schedule} UTC`;
  setText(byId("facts"), [format, t`pool ${last.pool}`, last.why_paused ? t`paused: ${last.why_paused}` : last.state, begun, last.ends_at && t`ends ${dateText(last.ends_at)}`, last.open ? t`open to every account` : ""].filter(Boolean).join(" · "));
  byId("enter").hidden = !plays || !last.open || OVER.includes(last.state);
  standings.read();
  showRunning(last.running);
  showRounds();
}

// From the server

const isOver = () => OVER.includes(last?.state) && !last.running.length;

async function read() {
  clearTimeout(due);
  const turn = ++reading;
  try {
    const asked = new URLSearchParams({ ...(chosen && { round: chosen }), ...(pages.length && { after: String(pages.at(-1)) }) });
    const found = await getJson(asked.size ? `${address}?${asked}` : address);
    if (turn !== reading) return;
    last = found;
    show();
    note(byId("fault"));
  } catch (error) {
    if (turn !== reading) return;
    note(byId("fault"), error.status === 404 ? error.message : t`${error.message} Trying again…`);
    if (error.status === 404) return;
  }
  if (isOver()) stream?.close();
  else due = setTimeout(read, READ_EVERY_MS);
}

/** @type {any} */
let soon = null;

/** @param {string} name @param {any} data */
function hear(name, data) {
  if (name === "move") grid.read(data.id);
  else if (name === "started" || name === "over") soon ??= setTimeout(() => { soon = null; read(); }, BOARD_EVERY_MS);
}

/** @type {Stream|null} */
let stream = null;
let plays = false; // whether people play in the browser on this server

/** Show what a person can do here: enter the tournament, download files, embed it in another page. */
async function offer() {
  byId("enter").href = `/play?enter=${encodeURIComponent(decodeURIComponent(word))}`;
  for (const [link, file] of [["pgn", "games.pgn"], ["csv", "standings.csv"], ["trf", "report.trf"]]) byId(link).href = `${address}/${file}`;
  byId("embed").value = `<iframe src="${location.origin}/embed/tournaments/${word}" width="100%" height="800"></iframe>`;
  try {
    const server = await getJson("/api/server");
    plays = server.serve === "play";
    byId("embed-part").hidden = !server.embed;
  } catch {
    // The page shows the tournament without it.
  }
}

async function begin() {
  byId("whole").href = `/tournaments/${word}`;
  byId("whole").hidden = !framed;
  byId("files").hidden = framed;
  document.body.classList.toggle("embed", framed);
  if (!framed) await offer();
  await read();
  // A frame in a page of another site may read the tournament and its games, and nothing else.
  if (!framed && last && !isOver()) stream = new Stream("/api/events", { onEvent: hear, onState() {}, turnMs: TURN_MS });
}

byId("round").addEventListener("change", () => {
  chosen = byId("round").value;
  pages = [];
  read();
});
byId("later").addEventListener("click", () => {
  const { before, paired, pairings } = last;
  if (before + pairings.length >= paired) return;
  chosen = String(last.round); // the next round, when it comes, does not have this page of pairings
  pages.push(last.pairings.at(-1).number);
  read();
});
byId("earlier").addEventListener("click", () => {
  pages.pop();
  read();
});
byId("embed").addEventListener("focus", () => byId("embed").select());
begin();

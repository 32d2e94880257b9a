/** The page of one tournament: standings, crosstable, and the pairings of a round. */

import { getJson } from "./api.js";
import { byId, make, note, setText } from "./dom.js";
import { StandingsView } from "./standings.js";
import { dateText } from "./words.js";

const READ_EVERY_MS = 3000;
const OVER = ["stopped", "finished"];
/** @type {Object<string, string>} */
const FORMATS = {
  roundrobin: "round robin", gauntlet: "gauntlet", swiss: "Swiss", knockout: "knockout", sprt: "test of two", ladder: "ladder", arena: "arena",
};

/** @typedef {{number: number, white: string, black: string|null, score: string|null, why: string, by: string,
 *   void: boolean, game: number|null, running: boolean}} Pairing */

const name = decodeURIComponent(location.pathname.split("/").at(-1) ?? "");
const address = `/api/tournaments/${encodeURIComponent(name)}`;
let chosen = ""; // the round that somebody has chosen; else the last one
/** @type {any} */
let last = null;

const standings = new StandingsView(async () => last.standings);

/** @param {Pairing} one @returns {string} */
function resultOf(one) {
  if (one.void) return "void";
  if (one.score) return one.score.replaceAll("1/2", "½");
  return one.running ? "playing" : "–";
}

/** @param {Pairing} one */
function row(one) {
  const result = resultOf(one);
  const shown = one.game === null ? result : make("a", { href: `/games/${one.game}` }, result);
  const why = one.by ? `${one.why} (${one.by})` : one.why;
  return make("tr", {},
    make("td", { class: "game-names" }, one.white),
    make("td", { class: "game-names" }, one.black ?? "bye"),
    make("td", { class: "result" }, shown),
    make("td", { class: "wide quiet" }, why));
}

function show() {
  setText(byId("title"), last.title);
  document.title = last.title;
  const form = FORMATS[last.format] ?? last.format;
  const format = last.games === 2 ? `${form}, two games an encounter` : form;
  const begun = last.begun_at ? `begun ${dateText(last.begun_at)}` : last.schedule && `begins ${last.schedule} UTC`;
  setText(byId("facts"), [format, `pool ${last.pool}`, last.state, begun, last.open ? "open to all" : ""].filter(Boolean).join(" · "));
  standings.read();
  byId("rounds-part").hidden = !last.rounds;
  const select = byId("round");
  if (select.options.length !== last.rounds) {
    select.replaceChildren(...Array.from({ length: last.rounds }, (_, at) => make("option", { value: String(at + 1) }, String(at + 1))));
  }
  select.value = String(last.round);
  byId("pairings").replaceChildren(...last.pairings.map(row));
  const more = last.paired - last.pairings.length;
  note(byId("more-pairings"), more ? `${more} more pairings are not shown.` : "");
}

async function read() {
  try {
    last = await getJson(chosen ? `${address}?round=${chosen}` : address);
    show();
    note(byId("fault"));
  } catch (error) {
    note(byId("fault"), error.status === 404 ? error.message : `${error.message} Trying again…`);
    if (error.status === 404) return;
  }
  if (!last || !OVER.includes(last.state)) setTimeout(read, READ_EVERY_MS);
}

byId("round").addEventListener("change", () => {
  chosen = byId("round").value;
  getJson(`${address}?round=${chosen}`).then((found) => { last = found; show(); }, (error) => note(byId("fault"), error.message));
});
read();

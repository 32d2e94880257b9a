/** The list of tournaments, the newest first. */

import { getJson } from "./api.js";
import { byId, fillList, make, note } from "./dom.js";
import { t } from "./texts.js";
import { dateText } from "./words.js";

const READ_EVERY_MS = 10_000;

/** @param {{name: string, title: string, state: string, entrants: number, created_at: string}} one */
const row = (one) => make("tr", {},
  make("th", { scope: "row", class: "game-names" }, make("a", { href: `/tournaments/${encodeURIComponent(one.name)}` }, one.title)),
  make("td", { class: "wide quiet" }, one.name),
  make("td", {}, one.state),
  make("td", { class: "number" }, String(one.entrants)),
  make("td", { class: "date wide" }, dateText(one.created_at)));

async function read() {
  try {
    const { tournaments } = await getJson("/api/tournaments");
    fillList(byId("list"), tournaments, row);
    byId("list-table").hidden = !tournaments.length;
    byId("none").hidden = !!tournaments.length;
    note(byId("fault"));
  } catch (error) {
    note(byId("fault"), t`${error.message} Trying again…`);
  }
  setTimeout(read, READ_EVERY_MS);
}

async function begin() {
  read();
  try {
    byId("direct-hint").hidden = !(await getJson("/api/server")).directing;
  } catch {
    // A director knows the page's address.
  }
}

begin();

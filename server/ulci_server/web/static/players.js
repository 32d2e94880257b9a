/** The leaders of each pool, and a way to find a player. */

import { getJson } from "./api.js";
import { byId, make, note, say } from "./dom.js";
import { playerHref, playerLink } from "./people.js";
import { t } from "./texts.js";
import { dateText } from "./words.js";

const PAGE = 50;

let pool = "";
/** @type {number|null} */
let after = null;
let next = 0;
let reading = 0; // the number of the last request: the page drops answers to earlier ones

/** @param {any} one */
function row(one) {
  const facts = [one.kind === "engine" ? "engine" : "", one.provisional ? "provisional" : ""].filter(Boolean).join(", ");
  return make("tr", {},
    make("td", { class: "number" }, String(one.rank)),
    make("th", { scope: "row", class: "game-names" }, playerLink(one.name), facts ? make("span", { class: "quiet" }, ` ${facts}`) : null),
    make("td", { class: "number" }, make("b", {}, String(one.rating))),
    make("td", { class: "number wide" }, String(2 * one.deviation)),
    make("td", { class: "number" }, String(one.games)),
    make("td", { class: "date wide" }, dateText(one.played_at)));
}

async function read() {
  const turn = ++reading;
  try {
    const answer = await getJson(`/api/ratings/${encodeURIComponent(pool)}?limit=${PAGE}&after=${after ?? 0}`);
    if (turn !== reading) return;
    byId("leaders").replaceChildren(...answer.ratings.map(row));
    byId("leaders-table").hidden = !answer.ratings.length;
    next = answer.after ?? 0;
    byId("next").hidden = answer.after === null;
    byId("first").hidden = !after;
    note(byId("fault"));
  } catch (error) {
    if (turn === reading) note(byId("fault"), error.message);
  }
}

/** @param {number|null} from */
async function turn(from) {
  after = from;
  await read();
  byId("leaders-title").focus();
  say(t`${byId("leaders").children.length} players shown.`);
}

byId("next").addEventListener("click", () => turn(next));
byId("first").addEventListener("click", () => turn(null));
byId("pool").addEventListener("change", () => {
  pool = byId("pool").value;
  after = null;
  history.replaceState(null, "", `?pool=${encodeURIComponent(pool)}`);
  read().then(() => say(t`${byId("leaders").children.length} players of ${pool} shown.`));
});
byId("find-form").addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
  event.preventDefault();
  const href = playerHref(byId("find-name").value.trim());
  if (href) location.assign(href);
});

async function begin() {
  try {
    const { pools } = await getJson("/api/ratings");
    byId("none").hidden = pools.length > 0;
    byId("pool-form").hidden = pools.length < 2;
    if (!pools.length) return;
    const wanted = new URLSearchParams(location.search).get("pool");
    byId("pool").append(...pools.map(({ name, rated }) => make("option", { value: name }, `${name} (${rated})`)));
    pool = (pools.find(({ name }) => name === wanted) ?? pools.reduce((one, other) => (other.rated > one.rated ? other : one))).name;
    byId("pool").value = pool;
    await read();
  } catch (error) {
    note(byId("fault"), error.message);
  }
}

begin();

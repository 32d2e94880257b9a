/** The page of one player. */

import { getJson } from "./api.js";
import { byId, make, note, say, setText } from "./dom.js";
import { playerLink } from "./people.js";
import { ratingCourse } from "./ratingcourse.js";
import { t } from "./texts.js";
import { shown } from "./timechoice.js";
import { dateText, gameName, percentText, resultText, shortResult, sideName } from "./words.js";

const PAGE = 25;
const FIRST_OPPONENTS = 10;
const SPEEDS = { unclocked: t`no clock` };
const HEAD = "/players/";

/** @typedef {{games: number, won: number, drawn: number, lost: number, running: number}} Score
 * @typedef {{name: string, account: boolean, kind: string|null, created_at: string|null, counted: number, all_counted: boolean,
 *   ratings: any[], results: any[], opponents: any[]}} Player */

const asked = decodeURIComponent(location.pathname.slice(HEAD.length));
const address = `/api/players/${encodeURIComponent(asked)}`;
let name = asked;
/** @type {number|null} */
let before = null;
let reading = 0; // the number of the last request for games: the page drops answers to earlier ones

const number = (value, kind = "") => make("td", { class: `number ${kind}` }, String(value));

/** The score of the games with a result. @param {Score} score */
function scoreText({ won, drawn, lost }) {
  const games = won + drawn + lost;
  return games ? percentText((won + drawn / 2) / games) : "–";
}

/** @param {any} one */
function ratingCard(one) {
  const graph = ratingCourse(one.course);
  const facts = [one.provisional ? t`provisional` : "", one.anchored ? t`fixed by the operator` : "", t`${one.games} rated ${one.games === 1 ? t`game` : t`games`}`];
  return make("section", { class: "card", "aria-label": t`Rating in ${one.pool}` },
    make("div", { class: "rating-head" },
      make("h3", {}, make("a", { href: `/players?pool=${encodeURIComponent(one.pool)}` }, one.pool)),
      make("p", { class: "rating" }, make("b", {}, String(one.rating)), make("span", { class: "quiet" }, ` ± ${2 * one.deviation}`))),
    make("p", { class: "quiet" }, facts.filter(Boolean).join(" · ")),
    graph);
}

/** @param {any} one */
const resultRow = (one) => make("tr", {},
  make("th", { scope: "row" }, gameName(one.rules)),
  make("td", { class: "wide" }, one.pool || "–"),
  make("td", {}, SPEEDS[one.speed] ?? one.speed),
  number(one.games), number(one.won), number(one.drawn), number(one.lost), number(scoreText(one), "wide"));

/** @param {any} one */
const opponentRow = (one) => make("tr", {},
  make("th", { scope: "row", class: "game-names" }, playerLink(one.name), one.kind === "engine" ? make("span", { class: "quiet" }, t` engine`) : null),
  number(one.games), number(one.won), number(one.drawn), number(one.lost), number(scoreText(one), "wide"),
  make("td", { class: "wide" }, make("a", { href: `/games/${one.last_game}` }, t`Game ${one.last_game}`)));

/** @param {any} game */
function gameRow(game) {
  const side = game.white.name === name ? "white" : "black", other = game[side === "white" ? "black" : "white"];
  const running = game.state === "running", how = running ? t`being played` : resultText(game);
  const brief = running ? t`live` : shortResult(game.result);
  return make("tr", {},
    make("td", { class: "result" }, make("a", { href: `/games/${game.id}`, "aria-label": t`${brief}, game ${game.id}: ${how}` }, brief)),
    make("td", { class: "game-names" }, playerLink(other.name)),
    make("td", {}, sideName(side, game.rules)),
    make("td", { class: "wide" }, how),
    make("td", { class: "wide" }, gameName(game.rules)),
    make("td", { class: "wide" }, shown(game.control).text),
    make("td", { class: "date" }, dateText(game.started_at)));
}

/** @param {Player} player */
function show(player) {
  ({ name } = player);
  setText(byId("title"), name);
  document.title = name;
  byId("guest").hidden = player.account;
  const kind = player.kind === "engine" ? t`An engine` : t`A player`;
  setText(byId("who"), player.account ? t`${kind} with an account since ${dateText(player.created_at)}` : t`A guest`);
  byId("ratings-part").hidden = !player.ratings.length;
  byId("ratings").replaceChildren(...player.ratings.map(ratingCard));
  byId("results-part").hidden = !player.results.length;
  byId("results").replaceChildren(...player.results.map(resultRow));
  note(byId("not-all"), player.all_counted ? "" : t`Counted from the newest ${player.counted} games.`);
  byId("opponents-part").hidden = !player.opponents.length;
  const few = player.opponents.slice(0, FIRST_OPPONENTS);
  byId("opponents").replaceChildren(...few.map(opponentRow));
  byId("more-opponents").hidden = few.length === player.opponents.length;
  byId("all-opponents").addEventListener("click", () => {
    byId("opponents").replaceChildren(...player.opponents.map(opponentRow));
    byId("more-opponents").hidden = true;
    byId("opponents").querySelectorAll("a")[FIRST_OPPONENTS]?.focus();
  });
}

async function readGames() {
  const query = new URLSearchParams({ player: name });
  if (before !== null) query.set("before", String(before));
  byId("download").href = `/api/games.pgn?${query}&limit=200`;
  query.set("limit", String(PAGE));
  const turn = ++reading;
  try {
    const answer = await getJson(`/api/games?${query}`);
    if (turn !== reading) return;
    byId("games-part").hidden = false;
    byId("games").replaceChildren(...answer.games.map(gameRow));
    byId("games-table").hidden = !answer.games.length;
    byId("download").hidden = !answer.games.length;
    byId("none").hidden = !!answer.games.length;
    byId("older").hidden = !answer.before;
    byId("older").dataset.before = answer.before ?? "";
    byId("newest").hidden = before === null;
    note(byId("fault"));
  } catch (error) {
    if (turn === reading) note(byId("fault"), error.message);
  }
}

/** @param {number|null} from */
async function turn(from) {
  before = from;
  await readGames();
  byId("games-title").focus();
  say(t`${byId("games").children.length} games shown.`);
}

byId("older").addEventListener("click", () => turn(Number(byId("older").dataset.before)));
byId("newest").addEventListener("click", () => turn(null));
byId("api").href = address;

async function begin() {
  try {
    show(await getJson(address));
  } catch (error) {
    note(byId("fault"), error.message);
    return;
  }
  await readGames();
}

begin();

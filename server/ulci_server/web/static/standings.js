/** The standings of the match or tournament that is played here: figures for two entrants, ranks for more. */

import { eloCourse, llrCourse } from "./coursegraph.js";
import { getJson } from "./api.js";
import { byId, fillList, make, note, say, setText } from "./dom.js";
import { playerLink } from "./people.js";
import { t } from "./texts.js";
import { errorText, percentText, signedText } from "./words.js";

const READ_EVERY_MS = 2000;
const OPEN_CROSSTABLE = 40; // entrants: a larger crosstable is folded until a click
const PAIRS = ["0", "½", "1", "1½", "2"]; // points of a pair of games

/** @typedef {{number: number, rank: number, name: string, points: number, games: number, wins: number, draws: number,
 *   losses: number, pairs: number[]|null, elo: number|null, elo_error: number|null, nelo: number|null,
 *   nelo_error: number|null, los: number|null, ties: Object<string, number|null>, note: string}} Entrant
 * @typedef {{model: string, elo0: number, elo1: number, lower: number, upper: number, llr: number|null, accepted: string|null}} Test
 * @typedef {{first: number, second: number, wins: number, draws: number, losses: number}} Encounter
 * @typedef {{finished: number, total: number|null, over: boolean, present: number, entrants: Entrant[],
 *   crosstable: Encounter[]|null, test: Test|null, course: import("./coursegraph.js").Point[]}} Standings */

export class StandingsView {
  /** @param {() => Promise<Standings>} [ask] */
  constructor(ask = () => getJson("/api/standings")) {
    this.ask = ask;
    /** @type {any} */
    this.timer = null;
    this.decided = true; // the page does not announce a decision from before it was loaded
    this.reading = 0; // the number of the last request: the page drops answers to earlier ones
    byId("standings-part").hidden = false;
  }

  /** Read the standings after a change, but not too often. */
  changed() {
    this.timer ??= setTimeout(() => { this.timer = null; this.read(); }, READ_EVERY_MS);
  }

  async read() {
    const reading = ++this.reading;
    try {
      const now = await this.ask();
      if (reading !== this.reading) return;
      this._show(now);
      note(byId("standings-fault"));
    } catch (error) {
      if (reading !== this.reading) return;
      note(byId("standings-fault"), t`${error.message} Trying again…`);
      this.changed();
    }
  }

  /** @param {Standings} now */
  _show(now) {
    const { finished, total, entrants, test } = now;
    setText(byId("standings-count"), total === null ? t`${finished} games` : t`${finished} of ${total} games`);
    const two = now.present === 2;
    byId("duel").hidden = !two;
    byId("no-entrants").hidden = !!entrants.length;
    byId("ranks-part").hidden = two || !entrants.length;
    if (two) this._showTwo(now);
    else this._showRanks(now);
    const decided = test?.accepted ?? "";
    note(byId("decision"), decided && decisionText(test));
    if (decided && !this.decided) say(decisionText(test));
    this.decided = !!decided;
    note(byId("left-out"), now.present > entrants.length ? t`The first ${entrants.length} of ${now.present} are shown.` : "");
  }

  // Two entrants

  /** @param {Standings} now */
  _showTwo({ entrants, test, course }) {
    const [first, second] = [...entrants].sort((one, other) => one.number - other.number);
    fillList(byId("duel-score"), [{ name: first.name }, { points: `${first.points} – ${second.points}` }, { name: second.name }],
      ({ name, points }) => (points ? make("b", { class: "duel-points" }, points) : make("span", { class: "game-names" }, playerLink(name))));
    byId("figures").replaceChildren(...figures(first).map(([name, value]) =>
      make("div", {}, make("dt", {}, name), make("dd", {}, value))));
    byId("pairs").hidden = !first.pairs;
    if (first.pairs) byId("pairs-counts").replaceChildren(...pairBars(first.pairs));
    byId("test").hidden = !test;
    if (test) this._showTest(test);
    const graphs = [eloCourse(course), test && llrCourse(course, test)].filter((graph) => graph);
    byId("courses").hidden = !graphs.length;
    byId("courses").replaceChildren(...graphs);
  }

  /** @param {Test} test */
  _showTest(test) {
    const { lower, upper, elo0, elo1, model } = test, llr = test.llr ?? 0;
    const part = (100 * (Math.max(lower, Math.min(upper, llr)) - lower)) / (upper - lower), zero = (-100 * lower) / (upper - lower);
    const meter = byId("llr");
    const values = { valuemin: lower, valuemax: upper, valuenow: Math.max(lower, Math.min(upper, llr)), valuetext: llrText(test) };
    for (const [name, value] of Object.entries(values)) meter.setAttribute(`aria-${name}`, String(value));
    const bar = byId("llr-bar");
    bar.style.left = `${Math.min(part, zero)}%`;
    bar.style.width = `${Math.abs(part - zero)}%`;
    byId("llr-zero").style.left = `${zero}%`;
    setText(byId("llr-text"), `LLR ${llrText(test)}`);
    const unit = model === "normalized" ? "nElo" : model === "bayesian" ? "BayesElo" : t`Elo`;
    setText(byId("llr-lower"), `H0: ${elo0} ${unit} (${signedText(lower, 2)})`);
    setText(byId("llr-upper"), `H1: ${elo1} ${unit} (${signedText(upper, 2)})`);
  }

  // More entrants

  /** @param {Standings} now */
  _showRanks({ entrants, crosstable }) {
    const pairs = entrants.some((entrant) => entrant.pairs);
    byId("ranks-pairs").hidden = !pairs;
    const ties = Object.keys(entrants[0]?.ties ?? {}).filter(isNews);
    for (const old of byId("ranks-head").querySelectorAll(".tie")) old.remove();
    byId("ranks-points").after(...ties.map((name, at) => make("th", { scope: "col", class: `number tie ${at ? "wide" : ""}` }, name)));
    // A narrow screen has room for one figure.
    byId("ranks-elo").classList.toggle("wide", !!ties.length);
    byId("ranks-nelo").hidden = !!ties.length;
    fillList(byId("ranks"), entrants.map((entrant) => ({ entrant, ties, pairs })), rankRow);
    const part = byId("crosstable-part");
    if (part.hidden) part.open = entrants.length <= OPEN_CROSSTABLE;
    part.hidden = !crosstable;
    if (!crosstable) return;
    byId("crosstable-head").replaceChildren(make("th", { scope: "col" }, t`Name`),
      ...entrants.map(({ name }, at) => make("th", { scope: "col", class: "number", title: name }, String(at + 1))));
    byId("crosstable").replaceChildren(...crossRows(entrants, crosstable));
  }
}

/** @param {Entrant} first @returns {[string, string][]} */
function figures(first) {
  const { games, points } = first;
  return [
    [t`Games`, String(games)],
    [t`Won, drawn, lost`, `${first.wins}, ${first.draws}, ${first.losses}`],
    [t`Score`, games ? percentText(points / games) : "–"],
    [t`Elo`, errorText(first.elo, first.elo_error)],
    ["nElo", errorText(first.nelo, first.nelo_error)],
    ["LOS", first.los === null ? "–" : percentText(first.los)],
  ];
}

/** A bar and a number for each score of a pair. @param {number[]} counts */
function pairBars(counts) {
  const most = Math.max(1, ...counts);
  return counts.map((count, at) => make("li", {},
    make("span", { class: "pair-count" }, String(count)),
    make("span", { class: "pair-bar", "aria-hidden": "true", style: `height: ${Math.round((100 * count) / most)}%` }),
    make("span", { class: "quiet" }, make("span", { class: "visually-hidden" }, t`pairs with `), PAIRS[at])));
}

/** @param {Test} test @returns {string} `+1.25 (42 % of the way to H1)` */
function llrText({ llr, lower, upper }) {
  if (llr === null) return "–";
  const way = Math.round((100 * llr) / (llr < 0 ? lower : upper));
  return `${signedText(llr, 2)}${way ? t` (${way} % of the way to ${llr < 0 ? "H0" : "H1"})` : ""}`;
}

/** @param {Test} test */
const decisionText = ({ accepted, elo0, elo1 }) => t`The test [${elo0}, ${elo1}] is decided: ${accepted} was accepted.`;

/** Whether that tie-break has no column of its own. @param {string} name */
const isNews = (name) => !["wins", "games"].includes(name);

/** @param {{entrant: Entrant, ties: string[], pairs: boolean}} one `ties`: the tie-breaks that have columns; `pairs`: whether there is a column for
 * them */
function rankRow({ entrant, ties, pairs }) {
  const cell = (text, kind = "") => make("td", { class: `number ${kind}` }, text);
  return make("tr", {},
    cell(String(entrant.rank)),
    make("th", { scope: "row", class: "game-names" }, playerLink(entrant.name), entrant.note ? make("span", { class: "quiet" }, ` ${entrant.note}`) : null),
    cell(String(entrant.points)), ...ties.map((name, at) => cell(String(entrant.ties[name] ?? "–"), at ? "wide" : "")),
    cell(String(entrant.games), "wide"),
    cell(String(entrant.wins), "wide"), cell(String(entrant.draws), "wide"), cell(String(entrant.losses), "wide"),
    cell(errorText(entrant.elo, entrant.elo_error), ties.length ? "wide" : ""),
    ties.length ? null : cell(errorText(entrant.nelo, entrant.nelo_error), "wide"),
    pairs ? cell((entrant.pairs ?? []).join(" · "), "wide") : null);
}

/** @param {Entrant[]} entrants @param {Encounter[]} encounters */
function crossRows(entrants, encounters) {
  /** @type {Map<string, {points: number, games: number, said: string}>} */
  const played = new Map();
  for (const { first, second, wins, draws, losses } of encounters) {
    const games = wins + draws + losses;
    const said = (won, lost) => t`${won} won, ${draws} drawn, ${lost} lost`;
    played.set(`${first} ${second}`, { points: wins + draws / 2, games, said: said(wins, losses) });
    played.set(`${second} ${first}`, { points: losses + draws / 2, games, said: said(losses, wins) });
  }
  // Equal entrants share a rank, so columns and rows are numbered by their places.
  return entrants.map((one, at) => make("tr", {},
    make("th", { scope: "row", class: "game-names" }, `${at + 1} `, playerLink(one.name)),
    ...entrants.map((other) => {
      if (one === other) return make("td", { class: "self" });
      const known = played.get(`${one.number} ${other.number}`);
      return make("td", { class: "number", title: known?.said }, known ? `${known.points}/${known.games}` : "");
    })));
}

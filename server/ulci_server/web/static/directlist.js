/** The tournaments that are not over, with their director's acts. */

import { getJson } from "./api.js";
import { confirmed } from "./choice.js";
import { byId, make, note, say, setText } from "./dom.js";
import { askForm } from "./formdialog.js";
import { t } from "./texts.js";

/** @typedef {import("./director.js").Director} Director */
/** @typedef {{name: string, state: string, why_paused: string, entrants: number}} Listed */

const MOST_RANKED = 100; // entrants in the standings
const MOST_CHOICES = 2000; // pairings to choose from: the most of a Swiss tournament
const OVER = ["stopped", "finished"];
const SCORES = [["1-0", t`1-0: White has won`], ["0-1", t`0-1: Black has won`], ["1/2-1/2", t`½-½: a draw`], ["0-0", t`0-0: both have lost`]];
const WAYS = [["account", t`Account`], ["engine", t`Engine of this server`], ["remote", t`Program at the tournament's listener`]];

/** One tournament in the list. It reuses its elements, so that the focus stays. */
class Entry {
  /** @param {RunningList} list @param {Listed} one */
  constructor(list, one) {
    const name = one.name;
    const title = `t-${name}`;
    /** @param {string} label @param {() => unknown} does @param {string} [kind] */
    const button = (label, does, kind = "") => make("button", { type: "button", class: kind, onclick: does }, label);
    this.state = make("span", { class: "quiet" });
    this.toggle = button(t`Start`, () => list.act(name, this.running ? "pause" : "start"));
    this.running = false;
    this.element = make("li", { class: "directed" },
      make("h3", { id: title, tabIndex: -1 }, make("a", { href: `/tournaments/${encodeURIComponent(name)}` }, name)),
      this.state,
      make("div", { class: "acts", role: "group", "aria-labelledby": title },
        this.toggle,
        button(t`Next round`, () => list.act(name, "next-round")),
        button(t`Enter…`, () => list.enter(name)),
        button(t`Remove…`, () => list.remove(name)),
        button(t`Correct result…`, () => list.correct(name)),
        button(t`Pair by hand…`, () => list.pair(name)),
        button(t`Stop`, () => list.stop(name), "danger")));
    this.show(one);
  }

  /** @param {Listed} one */
  show(one) {
    this.running = one.state === "running";
    setText(this.toggle, this.running ? t`Pause` : one.state === "paused" ? t`Go on` : t`Start`);
    const why = one.why_paused ? `: ${one.why_paused}` : "";
    setText(this.state, `${one.state === "created" ? t`not begun` : one.state}${why}, ${one.entrants} ${one.entrants === 1 ? t`entrant` : t`entrants`}`);
  }
}

export class RunningList {
  /** @type {Map<string, Entry>} */
  #entries = new Map();
  #director;
  #changed;

  /** @param {Director} director @param {() => Promise<void>} changed called after each act */
  constructor(director, changed) {
    this.#director = director;
    this.#changed = changed;
  }

  /** @param {Listed[]} all the newest first */
  show(all) {
    const open = all.filter((one) => !OVER.includes(one.state));
    const names = new Set(open.map((one) => one.name));
    for (const [name, entry] of this.#entries) {
      if (names.has(name)) continue;
      if (entry.element.contains(document.activeElement)) byId("running-title").focus();
      entry.element.remove();
      this.#entries.delete(name);
    }
    for (const one of [...open].reverse()) { // the oldest first: each one is put above those before it
      const known = this.#entries.get(one.name);
      if (known) known.show(one);
      else {
        const entry = new Entry(this, one);
        this.#entries.set(one.name, entry);
        byId("running").prepend(entry.element);
      }
    }
    byId("none").hidden = !!open.length;
  }

  /** @param {string} name */
  focus(name) {
    this.#entries.get(name)?.toggle.focus();
  }

  /** @param {string} name @param {string} act @param {object} [said] */
  async act(name, act, said) {
    note(byId("act-fault"));
    try {
      this.#tell((await this.#director.act(name, act, said)).text);
    } catch (error) {
      note(byId("done"));
      note(byId("act-fault"), `${name}: ${/** @type {Error} */ (error).message}`);
    }
    await this.#changed();
  }

  /** @param {string} text */
  #tell(text) {
    note(byId("done"), text);
    say(text);
  }

  /** Ask for an act's arguments, and perform it; on a refusal the dialog stays open and shows the reason. @param {string} name @param {string} act @param {string} title
   * @param {import("./formdialog.js").Field[]} fields @param {(said: Object<string, string>) => object} said */
  async #ask(name, act, title, fields, said) {
    note(byId("act-fault"));
    await askForm(title, fields, async (values) => {
      this.#tell((await this.#director.act(name, act, said(values))).text);
    });
    await this.#changed();
  }

  /** Read a tournament with at most `most` pairings of a round; if that fails, show a message and return null.
   * @param {string} name @param {string} [round] @param {number} [most] @returns {Promise<any>} */
  async #read(name, round = "", most = 0) {
    const address = `/api/tournaments/${encodeURIComponent(name)}`;
    try {
      const found = await getJson(`${address}${round && `?round=${round}`}`);
      while (found.pairings.length < Math.min(most, found.paired)) {
        const next = await getJson(`${address}?round=${found.round}&after=${found.pairings.at(-1).number}`);
        if (!next.pairings.length) break;
        found.pairings.push(...next.pairings);
      }
      return found;
    } catch (error) {
      note(byId("act-fault"), `${name}: ${/** @type {Error} */ (error).message}`);
      return null;
    }
  }

  /** @param {string} name */
  async stop(name) {
    if (await confirmed(t`Stop ${name} for good? Games that are being played go on.`, t`Stop it`, t`Leave it`)) await this.act(name, "stop");
  }

  /** @param {string} name */
  enter(name) {
    return this.#ask(name, "enter", t`Enter somebody in ${name}`, [
      { name: "way", label: t`Who plays`, options: WAYS },
      { name: "who", label: t`Name`, required: true },
      { name: "boards", label: t`Games at once`, value: "1", numeric: true },
    ], ({ way, who, boards }) => ({ [way]: who, boards: Number(boards) }));
  }

  /** @param {string} name */
  async remove(name) {
    const found = await this.#read(name);
    if (!found) return;
    await this.#ask(name, "remove", t`Remove somebody from ${name}`, [
      { name: "entrant", label: t`Entrant`, required: true, ...namesOf(found) },
      { name: "why", label: t`Why, for the record` },
    ], (said) => said);
  }

  /** @param {string} name */
  async correct(name) {
    const found = await this.#read(name, "", MOST_CHOICES);
    if (!found) return;
    const pairings = choices(found);
    if (!pairings.length) {
      note(byId("act-fault"), t`${name}: nobody is paired in round ${found.round} yet.`);
      return;
    }
    /** @type {import("./formdialog.js").Field[]} */
    const which = found.paired > MOST_CHOICES ? [{ name: "pairing", label: t`Number of the pairing`, required: true, numeric: true }] : [
      { name: "round", label: t`Round`, value: String(found.round), options: Array.from({ length: found.rounds }, (_, at) => [`${at + 1}`, `${at + 1}`]),
        refill: async (round) => { const one = await this.#read(name, round, MOST_CHOICES); return one && { pairing: choices(one) }; } },
      { name: "pairing", label: t`Pairing`, options: pairings },
    ];
    await this.#ask(name, "correct", t`Correct a result of ${name}`, [
      ...which,
      { name: "score", label: t`Counts as`, options: SCORES },
      { name: "why", label: t`Why, for the record` },
    ], ({ pairing, score, why }) => ({ pairing: Number(pairing), score, why }));
  }

  /** @param {string} name */
  async pair(name) {
    const found = await this.#read(name);
    if (!found) return;
    const names = namesOf(found);
    await this.#ask(name, "pair", t`Pair two of ${name} by hand`, [
      { name: "white", label: t`White`, required: true, ...names },
      { name: "black", label: t`Black`, required: true, ...names },
    ], (said) => said);
  }
}

/** The field for an entrant: a choice, or a text if the standings do not list all entrants. @param {any} found */
function namesOf(found) {
  /** @type {string[]} */
  const names = found.standings.entrants.map((/** @type {{name: string}} */ one) => one.name);
  return names.length < MOST_RANKED ? { options: names.map((name) => [name, name]) } : { among: names };
}

/** The pairings of the round whose score a director can set. @param {{pairings: any[]}} found @returns {string[][]} */
const choices = (found) => found.pairings.filter((one) => one.black !== null && !one.void)
  .map((one) => [String(one.number), `${one.number}: ${one.white} – ${one.black}${one.score ? `, ${one.score}` : ""}`]);

/** The tournaments that are not over, and what their director does with them. */

import { getJson } from "./api.js";
import { confirmed } from "./choice.js";
import { byId, make, note, say, setText } from "./dom.js";
import { askForm } from "./formdialog.js";

/** @typedef {import("./director.js").Director} Director */
/** @typedef {{name: string, state: string, entrants: number}} Listed */

const MOST_RANKED = 100; // that standings list
const OVER = ["stopped", "finished"];
const SCORES = [["1-0", "1-0: White has won"], ["0-1", "0-1: Black has won"], ["1/2-1/2", "½-½: a draw"], ["0-0", "0-0: both have lost"]];
const WAYS = [["account", "Account"], ["engine", "Engine of this server"], ["remote", "Program at the tournament's listener"]];

/** One tournament. Its elements stay the same, so that the focus stays where it is. */
class Entry {
  /** @param {RunningList} list @param {Listed} one */
  constructor(list, one) {
    const name = one.name;
    const title = `t-${name}`;
    /** @param {string} label @param {() => unknown} does @param {string} [kind] */
    const button = (label, does, kind = "") => make("button", { type: "button", class: kind, onclick: does }, label);
    this.state = make("span", { class: "quiet" });
    this.toggle = button("Start", () => list.act(name, this.running ? "pause" : "start"));
    this.running = false;
    this.element = make("li", { class: "directed" },
      make("h3", { id: title, tabIndex: -1 }, make("a", { href: `/tournaments/${encodeURIComponent(name)}` }, name)),
      this.state,
      make("div", { class: "acts", role: "group", "aria-labelledby": title },
        this.toggle,
        button("Next round", () => list.act(name, "next-round")),
        button("Enter…", () => list.enter(name)),
        button("Remove…", () => list.remove(name)),
        button("Correct result…", () => list.correct(name)),
        button("Pair by hand…", () => list.pair(name)),
        button("Stop", () => list.stop(name), "danger")));
    this.show(one);
  }

  /** @param {Listed} one */
  show(one) {
    this.running = one.state === "running";
    setText(this.toggle, this.running ? "Pause" : one.state === "paused" ? "Go on" : "Start");
    setText(this.state, `${one.state === "created" ? "not begun" : one.state}, ${one.entrants} ${one.entrants === 1 ? "entrant" : "entrants"}`);
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
    for (const one of [...open].reverse()) { // each new one is put before those that are older
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

  /** Ask, and do it; the dialog stays open with what is wrong. @param {string} name @param {string} act @param {string} title
   * @param {import("./formdialog.js").Field[]} fields @param {(said: Object<string, string>) => object} said */
  async #ask(name, act, title, fields, said) {
    note(byId("act-fault"));
    await askForm(title, fields, async (values) => {
      this.#tell((await this.#director.act(name, act, said(values))).text);
    });
    await this.#changed();
  }

  /** What is known of it; null and a message if it cannot be read. @param {string} name @param {string} [round] @returns {Promise<any>} */
  async #read(name, round = "") {
    try {
      return await getJson(`/api/tournaments/${encodeURIComponent(name)}${round && `?round=${round}`}`);
    } catch (error) {
      note(byId("act-fault"), `${name}: ${/** @type {Error} */ (error).message}`);
      return null;
    }
  }

  /** @param {string} name */
  async stop(name) {
    if (await confirmed(`Stop ${name} for good? Games that are being played go on.`, "Stop it", "Leave it")) await this.act(name, "stop");
  }

  /** @param {string} name */
  enter(name) {
    return this.#ask(name, "enter", `Enter somebody in ${name}`, [
      { name: "way", label: "Who plays", options: WAYS },
      { name: "who", label: "Name", required: true },
      { name: "boards", label: "Games at once", value: "1", numeric: true },
    ], ({ way, who, boards }) => ({ [way]: who, boards: Number(boards) }));
  }

  /** @param {string} name */
  async remove(name) {
    const found = await this.#read(name);
    if (!found) return;
    await this.#ask(name, "remove", `Remove somebody from ${name}`, [
      { name: "entrant", label: "Entrant", required: true, ...namesOf(found) },
      { name: "why", label: "Why, for the record" },
    ], (said) => said);
  }

  /** @param {string} name */
  async correct(name) {
    const found = await this.#read(name);
    if (!found) return;
    const pairings = choices(found);
    if (!pairings.length) {
      note(byId("act-fault"), `${name}: nobody is paired in round ${found.round} yet.`);
      return;
    }
    await this.#ask(name, "correct", `Correct a result of ${name}`, [
      { name: "round", label: "Round", value: String(found.round), options: Array.from({ length: found.rounds }, (_, at) => [`${at + 1}`, `${at + 1}`]),
        refill: async (round) => { const one = await this.#read(name, round); return one && { pairing: choices(one) }; } },
      { name: "pairing", label: "Pairing", options: pairings },
      { name: "score", label: "Counts as", options: SCORES },
      { name: "why", label: "Why, for the record" },
    ], ({ pairing, score, why }) => ({ pairing: Number(pairing), score, why }));
  }

  /** @param {string} name */
  async pair(name) {
    const found = await this.#read(name);
    if (!found) return;
    const names = namesOf(found);
    await this.#ask(name, "pair", `Pair two of ${name} by hand`, [
      { name: "white", label: "White", required: true, ...names },
      { name: "black", label: "Black", required: true, ...names },
    ], (said) => said);
  }
}

/** The entrants to choose from; where the standings do not list all, one is typed. @param {any} found */
function namesOf(found) {
  /** @type {string[]} */
  const names = found.standings.entrants.map((/** @type {{name: string}} */ one) => one.name);
  return names.length < MOST_RANKED ? { options: names.map((name) => [name, name]) } : { among: names };
}

/** The pairings of its round that can be decided. @param {{pairings: any[]}} found @returns {string[][]} */
const choices = (found) => found.pairings.filter((one) => one.black !== null && !one.void)
  .map((one) => [String(one.number), `${one.number}: ${one.white} – ${one.black}${one.score ? `, ${one.score}` : ""}`]);

/** The form for a new tournament, and the description that it makes. */

import { getJson } from "./api.js";
import { byId, make, note, say, setText } from "./dom.js";
import { t } from "./texts.js";

/** @typedef {import("./director.js").Director} Director */
/** @typedef {import("./director.js").RefusedError} RefusedError */

const TIMED = "arena", ENDLESS = "ladder", TEST = "sprt";
const USUAL_ROUNDS = "1", USUAL_PAIRS = "1000";

/** A string of TOML: JSON's escapes are among its own. @param {string} text */
const quoted = (text) => JSON.stringify(text).replaceAll("\u007f", "\\u007f");

/** A typed integer; any other text becomes a string, which the server refuses with its reason. @param {string} text */
const number = (text) => (/^[0-9]+$/.test(text.trim()) ? String(Number(text)) : quoted(text.trim()));

/** A typed number, with a sign and a decimal point if it has them; any other text becomes a string. @param {string} text */
const real = (text) => (/^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/.test(text.trim()) ? text.trim() : quoted(text.trim()));

/** @param {string} line @returns {string} */
function entrant(line) {
  const [, way, name] = /^(engine|listener)\s*:\s*(.*)$/i.exec(line) ?? ["", "account", line];
  const key = way.toLowerCase() === "listener" ? "name" : way.toLowerCase();
  return `[[entrant]]\n${key} = ${quoted(name)}\n`;
}

/** The description. @param {FormData} said @returns {string} */
export function tomlOf(said) {
  /** @param {string} name */
  const text = (name) => String(said.get(name) ?? "");
  const format = text("format");
  const lines = [`name = ${quoted(text("name").trim())}`, `format = ${quoted(format)}`, `pool = ${quoted(text("pool"))}`];
  if (format === TIMED) lines.push(`minutes = ${number(text("minutes"))}`);
  else if (format !== ENDLESS) lines.push(`rounds = ${number(text("rounds"))}`);
  if (format !== TIMED && format !== ENDLESS) lines.push(`games = ${text("games")}`);
  if (format === TEST) {
    const bounds = ["elo0", "elo1", "alpha", "beta"].map((name) => `${name} = ${real(text(name))}`);
    lines.push(`sprt = { ${bounds.join(", ")}, model = ${quoted(text("model"))} }`);
  }
  if (text("late").trim()) lines.push(`late = ${number(text("late"))}`);
  if (said.has("open")) lines.push("open = true");
  if (said.has("by_hand")) lines.push("by_hand = true");
  const entrants = text("entrants").split("\n").map((line) => line.trim()).filter(Boolean);
  return `${lines.join("\n")}\n${entrants.map((line) => `\n${entrant(line)}`).join("")}`;
}

export class MakeForm {
  #form = /** @type {HTMLFormElement} */ (byId("make-form"));
  #toml = /** @type {HTMLTextAreaElement} */ (byId("toml"));
  #own = false; // whether the director has typed or pasted a description
  #director;
  #made;

  #sends = false;

  /** @param {Director} director @param {(name: string, text: string) => void} made */
  constructor(director, made) {
    this.#director = director;
    this.#made = made;
    this.#form.addEventListener("input", (event) => {
      if (event.target === this.#toml) this.#setOwn(true);
      else {
        if (event.target === this.#form.elements.namedItem("format")) this.#suggestRounds();
        this.#fill();
      }
    });
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send(false);
    });
    byId("check").addEventListener("click", () => this.#send(true));
    byId("from-form").addEventListener("click", () => {
      this.#setOwn(false);
      this.#fill();
      this.#toml.focus();
    });
    this.#fill();
  }

  async readPools() {
    const select = this.#form.elements.namedItem("pool");
    if (!(select instanceof HTMLSelectElement) || select.options.length) return;
    try {
      const { pools } = await getJson("/api/pools");
      select.replaceChildren(...pools.map((/** @type {{name: string, control: string}} */ pool) => make("option", { value: pool.name }, `${pool.name} (${pool.control})`)));
      this.#fill();
    } catch (error) {
      note(byId("line"), /** @type {Error} */ (error).message);
    }
  }

  /** @param {boolean} own */
  #setOwn(own) {
    if (own && !this.#own) say(t`Your own description is sent, the fields do not count`);
    this.#own = own;
    byId("own-toml").hidden = !own;
  }

  /** Put the usual number into the field of rounds: a test has more pairs than other formats have rounds. */
  #suggestRounds() {
    const rounds = /** @type {HTMLInputElement} */ (this.#form.elements.namedItem("rounds"));
    if (![USUAL_ROUNDS, USUAL_PAIRS].includes(rounds.value)) return;
    rounds.value = new FormData(this.#form).get("format") === TEST ? USUAL_PAIRS : USUAL_ROUNDS;
  }

  #fill() {
    const said = new FormData(this.#form), format = said.get("format");
    byId("minutes-label").hidden = format !== TIMED;
    byId("rounds-label").hidden = format === TIMED || format === ENDLESS;
    setText(byId("rounds-name"), format === TEST ? t`Pairs of games at most` : t`Rounds`);
    byId("test-part").hidden = format !== TEST;
    byId("games-label").hidden = format === TIMED || format === ENDLESS;
    if (!this.#own) this.#toml.value = tomlOf(said);
  }

  /** @param {boolean} onlyCheck */
  async #send(onlyCheck) {
    if (this.#sends) return;
    this.#sends = true;
    const starts = new FormData(this.#form).has("start");
    byId("faults").hidden = true;
    note(byId("checked"));
    try {
      const { name, text, notes } = await this.#director.make(this.#toml.value, onlyCheck ? "check=1" : starts ? "start=1" : "");
      const told = [text, ...notes].join("; ");
      say(told);
      if (onlyCheck) {
        note(byId("checked"), told);
        return;
      }
      this.#form.reset();
      this.#setOwn(false);
      this.#fill();
      this.#made(name, told);
    } catch (error) {
      this.#tell(/** @type {RefusedError} */ (error).errors);
    } finally {
      this.#sends = false;
    }
  }

  /** @param {string[]} errors */
  #tell(errors) {
    byId("faults-list").replaceChildren(...errors.map((one) => make("li", {}, one)));
    setText(byId("faults-title"), errors.length === 1 ? t`One thing is wrong:` : t`${errors.length} things are wrong:`);
    byId("faults").hidden = false;
  }
}

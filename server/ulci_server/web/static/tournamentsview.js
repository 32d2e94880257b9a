/** The tournaments in the lobby, and which of them the person has entered. */

import { byId, fillList, make, note, say } from "./dom.js";
import { t } from "./texts.js";
import { shown } from "./timechoice.js";

const ASK_EVERY_MS = 60_000; // thousands may be in the lobby
const WORD = "enter"; // the parameter of the page's address that names the tournament to enter

export class TournamentsView {
  /** @param {(line: string) => boolean} tell sends a line to the server */
  constructor(tell) {
    this.tell = tell;
    this.account = false;
    /** @type {Map<string, Object<string, string>>} */
    this.listed = new Map();
    /** @type {Map<string, string>} those that the person has entered, each with the entrant's name */
    this.entered = new Map();
    this.unlisted = 0; // tournaments of the server's list that have not arrived yet
    this.wanted = new URLSearchParams(location.search).get(WORD) ?? "";
    setInterval(() => {
      if (!byId("lobby").hidden && document.visibilityState === "visible") this.tell("tournaments");
    }, ASK_EVERY_MS);
  }

  /** Ask for the tournaments on a new connection. @param {boolean} account whether the player has proved an account */
  enter(account) {
    this.account = account;
    this.unlisted = 0;
    const again = [...this.entered.keys()];
    this.entered.clear();
    this.tell("tournaments");
    for (const name of again) this.tell(`enter ${name}`);
    const { wanted } = this;
    if (!wanted) return;
    this.wanted = "";
    history.replaceState(null, "", location.pathname);
    if (account) this.tell(`enter ${wanted}`);
    else this._note(t`To enter ${wanted} you need an account here: leave, and enter with its token.`);
  }

  /** @param {Object<string, string>} line @returns {boolean} whether it was about tournaments */
  hear(line) {
    switch (line.line) {
      case "TournamentList":
        this.listed.clear();
        this.unlisted = Number(line.count);
        break;
      case "ListedTournament":
        this.listed.set(line.name, line);
        this.unlisted -= 1;
        break;
      case "Entered":
        this.entered.set(line.name, line.player);
        this._note(t`You play in ${line.name}${Number(line.round) > 1 ? t` from round ${line.round} on` : ""}. Stay here: your games begin by themselves.`);
        break;
      case "Withdrawn":
        this.entered.delete(line.name);
        this._note(t`You play no more in ${line.name}${line.text ? `: ${line.text}` : ""}.`);
        break;
      case "NextPairing":
        this._note(t`${line.name}, round ${line.round}: ${line.white} plays White against ${line.black}. The game begins as soon as both are free.`);
        break;
      case "TournamentOver":
        this.listed.delete(line.name);
        this.entered.delete(line.name);
        this._note(t`${line.name} is over${line.first ? t`; ${line.first} is first` : ""}.`);
        break;
      default: return false;
    }
    if (this.unlisted <= 0) this._draw();
    return true;
  }

  /** @param {string} text */
  _note(text) {
    note(byId("lobby-note"), text);
    say(text);
  }

  _draw() {
    const focused = byId("tournaments").contains(document.activeElement);
    const entries = [...this.listed.values()].map((one) => {
      const within = this.entered.has(one.name);
      return { ...one, within, may: within || (this.account && one.open === "yes") };
    });
    fillList(byId("tournaments"), entries, (one) => this._entry(one));
    byId("tournaments-part").hidden = !this.listed.size;
    if (focused && !byId("tournaments").contains(document.activeElement)) byId("tournaments-title").focus();
  }

  /** @param {{name: string, format: string, state: string, time?: string, entrants: string, within: boolean, may: boolean}} one
   * `within`: whether the person has entered it; `may`: whether there is a button to enter or to withdraw */
  _entry({ name, format, state, time, entrants, within, may }) {
    const [label, word] = within ? [t`Withdraw`, "withdraw"] : [t`Enter`, "enter"];
    const facts = [format, shown(time ?? "").text, state, t`${entrants} entrants`, within ? t`you play in it` : ""].filter(Boolean).join(" · ");
    const button = may
      ? make("button", { type: "button", class: within ? "" : "primary", "aria-label": `${label}: ${name}`, onclick: () => this.tell(`${word} ${name}`) }, label)
      : null;
    return make("li", { class: "entry" },
      make("span", { class: "entry-what" }, make("a", { href: `/tournaments/${encodeURIComponent(name)}`, target: "_blank" }, name),
        make("span", { class: "quiet" }, ` ${facts}`)),
      make("span", { class: "entry-acts" }, button));
  }
}

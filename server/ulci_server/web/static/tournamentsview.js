/** Tournaments in the lobby: which there are, and whether one plays in them. */

import { byId, make, note, say } from "./dom.js";

const ASK_EVERY_MS = 60_000; // thousands may be in the lobby
const WORD = "enter"; // of the page's address: the tournament that is to be entered

export class TournamentsView {
  /** @param {(line: string) => boolean} tell says a line to the server */
  constructor(tell) {
    this.tell = tell;
    this.account = false;
    /** @type {Map<string, Object<string, string>>} */
    this.listed = new Map();
    /** @type {Map<string, string>} that one plays in: under which name */
    this.entered = new Map();
    this.wanted = new URLSearchParams(location.search).get(WORD) ?? "";
    setInterval(() => {
      if (!byId("lobby").hidden && document.visibilityState === "visible") this.tell("tournaments");
    }, ASK_EVERY_MS);
  }

  /** The line is there (again). @param {boolean} account whether a token has proved who that is */
  enter(account) {
    this.account = account;
    const again = [...this.entered.keys()];
    this.entered.clear();
    this.tell("tournaments");
    for (const name of again) this.tell(`enter ${name}`);
    const { wanted } = this;
    if (!wanted) return;
    this.wanted = "";
    history.replaceState(null, "", location.pathname);
    if (account) this.tell(`enter ${wanted}`);
    else this._note(`To enter ${wanted} you need an account here: leave, and enter with its token.`);
  }

  /** @param {Object<string, string>} line @returns {boolean} whether it was about tournaments */
  hear(line) {
    switch (line.line) {
      case "TournamentList": this.listed.clear(); break;
      case "ListedTournament": this.listed.set(line.name, line); break;
      case "Entered":
        this.entered.set(line.name, line.player);
        this._note(`You play in ${line.name}${Number(line.round) > 1 ? ` from round ${line.round} on` : ""}. Stay here: your games begin by themselves.`);
        break;
      case "Withdrawn":
        this.entered.delete(line.name);
        this._note(`You play no more in ${line.name}${line.text ? `: ${line.text}` : ""}.`);
        break;
      case "NextPairing":
        this._note(`${line.name}, round ${line.round}: ${line.white} plays White against ${line.black}. The game begins as soon as both are free.`);
        break;
      case "TournamentOver":
        this.listed.delete(line.name);
        this.entered.delete(line.name);
        this._note(`${line.name} is over${line.first ? `; ${line.first} is first` : ""}.`);
        break;
      default: return false;
    }
    this._draw();
    return true;
  }

  /** @param {string} text */
  _note(text) {
    note(byId("lobby-note"), text);
    say(text);
  }

  _draw() {
    const focused = byId("tournaments").contains(document.activeElement);
    byId("tournaments").replaceChildren(...[...this.listed.values()].map((one) => this._entry(one)));
    byId("tournaments-part").hidden = !this.listed.size;
    if (focused) byId("tournaments-title").focus();
  }

  /** @param {Object<string, string>} one */
  _entry({ name, format, state, time, entrants, open }) {
    const within = this.entered.has(name);
    const [label, word] = within ? ["Withdraw", "withdraw"] : ["Enter", "enter"];
    const facts = [format, time, state, `${entrants} entrants`, within ? "you play in it" : ""].filter(Boolean).join(" · ");
    const button = within || (this.account && open === "yes")
      ? make("button", { type: "button", class: within ? "" : "primary", "aria-label": `${label}: ${name}`, onclick: () => this.tell(`${word} ${name}`) }, label)
      : null;
    return make("li", { class: "entry" },
      make("span", { class: "entry-what" }, make("a", { href: `/tournaments/${encodeURIComponent(name)}`, target: "_blank" }, name),
        make("span", { class: "quiet" }, ` ${facts}`)),
      make("span", { class: "entry-acts" }, button));
  }
}

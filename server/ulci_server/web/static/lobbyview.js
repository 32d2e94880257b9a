/** The lobby on the screen: what one looks for, who looks for a game, who is here. */

import { getJson } from "./api.js";
import { byId, make, note, say, setText } from "./dom.js";
import { keep, kept } from "./kept.js";
import { oneLine, termsLine } from "./lobby.js";
import { entered } from "./timecontrol.js";
import { conductText, gameName, ratingText, sideName } from "./words.js";

const START_MAX = 24; // characters of a start that are shown: a name, not a FEN
const STORE = "ulci.seeks";
const PLAYERS_EVERY_MS = 20_000;

/** The lobby's refusals of what was sought or asked of somebody, by what they may refuse: of those that wait for an answer,
 * they mean the first. All others are about something else, or (`too-fast`) do not tell about what. */
const TERMS_REFUSED = ["bad-start", "bad-time", "busy", "cannot-play", "closed", "no-such-game", "not-allowed", "too-large",
  "too-many-games", "too-much-time"];
const REFUSED = {
  seek: new Set([...TERMS_REFUSED, "too-many-seeks"]),
  challenge: new Set([...TERMS_REFUSED, "bad-name", "ignored", "no-such-player", "not-heard", "too-many-challenges", "too-many-strangers"]),
};

/** @param {string} line `seek …` or `challenge …` */
const wordOf = (line) => line.split(" ", 1)[0];

/** Lines that change a list come in bursts: it is drawn once for all of them. */
const DRAW_MS = 50;

export class LobbyView {
  /** @param {(line: string) => boolean} tell says a line to the server */
  constructor(tell) {
    this.tell = tell;
    this.me = "";
    /** @type {Map<string, any>} */
    this.seeks = new Map();
    /** @type {Map<string, any>} challenges to me */
    this.challenges = new Map();
    /** @type {Map<string, string>} my own challenges: number, whom */
    this.asked = new Map();
    /** @type {Map<string, any>} */
    this.players = new Map();
    /** @type {Map<string, string>} what was said for my own seeks, by their numbers */
    this.mine = new Map();
    /** @type {string[]} seeks and challenges that have no number yet, in the order in which they were said */
    this.said = [];
    this.form = byId("seek-form");
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const terms = this._terms();
      if (terms && this._ask(termsLine("seek", terms))) note(byId("lobby-note"), "Seeking an opponent…");
    });
    byId("challenge-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this._challenge(byId("challenge-name").value);
    });
    setInterval(() => {
      if (!byId("lobby").hidden && document.visibilityState === "visible") this._askPlayers();
    }, PLAYERS_EVERY_MS);
  }

  /** @param {{games: string[], pools: {rules: string, control: string, rated: boolean}[]}} server */
  offer({ games, pools }) {
    const choice = this.form.elements.game;
    const first = pools.map((pool) => pool.rules), names = [...new Set([...first, ...games])];
    choice.replaceChildren(...names.map((name) => make("option", { value: name }, gameName(name))));
    const suggest = () => {
      const pool = pools.find(({ rules }) => rules === choice.value);
      this.suggested = pool?.control ?? "5m+3s";
      this.form.elements.time.value = this.suggested;
      this.form.elements.rated.checked = pool?.rated ?? false;
      byId("start-hint").hidden = choice.value !== "liberty";
      const [, white, black] = this.form.elements.color.options;
      setText(white, `${sideName("white", choice.value)} (first)`);
      setText(black, sideName("black", choice.value));
    };
    choice.addEventListener("change", suggest);
    suggest();
    this.form.elements.against.addEventListener("change", () => this._offerLevels());
  }

  /** A level can be chosen where an engine may come and one that is here has levels. */
  _offerLevels() {
    const { against, level } = this.form.elements;
    const most = Math.max(0, ...[...this.players.values()].map(({ levels }) => levels ?? 0));
    byId("level-part").hidden = !most || against.value === "human";
    if (level.options.length === most + 1) return;
    const chosen = level.value;
    const levels = Array.from({ length: most }, (_, index) => String(index + 1));
    level.replaceChildren(make("option", { value: "" }, "full strength"), ...levels.map((value) => make("option", { value }, value)));
    level.value = levels.includes(chosen) ? chosen : "";
  }

  /** The line is there (again): ask for all lists anew.
   * @param {string} me @param {boolean} account whether a token has proved who that is */
  enter(me, account) {
    this.me = me;
    byId("rated-part").hidden = !account;
    for (const list of [this.seeks, this.challenges, this.asked, this.players]) list.clear();
    setText(byId("me"), me);
    this.tell("seeks");
    this._askPlayers();
    this._seekAgain();
    this._draw();
  }

  /** @param {Object<string, string>} line @returns {boolean} whether it was the lobby's */
  hear(line) {
    switch (line.line) {
      case "OpenSeek":
        this.seeks.set(line.id, line);
        if (line.player === this.me && !this.mine.has(line.id)) this._opened(line.id);
        break;
      case "IncomingChallenge":
        this.challenges.set(line.id, line);
        say(`${line.player} challenges you: ${gameName(line.game)}, ${line.time}.`);
        break;
      case "OutgoingChallenge":
        this.asked.set(line.id, line.player);
        this._answered((said) => wordOf(said) === "challenge");
        note(byId("lobby-note"), `You challenged ${line.player}.`);
        break;
      case "ChallengeDecline":
        this.asked.delete(line.id);
        this.tellUser(`${line.name} declined your challenge${line.text ? `: ${line.text}` : "."}`);
        break;
      case "Gone":
        for (const list of [this.seeks, this.challenges, this.asked]) list.delete(line.id);
        if (this.mine.delete(line.id)) this._keepSeeks();
        break;
      case "ErrorLine":
        this._answered((said) => REFUSED[wordOf(said)].has(line.code));
        return false;
      case "MatchGame":
        this.tellUser(`Game ${line.n} of ${line.of} against ${line.player}${line.chooser ? `: begins when ${line.chooser === this.me ? "you have" : `${line.chooser} has`} said the color` : ""}.`);
        break;
      case "MatchOver": this.tellUser(`The match is over: ${line.reason}, games played ${line.played}.`); break;
      case "SeekList": this.seeks.clear(); break;
      default: return false;
    }
    clearTimeout(this.drawing);
    this.drawing = setTimeout(() => this._draw(), DRAW_MS);
    return true;
  }

  /** @param {string} text */
  tellUser(text) {
    note(byId("lobby-note"), text);
    say(text);
  }

  /** Somebody says something, and may be told to be quiet. @param {string} name @param {string} text */
  heard(name, text) {
    this.tellUser(`${name} tells you: ${text}`);
    this._noteButton("Ignore", `ignore ${name}`);
  }

  /** @param {string} name @param {boolean} ignored whether nothing that this player says is heard any more */
  ignoring(name, ignored) {
    this.tellUser(ignored ? `You hear nothing more from ${name}.` : `You hear ${name} again.`);
    if (ignored) this._noteButton("Hear again", `unignore ${name}`);
  }

  _noteButton(label, line) {
    byId("lobby-note").append(" ", make("button", { type: "button", onclick: () => this.tell(line) }, label));
  }

  /**
   * @param {boolean} hasLevels whether the opponent may be an engine with levels
   * @returns {Object<string, string>|null} null: the time may be minutes or seconds, which is said
   */
  _terms(hasLevels = true) {
    const { game, time, color, rated, against, level, start } = this.form.elements;
    const typed = time.value.trim();
    const { wire, why } = !typed || typed === this.suggested ? { wire: typed, why: "" } : entered(typed);
    if (why) {
      this.tellUser(`${why[0].toUpperCase()}${why.slice(1)}.`);
      time.focus();
      return null;
    }
    const asked = byId("level-part").hidden || !hasLevels ? "" : level.value;
    return {
      game: game.value, time: wire, color: color.value, against: against.value, start: start.value,
      level: asked,
      // A guest's games are as the pool has them, and none at a level is rated.
      rated: byId("rated-part").hidden || asked ? "" : rated.checked ? "yes" : "no",
    };
  }

  // Seeks end with the line on which they were said, and are said again on the next.

  /** @param {string} line `seek …` or `challenge …` */
  _ask(line) {
    if (!this.tell(line)) return false;
    this.said.push(line);
    this._keepSeeks();
    return true;
  }

  _opened(id) {
    const line = this._answered((said) => wordOf(said) === "seek");
    if (line === undefined) return;
    this.mine.set(id, line);
    this._keepSeeks();
  }

  /** Take out what waits no more: the first of which this is true. @param {(line: string) => boolean} isIt */
  _answered(isIt) {
    const at = this.said.findIndex(isIt);
    if (at < 0) return undefined;
    const [line] = this.said.splice(at, 1);
    this._keepSeeks();
    return line;
  }

  _keepSeeks() {
    keep(STORE, JSON.stringify([...this.mine.values(), ...this.said.filter((line) => wordOf(line) === "seek")]));
  }

  _seekAgain() {
    const before = JSON.parse(kept(STORE) ?? "[]");
    this.forgetSeeks();
    for (const line of before) this._ask(line);
    if (before.length) this.tellUser("The line was new: what you look for has been said again.");
  }

  /** A game begins, or one leaves. */
  forgetSeeks() {
    this.mine.clear();
    this.said = [];
    keep(STORE, null);
  }

  /** Who is here, and whose line is lost, which the lobby's own list does not tell. */
  async _askPlayers() {
    try {
      const { players } = await getJson("/api/players");
      this.players = new Map(players.map((player) => [player.name, player]));
      this._draw();
    } catch {
      // It is asked again.
    }
  }

  _challenge(name) {
    const whom = oneLine(name);
    if (!whom) return;
    const known = [...this.players.values()].find((player) => player.name.toLowerCase() === whom.toLowerCase());
    const terms = this._terms(!!known?.levels);
    if (terms) this._ask(termsLine(`challenge ${whom}`, { ...terms, against: "" }));
  }

  _draw() {
    this._offerLevels();
    const mine = [...this.seeks.values()].filter(({ player }) => player === this.me);
    const others = [...this.seeks.values()].filter(({ player }) => player !== this.me);
    this._list("challenges", [...this.challenges.values()], (offer) => this._offer(offer, [
      ["Accept", `accept ${offer.id}`, "primary"], ["Decline", `decline ${offer.id}`, ""], ["Ignore", `ignore ${offer.player}`, ""],
    ]));
    byId("challenges-part").hidden = !this.challenges.size;
    // During a game there is no lobby to see: a challenge then shows beside the board.
    byId("challenges-part").dataset.count = String(this.challenges.size);
    this._list("own", [...mine, ...[...this.asked].map(([id, player]) => ({ id, challenged: player }))], (offer) =>
      this._offer(offer, [["Withdraw", `unseek ${offer.id}`, ""]]));
    byId("own-part").hidden = !mine.length && !this.asked.size;
    this._list("seeks", others, (offer) => this._offer(offer, [["Play", `accept ${offer.id}`, "primary"]]));
    byId("no-seeks").hidden = others.length > 0;
    const here = [...this.players.values()].filter(({ name }) => name !== this.me)
      .map((player) => ({ ...player, state: this._state(player) }));
    this._list("players", here, (player) => make("li", { class: "entry" },
      make("span", { class: "entry-what" }, make("b", {}, player.name),
        make("span", { class: "quiet" }, ` ${[ratingText(player.rating), player.kind === "engine" ? "engine" : "", player.levels ? `levels 1 to ${player.levels}` : "", player.state].filter(Boolean).join(", ")}`)),
      player.here
        ? make("button", { type: "button", "aria-label": `Challenge ${player.name}`, onclick: () => this._challenge(player.name) }, "Challenge")
        : null));
    byId("no-players").hidden = here.length > 0;
  }

  /** @param {{name: string, game: number|null, here: boolean}} player */
  _state({ name, game, here }) {
    if (!here) return game === null ? "away" : "away from a game";
    if (game !== null) return "playing";
    return [...this.seeks.values()].some(({ player }) => player === name) ? "looks for a game" : "";
  }

  _offer(offer, acts) {
    const what = offer.challenged ? `challenge to ${offer.challenged}` : [
      ratingText(offer.rating), gameName(offer.game), offer.time,
      { random: "", later: "says the color later" }[offer.color] ?? `plays ${sideName(offer.color, offer.game)}`,
      offer.level ? `against an engine of level ${offer.level}` : "",
      offer.range ? `seeks a rating of ${offer.range.replace("-", " to ")}` : "",
      offer.games ? `${offer.games} games` : "",
      offer.rated === "yes" ? "rated" : "", offer.start ? (offer.start.length > START_MAX ? "another start" : `from ${offer.start}`) : "",
      ...conductText(offer.conduct),
    ].filter(Boolean).join(" · ");
    const who = offer.challenged || offer.player === this.me ? "Your" : offer.player;
    return make("li", { class: "entry" },
      make("span", { class: "entry-what" }, make("b", {}, who),
        make("span", { class: "quiet" }, `${offer.kind === "engine" ? " engine · " : " "}${what}`)),
      make("span", { class: "entry-acts" }, ...acts.map(([name, line, style]) => make("button", {
        type: "button", class: style, "aria-label": `${name}: ${who} ${what}`, onclick: () => this.tell(line),
      }, name))));
  }

  /** Draw a list; whoever has the focus on an entry that goes finds it on the list's heading. */
  _list(id, entries, draw) {
    const list = byId(id), key = JSON.stringify(entries);
    if (list.dataset.key === key) return;
    list.dataset.key = key;
    const focused = list.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
    list.replaceChildren(...entries.map(draw));
    if (focused === null) return;
    const same = [...list.querySelectorAll("button")].find((button) => button.getAttribute("aria-label") === focused);
    (same ?? byId("lobby-title")).focus();
  }
}

/** The lobby on the screen: the form for a game, open seeks and challenges, and the players who are connected. */

import { getJson } from "./api.js";
import { complain } from "./complaint.js";
import { byId, fillList, make, note, say, setText } from "./dom.js";
import { offerGames } from "./gamechoice.js";
import { Invitation } from "./invitation.js";
import { keep, kept } from "./kept.js";
import { TERMS_REFUSED, oneLine, ratingRange, termsLine } from "./lobby.js";
import { playerLink } from "./people.js";
import { t } from "./texts.js";
import { TimeChoice, shown } from "./timechoice.js";
import { conductText, gameName, ratingText, sideName } from "./words.js";

const START_MAX = 24; // characters of a start that the list shows: enough for a name, not for a FEN
const STORE = "ulci.seeks";
const PLAYERS_EVERY_MS = 20_000;
const AGAIN_MS = 2000; // between a line that the moving lobby has refused and its repetition

/** The error codes by which the lobby refuses a seek or a challenge: each refuses the first one that waits for an answer.
 * Other codes are about something else, or (`too-fast`) do not name what they refuse. */
const REFUSED = {
  seek: new Set([...TERMS_REFUSED, "too-many-seeks"]),
  challenge: new Set([...TERMS_REFUSED, "bad-name", "ignored", "no-such-player", "not-heard", "too-many-challenges", "too-many-strangers"]),
};

/** @param {string} line `seek …` or `challenge …` */
const wordOf = (line) => line.split(" ", 1)[0];

/** Lines that change a list come in bursts: the page draws it once for all lines within this time. */
const DRAW_MS = 50;

/** Replace the choices of an element, and keep the chosen one. @param {HTMLSelectElement} select @param {string[][]} choices values and texts */
function choose(select, choices) {
  if (select.options.length === choices.length && choices.every(([value], at) => select.options[at].value === value)) return;
  const chosen = select.value;
  select.replaceChildren(...choices.map(([value, text]) => make("option", { value }, text)));
  select.value = choices.some(([value]) => value === chosen) ? chosen : "";
}

/** @param {number} level @param {number} most */
const levelName = (level, most) => `${level}${level === 1 ? t` (weakest)` : level === most ? t` (strongest)` : ""}`;

export class LobbyView {
  /** @param {(line: string) => boolean} tell sends a line to the server @param {() => void} onChallenge a challenge has come and is shown */
  constructor(tell, onChallenge) {
    this.tell = tell;
    this.onChallenge = onChallenge;
    this.unseen = false; // a challenge that is not drawn yet
    this.me = "";
    /** @type {Map<string, any>} */
    this.seeks = new Map();
    /** @type {Map<string, any>} challenges to me */
    this.challenges = new Map();
    /** @type {Map<string, string>} my own challenges: the opponents by number */
    this.asked = new Map();
    /** @type {Map<string, any>} */
    this.players = new Map();
    /** @type {Map<string, string>} the lines of my own seeks, by number */
    this.mine = new Map();
    /** @type {string[]} lines of my seeks and challenges that have no number yet, in the order in which they were sent */
    this.said = [];
    this.form = byId("seek-form");
    this.time = new TimeChoice(this.form, (text) => this.tellUser(text));
    this.invitation = new Invitation(tell);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this._wanted(event.submitter?.value ?? "anybody");
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
    const first = [...new Set(pools.map((pool) => pool.rules))], names = [...new Set([...first, ...games])];
    offerGames(byId("game-choices"), first, names);
    this.time.offer(pools.map((pool) => pool.control));
    const suggest = () => {
      const game = this.form.elements.game.value, pool = pools.find(({ rules }) => rules === game);
      if (pool) this.time.suggest(pool.control);
      this.form.elements.rated.checked = pool?.rated ?? false;
      byId("start-hint").hidden = game !== "liberty";
      const [, white, black] = this.form.querySelectorAll("[name=color] + span");
      setText(white, t`${sideName("white", game)} (first)`);
      setText(black, sideName("black", game));
    };
    byId("game-choices").addEventListener("change", suggest);
    this.time.suggest(pools[0]?.control ?? "300+3");
    suggest();
    this.form.elements.engine.addEventListener("change", () => this._offerEngines());
  }

  /** @param {string} way of finding an opponent */
  _wanted(way) {
    const terms = this._terms(way === "computer");
    if (!terms) return;
    const engine = this.form.elements.engine.value;
    if (way === "friend") {
      const text = [gameName(terms.game), shown(terms.time).text, terms.color ? t`you play ${sideName(terms.color, terms.game)}` : ""].filter(Boolean).join(" · ");
      this.invitation.make((token) => termsLine(`invite ${token}`, { ...terms, against: "", range: "" }), text);
    } else if (way === "computer" && engine) {
      this._ask(termsLine(`challenge ${engine}`, { ...terms, against: "", range: "" }));
    } else if (this._ask(termsLine("seek", way === "computer" ? { ...terms, against: "engine", range: "" } : terms))) {
      note(byId("lobby-note"), way === "computer" ? t`Calling an engine…` : t`Seeking an opponent…`);
    }
  }

  /** Offer the engines that may be challenged, and the levels of the chosen one. */
  _offerEngines() {
    const { engine, level } = this.form.elements;
    const here = [...this.players.values()].filter((player) => player.kind === "engine" && player.here);
    const names = [...new Set(here.map(({ name }) => name))];
    choose(engine, [["", t`any`], ...names.map((name) => [name, name])]);
    byId("engine-part").hidden = names.length < 2;
    byId("no-engine").hidden = names.length > 0;
    const most = Math.max(0, ...here.filter(({ name }) => !engine.value || name === engine.value).map(({ levels }) => levels ?? 0));
    byId("level-part").hidden = !most;
    choose(level, [["", t`full strength`], ...Array.from({ length: most }, (_, at) => [String(at + 1), levelName(at + 1, most)])]);
  }

  /** Ask for all lists on a new connection.
   * @param {string} me @param {boolean} account whether the player has proved an account */
  enter(me, account) {
    this.me = me;
    byId("rated-part").hidden = !account;
    for (const list of [this.seeks, this.challenges, this.asked, this.players]) list.clear();
    setText(byId("me"), me);
    this.tell("seeks");
    this._askPlayers();
    this._seekAgain();
    this.invitation.enter();
    this._draw();
  }

  /** @param {Object<string, string>} line @returns {boolean} whether it was for the lobby */
  hear(line) {
    const isAnswer = line.line === "ErrorLine" && this.said.length > 0; // to a seek or a challenge
    if (!isAnswer && this.invitation.hear(line)) return true;
    switch (line.line) {
      case "OpenSeek":
        this.seeks.set(line.id, line);
        if (line.player === this.me && !this.mine.has(line.id)) this._opened(line.id);
        break;
      case "IncomingChallenge":
        this.challenges.set(line.id, line);
        say(t`${line.player} challenges you: ${gameName(line.game)}, ${shown(line.time).said}.`);
        this.unseen = true;
        break;
      case "OutgoingChallenge":
        this.asked.set(line.id, line.player);
        this._answered((said) => wordOf(said) === "challenge");
        note(byId("lobby-note"), t`You challenged ${line.player}.`);
        break;
      case "ChallengeDecline":
        this.asked.delete(line.id);
        this.tellUser(t`${line.name} declined your challenge${line.text ? `: ${line.text}` : "."}`);
        break;
      case "Gone":
        for (const list of [this.seeks, this.challenges, this.asked]) list.delete(line.id);
        if (this.mine.delete(line.id)) this._keepSeeks();
        break;
      case "ErrorLine":
        if (line.code === "moving") this._askAgain();
        else this._answered((said) => REFUSED[wordOf(said)].has(line.code));
        return false;
      case "MatchGame":
        this.tellUser(t`Game ${line.n} of ${line.of} against ${line.player}${line.chooser ? t`: begins when ${line.chooser === this.me ? t`you have` : t`${line.chooser} has`} said the color` : ""}.`);
        break;
      case "MatchOver": this.tellUser(t`The match is over: ${line.reason}, games played ${line.played}.`); break;
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

  /** Show a chat line, with a button that ignores its player. @param {string} name @param {string} text */
  heard(name, text) {
    this.tellUser(t`${name} tells you: ${text}`);
    this._noteButton(t`Ignore`, () => this.tell(`ignore ${name}`));
    this._noteButton(t`Complain…`, () => complain(name, this.tell));
  }

  /** @param {string} name @param {boolean} ignored whether this player's chat is hidden */
  ignoring(name, ignored) {
    this.tellUser(ignored ? t`You hear nothing more from ${name}.` : t`You hear ${name} again.`);
    if (ignored) this._noteButton(t`Hear again`, () => this.tell(`unignore ${name}`));
  }

  _noteButton(label, onclick) {
    byId("lobby-note").append(" ", make("button", { type: "button", onclick }, label));
  }

  /**
   * @param {boolean} hasLevels whether the opponent may be an engine with levels
   * @returns {Object<string, string>|null} null: a term is not clear, which the page reports
   */
  _terms(hasLevels = false) {
    const { game, color, rated, against, level, low, high, start } = this.form.elements;
    const time = this.time.read();
    if (time === null) return null;
    const range = ratingRange(low.value, high.value);
    if (range === null) {
      this.tellUser(t`A range of ratings is two numbers, the lower one first, such as 1500 and 1800.`);
      byId("more-terms").open = true;
      low.focus();
      return null;
    }
    const asked = byId("level-part").hidden || !hasLevels ? "" : level.value;
    return {
      game: game.value, time, color: color.value, against: against.value, range, start: start.value,
      level: asked,
      // Guests leave this term to the pool, and no game against a level is rated.
      rated: byId("rated-part").hidden || asked ? "" : rated.checked ? "yes" : "no",
    };
  }

  // Seeks end with the connection on which they were sent; the page sends them again on the next one.

  /** @param {string} line `seek …` or `challenge …` */
  _ask(line) {
    if (!this.tell(line)) return false;
    this.said.push(line);
    this._keepSeeks();
    return true;
  }

  /** Soon send the lines again that have had no answer. */
  _askAgain() {
    clearTimeout(this.asking);
    this.asking = setTimeout(() => { for (const line of this.said) this.tell(line); }, AGAIN_MS);
  }

  _opened(id) {
    const line = this._answered((said) => wordOf(said) === "seek");
    if (line === undefined) return;
    this.mine.set(id, line);
    this._keepSeeks();
  }

  /** Remove and return the first waiting line for which `isIt` is true. @param {(line: string) => boolean} isIt */
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
    this._forgetSeeks();
    for (const line of before) this._ask(line);
    if (before.length) this.tellUser(t`You are connected again, and your seeks are open again.`);
  }

  /** Forget the seeks: a game begins, or the person leaves. */
  forgetSeeks() {
    this.invitation.forget();
    this._forgetSeeks();
  }

  _forgetSeeks() {
    clearTimeout(this.asking);
    this.mine.clear();
    this.said = [];
    keep(STORE, null);
  }

  /** Read the connected players, with those whose connection is lost, which the lobby's own list does not show. */
  async _askPlayers() {
    try {
      const { players } = await getJson("/api/players");
      this.players = new Map(players.map((player) => [player.name, player]));
      this._draw();
    } catch {
      // The next timer asks again.
    }
  }

  _challenge(name) {
    const whom = oneLine(name);
    if (!whom) return;
    const known = [...this.players.values()].find((player) => player.name.toLowerCase() === whom.toLowerCase());
    const terms = this._terms(!!known?.levels);
    if (terms) this._ask(termsLine(`challenge ${whom}`, { ...terms, against: "", range: "" }));
  }

  _draw() {
    this._offerEngines();
    const mine = [...this.seeks.values()].filter(({ player }) => player === this.me);
    const others = [...this.seeks.values()].filter(({ player }) => player !== this.me);
    this._list("challenges", [...this.challenges.values()], (offer) => this._offer(offer, [
      [t`Accept`, `accept ${offer.id}`, "primary"], [t`Decline`, `decline ${offer.id}`, ""], [t`Ignore`, `ignore ${offer.player}`, ""],
    ]));
    byId("challenges-part").hidden = !this.challenges.size;
    // During a game the lobby is hidden: challenges then show beside the board.
    byId("challenges-part").dataset.count = String(this.challenges.size);
    if (this.unseen) this.onChallenge();
    this.unseen = false;
    this._list("own", [...mine, ...[...this.asked].map(([id, player]) => ({ id, challenged: player }))], (offer) =>
      this._offer(offer, [[t`Withdraw`, `unseek ${offer.id}`, ""]]));
    byId("own-part").hidden = !mine.length && !this.asked.size;
    this._list("seeks", others, (offer) => this._offer(offer, [[t`Play`, `accept ${offer.id}`, "primary"]]));
    byId("no-seeks").hidden = others.length > 0;
    const here = [...this.players.values()].filter(({ name }) => name !== this.me)
      .map((player) => ({ ...player, state: this._state(player) }));
    this._list("players", here, (player) => make("li", { class: "entry" },
      make("span", { class: "entry-what" }, make("b", {}, playerLink(player.name, { apart: true })),
        make("span", { class: "quiet" }, ` ${[ratingText(player.rating), player.kind === "engine" ? t`engine` : "", player.levels ? t`levels 1 to ${player.levels}` : "", player.state].filter(Boolean).join(", ")}`)),
      player.here
        ? make("button", { type: "button", "aria-label": t`Challenge ${player.name}`, onclick: () => this._challenge(player.name) }, t`Challenge`)
        : null));
    byId("no-players").hidden = here.length > 0;
  }

  /** @param {{name: string, game: number|null, here: boolean}} player */
  _state({ name, game, here }) {
    if (!here) return game === null ? t`away` : t`away from a game`;
    if (game !== null) return t`playing`;
    return [...this.seeks.values()].some(({ player }) => player === name) ? t`looks for a game` : "";
  }

  _offer(offer, acts) {
    const what = offer.challenged ? t`challenge to ${offer.challenged}` : [
      ratingText(offer.rating), gameName(offer.game), shown(offer.time).text,
      { random: "", later: t`says the color later` }[offer.color] ?? t`plays ${sideName(offer.color, offer.game)}`,
      offer.level ? t`against an engine of level ${offer.level}` : "",
      offer.range ? t`seeks a rating of ${offer.range.replace("-", t` to `)}` : "",
      offer.games ? t`${offer.games} games` : "",
      offer.rated === "yes" ? t`rated` : "", offer.start ? (offer.start.length > START_MAX ? t`another start` : t`from ${offer.start}`) : "",
      ...conductText(offer.conduct),
    ].filter(Boolean).join(" · ");
    const who = offer.challenged || offer.player === this.me ? t`Your` : offer.player;
    return make("li", { class: "entry" },
      make("span", { class: "entry-what" }, make("b", {}, who === t`Your` ? who : playerLink(who, { apart: true })),
        make("span", { class: "quiet" }, `${offer.kind === "engine" ? t` engine · ` : " "}${what}`)),
      make("span", { class: "entry-acts" }, ...acts.map(([name, line, style]) => make("button", {
        type: "button", class: style, "aria-label": `${name}: ${who} ${what}`, onclick: () => this._answer(line),
      }, name))));
  }

  /** @param {string} line that accepts, declines, … an offer */
  _answer(line) {
    const [word, id] = line.split(" ");
    if (!this.tell(line) || word !== "decline") return;
    this.challenges.delete(id); // only the challenger is told that it is over
    this._draw();
  }

  /** Draw a list; if the entry with the focus goes, the list's heading gets the focus. */
  _list(id, entries, draw) {
    const list = byId(id), key = JSON.stringify(entries);
    if (list.dataset.key === key) return;
    list.dataset.key = key;
    const called = (element) => element.getAttribute("aria-label") ?? element.textContent;
    const focused = list.contains(document.activeElement) ? called(document.activeElement) : null;
    fillList(list, entries, draw);
    if (focused === null || list.contains(document.activeElement)) return;
    const same = [...list.querySelectorAll("a, button")].find((element) => called(element) === focused);
    (same ?? byId("lobby-title")).focus();
  }
}

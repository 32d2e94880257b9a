/** The player's connection to the server: a WebSocket that reconnects and resumes its seat.
 *
 * After a reload the page resumes by the secret of the last welcome, which is in the tab's session storage.
 * If somebody duplicates the tab, both have the secret: then the newest tab has the seat, and the other does
 * not take it back, or the seat would change hands for ever. The page stores no token. */

import { keep, kept } from "./kept.js";
import { oneLine, readLobby } from "./lobby.js";
import { PIECES } from "./tables.js";
import { t } from "./texts.js";
import { onWake } from "./waking.js";

// The server requires this option for Chess960. The page ignores its value: the legal moves that it asks for include castling.
const OPTIONS = ["UCI_Chess960 type check default false"];
const STORE = "ulci.seat";
const PAUSES_MS = [300, 1000, 2000, 4000, 8000, 15_000];
const OPENING_MS = 15_000;
const ASKING_MS = 5000;
// A page never sees a WebSocket's pings, and nobody closes a connection that went silent because of a sleeping phone, a
// router or a proxy. So the page sends pings of its own, and disconnects if it gets no answer.
const QUIET_MS = 8000;
const ANSWER_MS = 8000;
export const SIGNED_OUT = t`You are signed out. Sign in again, or enter as a guest.`;
const WOKEN_MS = 600; // to wait for an answer after the page returns, because the connection may have died meanwhile,
const WOKEN_TRIPS = 3; // and at least so many times the duration of the last round trip
const LATE_MS = 1500; // that a timer may be late on a page that did not sleep
const ELSEWHERE = t`You play in another tab of this browser now. Load this page again to play here.`;

/** @typedef {{name: string, secret: string, session?: boolean}} Saved `session`: whether the person was signed in. Nobody may resume
 * such a seat after the sign-out. */

/** @returns {Saved|null} */
export function savedSeat() {
  try {
    const saved = JSON.parse(kept(STORE) ?? "null");
    return saved?.name && saved?.secret ? saved : null;
  } catch {
    return null;
  }
}

/** Forget the seat: another person may use this tab now. */
export const forgetSeat = () => keep(STORE, null);

/** @typedef {{
 *   onLobby: (line: Object<string, string>) => void,
 *   onAsked: () => void,
 *   onFault: (text: string) => void,
 *   onLine: (state: "open"|"lost"|"silent") => void,
 *   onWaiting: (text: string) => void,
 *   onRefused: (text: string) => void,
 * }} Listener
 * `onAsked`: the server wants a move. `onFault`: the server reports an error. `onWaiting`: why the page cannot
 * enter, while it tries again. `onRefused`: why it has given up, because the server would refuse it again. */

/** Ask the server why a WebSocket did not open.
 * @param {string} path @returns {Promise<{text: string, final: boolean}>} `final`: the server would refuse it again */
async function whyClosed(path) {
  try {
    // Only a POST sends the page's origin, which may be the reason of the refusal.
    const answer = await fetch(path, { method: "POST", cache: "no-store", signal: AbortSignal.timeout(ASKING_MS) });
    if (answer.status === 426) return { text: t`The server answers, but no WebSocket reaches it; a proxy in between may hold it up.`, final: false };
    const plain = answer.headers.get("Content-Type")?.startsWith("text/plain");
    const text = plain ? oneLine(await answer.text()) : t`The server answers with the error ${answer.status}.`;
    return { text, final: answer.status === 403 };
  } catch {
    return { text: t`The server does not answer.`, final: false };
  }
}

export class Seat {
  /** @param {string} path of the WebSocket @param {{name: string, token?: string, ticket?: () => Promise<string|null>}} who
   * `ticket`: gets the token for one login; null: the browser is signed out @param {Listener} listener
   * @param {boolean} [keeps] whether to save the seat, so that a reload or another tab can resume it */
  constructor(path, who, listener, keeps = true) {
    this.path = path;
    this.who = who;
    this.listener = listener;
    this.keeps = keeps;
    this.name = "";
    this.account = false;
    this.entered = false; // whether the server has welcomed the page once
    this.kept = true; // whether the seat survives a reload
    this.resumed = false; // whether the server knew the seat, with its game, seeks and ignored players
    this.owed = 0; // commands `go` without a `bestmove` yet
    this.tries = 0;
    this.askedAt = 0;
    this.trip = 0; // the last round trip in ms
    this.position = ""; // the last one received
    this.game = ""; // the number of the last game
    /** @type {{move: string, socket: WebSocket|null, position: string, game: string}|null} the last move sent */
    this.said = null;
    this.heardAt = Date.now(); // this clock runs while a machine sleeps
    this._drop = () => this._hangUp("lost");
    this._stopWaking = onWake(() => this._wake());
    addEventListener("offline", this._drop);
    try {
      this.tabs = keeps ? new BroadcastChannel(STORE) : null;
      this.tabs?.addEventListener("message", ({ data }) => this._taken(data));
    } catch {
      this.tabs = null; // the browser blocks all storage that tabs share, so that no other tab has this seat
    }
    this._open();
  }

  get asked() {
    return this.owed > 0;
  }

  /** How many moves the last received position has. */
  get plies() {
    const [, moves = ""] = this.position.split(/(?:^| )moves /);
    return moves ? moves.trim().split(" ").length : 0;
  }

  /** @param {string} line @returns {boolean} whether the line was sent */
  say(line) {
    if (this.socket?.readyState !== WebSocket.OPEN || !this.name) return false;
    this.socket.send(`${line}\n`);
    if (line.startsWith("takeback")) this.said = null; // the player does not want that move any more, even if this line is lost
    return true;
  }

  /** @param {string} move */
  move(move) {
    if (!this._answer(move)) return false;
    this.said = { move, socket: this.socket, position: this.position, game: this.game };
    return true;
  }

  /** @param {string} move */
  _answer(move) {
    if (this.owed < 1 || !this.say(`bestmove ${move}`)) return false;
    this.owed -= 1;
    return true;
  }

  /** Give the seat up for good. */
  leave() {
    this.stopped = true;
    if (this.keeps) forgetSeat();
    this._end();
  }

  _end() {
    clearTimeout(this.timer);
    clearTimeout(this.opening);
    clearTimeout(this.quiet);
    this._stopWaking();
    removeEventListener("offline", this._drop);
    this.tabs?.close();
    this.socket?.close();
  }

  /** Leave the seat to another tab, if it has taken this one. @param {string} secret of the other tab's seat */
  _taken(secret) {
    if (this.stopped || savedSeat()?.secret !== secret) return;
    this.stopped = true;
    this._end();
    this.listener.onRefused(ELSEWHERE);
  }

  _open() {
    if (this.stopped || this.socket) return;
    const url = new URL(this.path, location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const socket = (this.socket = new WebSocket(url, ["ulci"]));
    this.heardAt = Date.now();
    this.fault = "";
    this.opening = setTimeout(() => socket.close(), OPENING_MS);
    socket.addEventListener("message", ({ data }) => {
      if (typeof data !== "string" || this.socket !== socket) return;
      this._heard();
      for (const line of data.split(/[\r\n]+/)) if (line) this._hear(line);
    });
    let opened = false;
    socket.addEventListener("open", () => { opened = true; });
    socket.addEventListener("close", (event) => (opened ? this._lost(socket, event) : this._closed(socket, event)));
  }

  /** Note that the connection is alive; after `QUIET_MS` of silence, send a ping. */
  _heard() {
    clearTimeout(this.quiet);
    if (this.asking) this.trip = performance.now() - this.askedAt;
    this.asking = false;
    this.heardAt = Date.now();
    this.quiet = setTimeout(() => this._ask(), QUIET_MS);
  }

  /** @param {number} [patience] ms */
  _ask(patience = ANSWER_MS) {
    if ((this.asking && patience === ANSWER_MS) || !this.say("ping")) return; // before the welcome the timer `opening` limits the wait
    this.asking = true;
    this.askedAt = performance.now();
    clearTimeout(this.quiet);
    this.quiet = setTimeout(() => this._hangUp("silent"), patience);
  }

  /** Check the connection when the page returns. It is dead if it was silent for longer than an awake page would have waited. */
  _wake() {
    if (this.stopped) return;
    const slept = Date.now() - this.heardAt > QUIET_MS + LATE_MS;
    if (this.socket && slept) this._hangUp("silent");
    if (this.socket) this._ask(Math.max(WOKEN_MS, WOKEN_TRIPS * this.trip));
    else {
      this.tries = 0;
      this._again(0);
    }
  }

  /** Disconnect, and reconnect without waiting for the server, which may never receive the close. @param {"lost"|"silent"} state */
  _hangUp(state) {
    const { socket } = this;
    if (!socket) return;
    this._lost(socket, { code: 1006, reason: "" }, state);
    socket.close();
  }

  /** Ask the server why the WebSocket did not open, because the browser does not report it. */
  async _closed(socket, event) {
    const refusal = await whyClosed(this.path);
    if (this.socket !== socket || this.stopped) return;
    if (refusal.final) this._refuse(refusal.text);
    else {
      if (!this.entered) this.listener.onWaiting(t`${refusal.text} Trying again…`);
      this._lost(socket, event);
    }
  }

  _refuse(why) {
    this.stopped = true;
    this._end();
    this.listener.onRefused(why);
  }

  /** @param {WebSocket} socket @param {{code: number, reason: string}} event @param {"lost"|"silent"} state */
  _lost(socket, event, state = "lost") {
    if (this.socket !== socket) return;
    clearTimeout(this.opening);
    clearTimeout(this.quiet);
    this.asking = false;
    this.socket = null;
    this.owed = 0;
    if (this.stopped) return;
    const why = this.fault || (event.code === 1008 ? event.reason : "");
    const later = /retry-after (\d+)/.exec(why);
    if (why && !later && (this.quit || event.code === 1008)) {
      this._refuse(why);
      return;
    }
    if (this.name) this.listener.onLine(state);
    this.name = "";
    this._again(later ? Number(later[1]) * 1000 : PAUSES_MS[Math.min(this.tries, PAUSES_MS.length - 1)]);
    this.tries += 1;
  }

  _again(pause) {
    clearTimeout(this.timer);
    if (!this.stopped && !this.socket) this.timer = setTimeout(() => this._open(), pause);
  }

  _hear(line) {
    const at = line.indexOf(" ");
    const word = at < 0 ? line : line.slice(0, at), rest = at < 0 ? "" : line.slice(at + 1);
    if (word === "uci") this._prove();
    else if (word === "isready") this.socket?.send("readyok\n");
    else if (word === "position") this._stand(rest);
    else if (word === "go") this._go();
    else if (word === "stop" && this.owed) {
      // The game is over, or a move was taken back; `stop` needs an answer even so.
      this._answer("0000");
    } else if (word === "info" && /^(clienterror|servererror) /.test(rest)) {
      const text = rest.slice(rest.indexOf(" ") + 1);
      // The server would refuse again only a fault of this client: after `servererror` it comes back.
      this.fault = rest.startsWith("clienterror") ? text : "";
      this.listener.onFault(text);
    } else if (word === "quit") this.quit = true;
    else if (word === "lobby") this._lobby(rest);
  }

  /** @param {string} position if it shows that the last move has arrived, the page forgets that move: else it would send the
   * move again after a takeback */
  _stand(position) {
    const { said } = this;
    if (said && (said.socket === this.socket || said.position !== position)) this.said = null;
    this.position = position;
  }

  /** Answer `go`: send the last move again if an earlier connection lost it, else ask the player. */
  _go() {
    this.owed += 1;
    const { said } = this;
    const lost = said && said.socket !== this.socket && said.game === this.game && said.position === this.position;
    if (!lost || !this.move(said.move)) this.listener.onAsked();
  }

  /** Introduce the player, with a new ticket if the browser is signed in. */
  async _prove() {
    const { socket } = this, { ticket, token } = this.who;
    if (!ticket) {
      this._introduce(token);
      return;
    }
    try {
      const proof = await ticket();
      if (this.socket !== socket || this.stopped) return;
      if (proof) this._introduce(proof);
      else this._refuse(SIGNED_OUT);
    } catch {
      if (this.socket === socket) this._hangUp("lost");
    }
  }

  /** @param {string} [token] */
  _introduce(token) {
    const saved = this.keeps ? savedSeat() : null;
    const lines = [
      `id username ${oneLine(this.who.name)}`, "id version 1", // The pieces that the page can draw: without this line the server assumes only those of chess.
      `id pieces ${Object.keys(PIECES).join("")}`, "id feature lobby",
      ...OPTIONS.map((option) => `option name ${option}`),
      ...(token ? [`id token ${oneLine(token)}`] : []),
      ...(saved ? [`id resume ${saved.secret}`] : []), "uciok",
    ];
    this.quit = false;
    this.socket?.send(`${lines.join("\n")}\n`);
  }

  /** @param {string} secret */
  _keep(secret) {
    this.resumed = savedSeat()?.secret === secret;
    this.kept = keep(STORE, JSON.stringify({ name: this.who.name, secret, session: !!this.who.ticket }));
    this.tabs?.postMessage(secret);
  }

  _lobby(rest) {
    const line = readLobby(rest);
    if (!line) return;
    if (line.line === "Welcome") {
      clearTimeout(this.opening);
      this.fault = "";
      this.tries = 0;
      this.entered = true;
      this.name = line.name;
      this.account = line.account === "yes";
      if (this.keeps) this._keep(line.resume);
      this.listener.onLine("open");
    }
    if (line.line === "TakenBack") this.said = null;
    if (line.line === "GameStart") this.game = line.id;
    this.listener.onLobby(line);
  }
}

/** The player's line to the server: a WebSocket that takes its seat again when it was lost.
 *
 * Who reloads the page has the secret of the last welcome in the session's storage, which is this tab's
 * alone, unless somebody duplicates the tab: then the newest has the seat, and the others do not take it
 * back, or it would change hands for ever. A token is kept nowhere. */

import { keep, kept } from "./kept.js";
import { oneLine, readLobby } from "./lobby.js";
import { PIECES } from "./tables.js";

// Without it there is no game of Chess960. The page needs no telling: castling is among the legal moves that it asks for.
const OPTIONS = ["UCI_Chess960 type check default false"];
const STORE = "ulci.seat";
const PAUSES_MS = [300, 1000, 2000, 4000, 8000, 15_000];
const OPENING_MS = 15_000;
const ASKING_MS = 5000;
// A page never sees a WebSocket's pings, and a line that went silent is not closed: a phone that slept, a router, a
// proxy. So the page asks by itself, and hangs up without an answer.
const QUIET_MS = 8000;
const ANSWER_MS = 8000;
const ELSEWHERE = "You play in another tab of this browser now. Load this page again to play here.";

/** @typedef {{name: string, secret: string}} Saved */

/** @returns {Saved|null} */
export function savedSeat() {
  try {
    const saved = JSON.parse(kept(STORE) ?? "null");
    return saved?.name && saved?.secret ? saved : null;
  } catch {
    return null;
  }
}

/** Whoever comes in now is somebody else. */
export const forgetSeat = () => keep(STORE, null);

/** @typedef {{
 *   onLobby: (line: Object<string, string>) => void,
 *   onAsked: () => void,
 *   onFault: (text: string) => void,
 *   onLine: (state: "open"|"lost"|"silent") => void,
 *   onWaiting: (text: string) => void,
 *   onRefused: (text: string) => void,
 * }} Listener
 * `onAsked`: a move is wanted. `onFault`: something said was wrong. `onWaiting`: why one cannot come in,
 * and is tried again. `onRefused`: calling again would be refused again. */

/** What the server says of a WebSocket that did not open.
 * @param {string} path @returns {Promise<{text: string, final: boolean}>} `final`: it would be refused again */
async function whyClosed(path) {
  try {
    // Only a question of this kind names the page's origin, which may be what is refused.
    const answer = await fetch(path, { method: "POST", cache: "no-store", signal: AbortSignal.timeout(ASKING_MS) });
    if (answer.status === 426) return { text: "The server answers, but no WebSocket reaches it; a proxy in between may hold it up.", final: false };
    const plain = answer.headers.get("Content-Type")?.startsWith("text/plain");
    const text = plain ? oneLine(await answer.text()) : `The server answers with the error ${answer.status}.`;
    return { text, final: answer.status === 403 };
  } catch {
    return { text: "The server does not answer.", final: false };
  }
}

export class Seat {
  /** @param {string} path of the WebSocket @param {{name: string, token?: string}} who @param {Listener} listener */
  constructor(path, who, listener) {
    this.path = path;
    this.who = who;
    this.listener = listener;
    this.name = "";
    this.account = false;
    this.entered = false; // once, on whatever connection
    this.kept = true; // over a reload
    this.resumed = false; // the server knew the seat, and all that goes with it
    this.owed = 0; // times that a move was asked for and not said
    this.tries = 0;
    this.position = ""; // that was told last
    this.game = ""; // its number
    /** @type {{move: string, socket: WebSocket|null, position: string, game: string}|null} what was said last */
    this.said = null;
    this._wake = () => this._again(0);
    this._drop = () => this._hangUp("lost");
    this._look = () => { if (document.visibilityState === "visible") this._ask(); };
    addEventListener("online", this._wake);
    addEventListener("offline", this._drop);
    document.addEventListener("visibilitychange", this._look);
    try {
      this.tabs = new BroadcastChannel(STORE);
      this.tabs.addEventListener("message", ({ data }) => this._taken(data));
    } catch {
      this.tabs = null; // blocked with all else that tabs share, so that no other has this seat
    }
    this._open();
  }

  get asked() {
    return this.owed > 0;
  }

  /** @param {string} line @returns {boolean} whether it could be said */
  say(line) {
    if (this.socket?.readyState !== WebSocket.OPEN || !this.name) return false;
    this.socket.send(`${line}\n`);
    if (line.startsWith("takeback")) this.said = null; // even if it is lost, the move is not wanted any more
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
    forgetSeat();
    this._end();
  }

  _end() {
    clearTimeout(this.timer);
    clearTimeout(this.opening);
    clearTimeout(this.quiet);
    removeEventListener("online", this._wake);
    removeEventListener("offline", this._drop);
    document.removeEventListener("visibilitychange", this._look);
    this.tabs?.close();
    this.socket?.close();
  }

  /** Another tab has a seat. @param {string} secret */
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

  /** Something came: the line is alive, and is asked whether it is when nothing comes for a while. */
  _heard() {
    clearTimeout(this.quiet);
    this.asking = false;
    this.quiet = setTimeout(() => this._ask(), QUIET_MS);
  }

  _ask() {
    if (this.asking || !this.say("ping")) return; // before the welcome `opening` sees to it
    this.asking = true;
    clearTimeout(this.quiet);
    this.quiet = setTimeout(() => this._hangUp("silent"), ANSWER_MS);
  }

  /** Call again without waiting for the other side, which may never hear that. @param {"lost"|"silent"} state */
  _hangUp(state) {
    const { socket } = this;
    if (!socket) return;
    this._lost(socket, { code: 1006, reason: "" }, state);
    socket.close();
  }

  /** It never opened, and the browser does not tell why: the server says so if it is asked at the same place. */
  async _closed(socket, event) {
    const refusal = await whyClosed(this.path);
    if (this.socket !== socket || this.stopped) return;
    if (refusal.final) this._refuse(refusal.text);
    else {
      if (!this.entered) this.listener.onWaiting(`${refusal.text} Trying again…`);
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
    if (word === "uci") this._introduce();
    else if (word === "isready") this.socket?.send("readyok\n");
    else if (word === "position") this._stand(rest);
    else if (word === "go") this._go();
    else if (word === "stop" && this.owed) {
      // The game is over, or the move was taken back; an answer is owed all the same.
      this._answer("0000");
    } else if (word === "info" && /^(clienterror|servererror) /.test(rest)) {
      const text = rest.slice(rest.indexOf(" ") + 1);
      // Only what is our fault would be refused again: a server that stops comes back.
      this.fault = rest.startsWith("clienterror") ? text : "";
      this.listener.onFault(text);
    } else if (word === "quit") this.quit = true;
    else if (word === "lobby") this._lobby(rest);
  }

  /** @param {string} position It shows whether what was said last has arrived: it is forgotten then, or would be said again
   * when it was taken back. */
  _stand(position) {
    const { said } = this;
    if (said && (said.socket === this.socket || said.position !== position)) this.said = null;
    this.position = position;
  }

  /** Asked for a move: perhaps for one that was said and lost with an earlier line. */
  _go() {
    this.owed += 1;
    const { said } = this;
    const lost = said && said.socket !== this.socket && said.game === this.game && said.position === this.position;
    if (!lost || !this.move(said.move)) this.listener.onAsked();
  }

  _introduce() {
    const saved = savedSeat();
    const lines = [
      `id username ${oneLine(this.who.name)}`, "id version 1", // All that can be drawn; who does not say so is given the pieces of chess alone.
      `id pieces ${Object.keys(PIECES).join("")}`, "id feature lobby",
      ...OPTIONS.map((option) => `option name ${option}`),
      ...(this.who.token ? [`id token ${oneLine(this.who.token)}`] : []),
      ...(saved ? [`id resume ${saved.secret}`] : []), "uciok",
    ];
    this.quit = false;
    this.socket?.send(`${lines.join("\n")}\n`);
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
      this.resumed = savedSeat()?.secret === line.resume;
      this.kept = keep(STORE, JSON.stringify({ name: this.who.name, secret: line.resume }));
      this.tabs?.postMessage(line.resume);
      this.listener.onLine("open");
    }
    if (line.line === "TakenBack") this.said = null;
    if (line.line === "GameStart") this.game = line.id;
    this.listener.onLobby(line);
  }
}

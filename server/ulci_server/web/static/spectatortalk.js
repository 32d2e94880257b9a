/** The talk of the spectators of a running game. Anybody reads it. A spectator who says something gives a name, and the
 * page connects to the lobby for the first line. */

import { onSignedOut, readAccount, takeTicket } from "./accounts.js";
import { getJson } from "./api.js";
import { ChatLog } from "./chatlog.js";
import { byId, note, say } from "./dom.js";
import { oneLine } from "./lobby.js";
import { rememberName, rememberedName } from "./remembered.js";
import { SIGNED_OUT, Seat } from "./seat.js";
import { t } from "./texts.js";

const STORE = "ulci.spectators"; // not the one of a game that is played in this tab

export class SpectatorTalk {
  /** @param {string} id of the game @param {() => void} onWatching the server counts this
   * spectator by the connection for talk from now on */
  constructor(id, onWatching) {
    this.id = id;
    this.onWatching = onWatching;
    this.log = new ChatLog(byId("chat"), id, STORE);
    this.path = "";
    this.account = "";
    /** @type {string[]} lines to be sent as soon as the connection watches the game */
    this.waiting = [];
    this.watching = false;
    this.over = false;
    /** @type {Seat|null} */
    this.seat = null;
    byId("say-form").addEventListener("submit", (event) => { event.preventDefault(); this._say(); });
    onSignedOut(() => this._signedOut());
    this._open();
  }

  async _open() {
    try {
      const server = await getJson("/api/server");
      if (server.serve !== "play") return; // no browser may enter the lobby
      if (server.sign_up !== "off") this.account = (await readAccount()).account?.name ?? "";
      this.path = server.websocket; // now the form shows: before, it would ask a signed-in person for a name
    } catch {
      return; // the page shows by itself that the server does not answer; the talk can still be read
    }
    byId("talk-name-part").hidden = !!this.account;
    byId("talk-name").value = rememberedName();
    this.changed(this.over);
  }

  /** @param {boolean} over whether the game is */
  changed(over) {
    this.over = over;
    if (over) {
      this._leave();
      this.waiting = [];
    }
    byId("talk").hidden = over ? !this.log.lines.length : !this.path && !this.log.lines.length;
    byId("say-form").hidden = byId("talk-hint").hidden = over || !this.path;
    if (over) note(byId("talk-note"));
  }

  /** @param {{by: string, text: string}} line */
  heard({ by, text }) {
    this.log.add(by, text);
    byId("talk").hidden = false;
    if (by !== this.seat?.name) say(t`${by} says: ${text}`);
  }

  _say() {
    const text = oneLine(byId("said").value), name = this.account || oneLine(byId("talk-name").value);
    if (!text) return;
    if (!name) {
      note(byId("talk-note"), t`A name is needed, by which others see you.`);
      byId("talk-name").focus();
      return;
    }
    note(byId("talk-note"));
    byId("said").value = "";
    if (this.watching && this.seat?.say(`say ${text}`)) return;
    this.waiting.push(text);
    this.seat ??= this._enter(name);
  }

  /** @param {string} name @returns {Seat} */
  _enter(name) {
    if (!this.account) rememberName(name);
    byId("talk-name").disabled = true;
    const who = this.account ? { name, ticket: takeTicket } : { name };
    return new Seat(this.path, who, {
      onLobby: (line) => this._hear(line),
      onAsked() {},
      onFault: (text) => note(byId("talk-note"), text),
      onLine: (state) => this._line(state),
      onWaiting: (text) => note(byId("talk-note"), text),
      onRefused: (text) => this._refused(text),
    }, false);
  }

  /** @param {string} state */
  _line(state) {
    this.watching = false; // a new connection has to watch again
    note(byId("talk-note"), state === "open" ? "" : t`The connection is lost. Trying again…`);
  }

  _leave() {
    this.seat?.leave();
    this.seat = null;
    this.watching = false;
  }

  /** @param {string} text */
  _refused(text) {
    this._leave();
    byId("talk-name").disabled = false;
    byId("said").value ||= this.waiting.join(" ");
    this.waiting = [];
    note(byId("talk-note"), text);
  }

  /** Another person may use this browser now, and has to give a name. */
  _signedOut() {
    if (!this.account) return;
    this.account = "";
    this.seat?.leave();
    byId("talk-name-part").hidden = false;
    this._refused(SIGNED_OUT);
  }

  /** @param {Object<string, string>} line */
  _hear(line) {
    if (!this.seat) return; // it was left
    if (line.line === "Welcome") this.seat.say(`watch ${this.id}`);
    else if (line.line === "WatchStart") {
      this.watching = true;
      this.onWatching();
      for (const text of this.waiting.splice(0)) this.seat.say(`say ${text}`);
    } else if (line.line === "GameStart") this._refused(t`Your game goes on.`); // the account's own game, which is played in another tab or browser
    else if (line.line === "IncomingChallenge") this.seat.say(`decline ${line.id}`); // nobody plays here
    else if (line.line === "ErrorLine" && line.code !== "no-such-challenge") note(byId("talk-note"), line.text || line.code);
  }
}

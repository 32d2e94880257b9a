/** Invitations: a link for a friend, and what opening it does.
 *
 * The link's token is after the `#`, so that no request and no log has it. The page draws it and sends it again on each
 * new connection: the link stays valid while this page reloads or a phone sleeps. */

import { byId, make, note, say } from "./dom.js";
import { keep, kept } from "./kept.js";
import { TERMS_REFUSED } from "./lobby.js";
import { qrImage } from "./qr.js";
import { t } from "./texts.js";

const STORE = "ulci.invitation";
const WORD = "#join=";
const TOKEN = /^[A-Za-z0-9_-]{16,64}$/;
const BYTES = 16;
const AGAIN_MS = 4000;
/** Refusals of any command after which a later attempt may succeed. */
const PASSING = new Set(["closed", "moving", "too-fast"]);
/** Refusals of `invite`. */
const NOT_MADE = new Set([...TERMS_REFUSED, "bad-invitation", "too-many-invitations"]);
/** Refusals of `join` after which a later attempt may succeed. */
const LATER = new Set(["no-such-invitation", ...PASSING]);
const REFUSED = new Set(["invitation-over", "own-invitation", "ignored", "cannot-play", "busy", ...LATER]);

/** @returns {string} a token that nobody can guess */
function drawn() {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The person's own invitation, which waits for a friend. */
export class Invitation {
  /** @param {(line: string) => boolean} tell sends a line to the server */
  constructor(tell) {
    this.tell = tell;
    this.id = "";
    /** @type {{token: string, line: string, text: string}|null} */
    this.made = JSON.parse(kept(STORE) ?? "null");
    byId("invitation-copy").addEventListener("click", () => this._copy());
    byId("invitation-share").addEventListener("click", () => navigator.share({ text: this.made?.text ?? "", url: this.link }).catch(() => {}));
    byId("invitation-end").addEventListener("click", () => { if (this.id) this.tell(`unseek ${this.id}`); this.forget(); });
    byId("invitation-link").addEventListener("focus", (event) => event.target.select());
  }

  get link() {
    return `${location.origin}/play${WORD}${this.made?.token}`;
  }

  /** @param {(token: string) => string} line the command @param {string} text the game in words */
  make(line, text) {
    if (this.id) this.tell(`unseek ${this.id}`);
    this.id = "";
    const token = drawn();
    this.made = { token, line: line(token), text };
    keep(STORE, JSON.stringify(this.made));
    this._ask();
  }

  /** The line is there (again). */
  enter() {
    this.id = "";
    if (this.made) this._ask();
    else this.forget();
  }

  _ask() {
    clearTimeout(this.timer);
    this.waits = false; // whether the person knows that the server cannot make it at the moment
    this.tell(this.made.line);
  }

  /** Ask again in some seconds. @returns {boolean} whether the person knows already that it is so */
  _askLater() {
    const known = this.waits;
    clearTimeout(this.timer);
    this.waits = true;
    this.timer = setTimeout(() => { if (this.made && !this.id) this.tell(this.made.line); }, AGAIN_MS);
    return known;
  }

  /** @param {Object<string, string>} line @returns {boolean} whether it was about the invitation */
  hear(line) {
    if (line.line === "OutgoingInvitation" && line.token === this.made?.token) {
      this.id = line.id;
      this._show();
      return true;
    }
    if (line.line === "Gone" && line.id === this.id) this.forget();
    else if (line.line === "ErrorLine" && this.made && !this.id) {
      if (PASSING.has(line.code)) return this._askLater();
      if (NOT_MADE.has(line.code)) this.forget();
    }
    return false;
  }

  /** End the invitation, and hide its part of the page. */
  forget() {
    clearTimeout(this.timer);
    this.made = null;
    this.id = "";
    keep(STORE, null);
    byId("invitation-part").hidden = true;
  }

  _show() {
    const before = byId("invitation-part").hidden;
    byId("invitation-link").value = this.link;
    byId("invitation-text").textContent = t`${this.made?.text}. The game begins when your friend opens the link. The first to open it plays you.`;
    byId("invitation-qr").replaceChildren(qrImage(this.link, t`The link as a QR code, for a telephone`));
    byId("invitation-share").hidden = !("share" in navigator);
    note(byId("invitation-local"), /^(localhost|127\.|\[::1\])/.test(location.hostname)
      ? t`This link works on this machine only: open this page under an address that your friend can reach.` : "");
    byId("invitation-part").hidden = false;
    if (before) {
      byId("invitation-title").focus({ preventScroll: true });
      byId("invitation-part").scrollIntoView({ block: "nearest" });
    }
  }

  async _copy() {
    const field = byId("invitation-link");
    field.select();
    try {
      await navigator.clipboard.writeText(this.link);
    } catch {
      document.execCommand("copy"); // over plain HTTP there is no other way
    }
    note(byId("invitation-copied"), t`Copied.`);
    say(t`Copied`);
  }
}

/** A friend's invitation, whose link opened this page. */
export class Joining {
  /** @param {(line: string) => boolean} tell sends a line to the server @param {(text: string) => void} told shows a text to the person */
  constructor(tell, told) {
    this.tell = tell;
    this.told = told;
    this.token = "";
    this.asked = false;
    addEventListener("hashchange", () => { if (this.open()) this.enter(); });
  }

  /** Read the invitation in the page's address. @returns {boolean} whether there is one */
  open() {
    if (!location.hash.startsWith(WORD)) return false;
    const token = location.hash.slice(WORD.length);
    this.token = TOKEN.test(token) ? token : "";
    if (!this.token) {
      this.told(t`This link is not whole. Ask for it again.`);
      this._clear();
    }
    byId("invited").hidden = !this.token;
    return !!this.token;
  }

  /** The line is there (again). */
  enter() {
    clearTimeout(this.timer);
    if (this.token) this.asked = this.tell(`join ${this.token}`);
  }

  /** @param {Object<string, string>} line @returns {boolean} whether it was about the invitation */
  hear(line) {
    if (line.line !== "ErrorLine" || !this.asked || !REFUSED.has(line.code)) return false;
    this.asked = false;
    const text = `${line.text[0].toUpperCase()}${line.text.slice(1)}.`;
    const mayPass = LATER.has(line.code) || (line.code === "busy" && this.waits); // the game may not begin after all
    if (!mayPass) {
      this.forget();
      this.told(text);
      return true;
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.enter(), AGAIN_MS);
    if (this.waits) return true;
    this.waits = true;
    this.told(line.code === "no-such-invitation"
      ? t`Your friend is not here at the moment. The game begins when they are back. Waiting…`
      : t`The server cannot begin the game at the moment. Waiting…`);
    byId("lobby-note").append(" ", make("button", { type: "button", onclick: () => { this.forget(); this.told(t`You wait no more.`); } }, t`Stop waiting`));
    return true;
  }

  /** Give the invitation up: a game begins, or the person cancels. */
  forget() {
    clearTimeout(this.timer);
    this.token = "";
    this.asked = this.waits = false;
    byId("invited").hidden = true;
    this._clear();
  }

  _clear() {
    if (location.hash.startsWith(WORD)) history.replaceState(null, "", location.pathname + location.search);
  }
}

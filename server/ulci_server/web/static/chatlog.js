/** The chat of a game, on the screen and over a reload: the tab keeps it until another game begins. */

import { make } from "./dom.js";
import { keep, kept } from "./kept.js";

const STORE = "ulci.chat";
const LINES_MAX = 200; // kept of a chat
/** @typedef {[string, string]} Line name and text */

export class ChatLog {
  /** @param {HTMLElement} list @param {string} game its number @param {string} [store] where the tab keeps it */
  constructor(list, game, store = STORE) {
    this.list = list;
    this.game = game;
    this.store = store;
    /** @type {Line[]} */
    this.lines = saved(game, store);
    list.replaceChildren(...this.lines.map(item));
    list.scrollTop = list.scrollHeight;
  }

  /** @param {string} name @param {string} text */
  add(name, text) {
    this.lines.push([name, text]);
    this.list.append(item([name, text]));
    while (this.lines.length > LINES_MAX) {
      this.lines.shift();
      this.list.firstChild?.remove();
    }
    this.list.scrollTop = this.list.scrollHeight;
    keep(this.store, JSON.stringify({ game: this.game, lines: this.lines }));
  }
}

/** @param {string} game @param {string} store @returns {Line[]} */
function saved(game, store) {
  try {
    const stored = JSON.parse(kept(store) ?? "null");
    return stored?.game === game ? stored.lines : [];
  } catch {
    return [];
  }
}

/** Forget the chat: another person may use this tab now. */
export const forgetChat = () => keep(STORE, null);

/** @param {Line} line */
const item = ([name, text]) => make("li", {}, make("b", {}, name), ` ${text}`);

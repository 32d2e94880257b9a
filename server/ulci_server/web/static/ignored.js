/** The players whom a person ignores. The server's list ends with the seat; this one survives it. */

import { keep, kept } from "./kept.js";

const STORE = "ulci.ignored";

export class Ignored {
  /** @param {(line: string) => boolean} tell sends a line to the server
   * @param {(name: string, is: boolean) => void} onState whether this player is ignored
   * @param {(name: string, is: boolean) => void} onChange called only when that has changed */
  constructor(tell, onState, onChange) {
    this.tell = tell;
    this.onState = onState;
    this.onChange = onChange;
    this.listed = 0; // lines of the server's list that have not arrived yet
    /** @type {Set<string>} */
    this.names = new Set(JSON.parse(kept(STORE) ?? "[]"));
  }

  /** @param {string} name */
  has(name) {
    return this.names.has(name);
  }

  /** Send or read the list on a new connection. @param {boolean} resumed whether the server still has the list */
  enter(resumed) {
    this.listed = 0;
    if (resumed) this.tell("ignored");
    else for (const name of this.names) this.tell(`ignore ${name}`);
  }

  /** @param {Object<string, string>} line of the lobby @returns {boolean} whether it was about ignored players */
  hear({ line, name, count }) {
    switch (line) {
      case "IgnoreList":
        this.listed = Number(count);
        for (const before of this.names) this.onState(before, false);
        this.names.clear();
        break;
      case "IgnoreStart": this._ignored(name); break;
      case "IgnoreEnd":
        this.names.delete(name);
        this.onState(name, false);
        this.onChange(name, false);
        break;
      default: return false;
    }
    keep(STORE, JSON.stringify([...this.names]));
    return true;
  }

  /** @param {string} name */
  _ignored(name) {
    const told = this.listed > 0 || this.names.has(name);
    this.listed = Math.max(0, this.listed - 1);
    this.names.add(name);
    this.onState(name, true);
    if (!told) this.onChange(name, true);
  }

  /** Forget the list: another person may use this tab now. */
  forget() {
    this.names.clear();
    keep(STORE, null);
  }
}

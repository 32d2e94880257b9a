/** The players whom one does not want to hear: the server's list, which ends with the seat there, and goes on here. */

import { keep, kept } from "./kept.js";

const STORE = "ulci.ignored";

export class Ignored {
  /** @param {(line: string) => boolean} tell says a line to the server
   * @param {(name: string, is: boolean) => void} onState how it is with this name
   * @param {(name: string, is: boolean) => void} onChange the same, where that is news */
  constructor(tell, onState, onChange) {
    this.tell = tell;
    this.onState = onState;
    this.onChange = onChange;
    this.listed = 0; // lines of the server's list that are to come
    /** @type {Set<string>} */
    this.names = new Set(JSON.parse(kept(STORE) ?? "[]"));
  }

  /** @param {string} name */
  has(name) {
    return this.names.has(name);
  }

  /** The line is there (again). @param {boolean} resumed whether the server has the list still */
  enter(resumed) {
    this.listed = 0;
    if (resumed) this.tell("ignored");
    else for (const name of this.names) this.tell(`ignore ${name}`);
  }

  /** @param {Object<string, string>} line of the lobby @returns {boolean} whether it was about this */
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

  /** Whoever comes in now is somebody else. */
  forget() {
    this.names.clear();
    keep(STORE, null);
  }
}

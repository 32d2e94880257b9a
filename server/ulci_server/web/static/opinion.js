/** The evaluation of the shown position by an engine of the server, when the person asks for it. */

import { postJson } from "./postjson.js";
import { byId, enable, note, say, setText } from "./dom.js";
import { t } from "./texts.js";
import { scoreText } from "./words.js";

export class OpinionView {
  /** @param {(line: {side: string, move: string, san: string}[], of: any) => void} keep adds the line as a variation of that position */
  constructor(keep) {
    this.keep = keep;
    this.ask = byId("ask-engine");
    this.asking = false;
    this.ask.addEventListener("click", () => this._ask());
    byId("keep-line").addEventListener("click", () => this.keep(this.line, this.of));
    byId("opinion-part").hidden = false;
  }

  /** @param {{rules: string, start: string|null, moves: string[]}} question about the shown position @param {any} of the shown node @param {boolean} over */
  show(question, of, over) {
    this.ask.hidden = over;
    if (this.of === of) return;
    this.question = question;
    this.of = of;
    byId("opinion").hidden = true;
    note(byId("opinion-fault"));
  }

  async _ask() {
    const { question, of } = this;
    if (this.asking) return;
    this.asking = true;
    enable(false, this.ask);
    setText(this.ask, t`It thinks…`);
    note(byId("opinion-fault"));
    try {
      const found = await postJson("/api/analysis/opinion", question);
      if (of === this.of) this._tell(found);
    } catch (error) {
      if (of === this.of) note(byId("opinion-fault"), error.message);
    }
    this.asking = false;
    enable(true, this.ask);
    setText(this.ask, t`Ask the engine`);
  }

  _tell({ engine, score_cp, score_mate, depth, line }) {
    this.line = line;
    const score = scoreText(score_cp, null) || mateText(score_mate);
    setText(byId("opinion-score"), score || t`no score`);
    setText(byId("opinion-engine"), [engine, depth ? t`depth ${depth}` : ""].filter(Boolean).join(" · "));
    setText(byId("opinion-line"), line.map(({ san }) => san).join(" "));
    byId("keep-line").hidden = !line.length;
    byId("opinion").hidden = false;
    say(`${engine}: ${score}. ${line.slice(0, 3).map(({ san }) => san).join(", ")}`);
  }
}

/** @param {number|null} mate from White's side */
const mateText = (mate) => (mate === null ? "" : t`${mate < 0 ? t`Black` : t`White`} mates in ${Math.abs(mate)}`);

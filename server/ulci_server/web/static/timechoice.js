/** The choice of a time control: buttons, minutes and seconds, or a text (odds, several sessions, delay). */

import { byId, make } from "./dom.js";
import { t } from "./texts.js";
import { entered } from "./timecontrol.js";

/** A time control of seconds, and seconds more for each move. */
const USUAL = ["60", "180+2", "300+3", "600+5", "900+10", "1800+20"];
const OWN = "own";
const DAYS = /^([0-9]+)days$/;

/** A time control as people say it, here and wherever a game is named: 180+2 is 3+2.
 * @param {string} control in seconds @returns {{text: string, said: string}} on the button, and for screen readers */
export function shown(control) {
  const days = DAYS.exec(control)?.[1], [, time, more = "0"] = /^([0-9.]+)(?:\+([0-9.]+))?$/.exec(control) ?? [];
  if (days) return { text: days === "1" ? t`1 day` : t`${days} days`, said: t`${days} days for every move` };
  if (!time) return { text: control, said: t`time control ${control}` };
  const minutes = Number(time) / 60, amount = Number.isInteger(minutes) ? String(minutes) : `${time} s`;
  return { text: `${amount}+${more}`, said: t`${Number.isInteger(minutes) ? `${minutes} ${minutes === 1 ? t`minute` : t`minutes`}` : t`${time} seconds`} and ${more} seconds a move` };
}

/** @param {string} control @returns {number} s of a side in a game of forty moves; controls of another form than time and increment sort last */
function lasts(control) {
  const [, time, more = "0"] = /^([0-9.]+)(?:\+([0-9.]+))?$/.exec(control) ?? [];
  return time ? Number(time) + 40 * Number(more) : Infinity;
}

export class TimeChoice {
  /** @param {any} form with the fields `clock`, `minutes`, `seconds` and `time` @param {(text: string) => void} refuse shows the reason to the person */
  constructor(form, refuse) {
    this.form = form;
    this.refuse = refuse;
    this.chosen = false;
  }

  /** @param {string[]} controls of the server's pools */
  offer(controls) {
    const days = controls.filter((control) => DAYS.test(control));
    const others = controls.filter((control) => !DAYS.test(control));
    const quick = [...new Set([...USUAL, ...others])].sort((one, other) => lasts(one) - lasts(other));
    byId("time-choices").replaceChildren(...[...quick, ...new Set(days)].map((control) => {
      const { text, said } = shown(control);
      return this._button(control, text, said);
    }), this._button(OWN, t`Other`, t`another time, in minutes and seconds`));
    byId("time-choices").addEventListener("change", () => this._show());
    for (const part of [byId("time-choices"), this.form.elements.time]) part.addEventListener("change", () => { this.chosen = true; });
  }

  _button(value, text, said) {
    return make("label", { class: "choice" }, make("input", { type: "radio", name: "clock", value, "aria-label": said }), make("span", { "aria-hidden": "true" }, text));
  }

  _show() {
    byId("own-time").hidden = this.form.elements.clock.value !== OWN;
  }

  /** A time that the player has chosen stays. @param {string} control the default one */
  suggest(control) {
    if (this.chosen) return;
    const { clock, time } = this.form.elements;
    clock.value = control;
    if (clock.value !== control) clock.value = USUAL[2];
    time.value = "";
    this._show();
  }

  /** @returns {string|null} in the server's form; null: it is not clear, which `refuse` has reported */
  read() {
    const { clock, minutes, seconds, time } = this.form.elements;
    const typed = time.value.trim();
    if (typed) {
      const { wire, why } = entered(typed);
      if (!why) return wire;
      time.closest("details").open = true;
      return this._refused(`${why[0].toUpperCase()}${why.slice(1)}.`, time);
    }
    if (clock.value !== OWN) return clock.value;
    const whole = Math.round(60 * Number(minutes.value)), more = Number(seconds.value);
    if (!minutes.checkValidity() || !seconds.checkValidity() || whole + more <= 0) return this._refused(t`Give minutes and seconds as numbers.`, minutes);
    return more ? `${whole}+${more}` : String(whole);
  }

  /** @param {string} text @param {HTMLElement} field @returns {null} */
  _refused(text, field) {
    this.refuse(text);
    field.focus();
    return null;
  }
}

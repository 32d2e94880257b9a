/** The dialog of the settings, each of which takes effect at once, and the button of the sound. */

import { byId, closeBeside, make, note, setText } from "./dom.js";
import { CHOICES, choose, setting } from "./settings.js";
import { t } from "./texts.js";

const CHOICE_LABELS = { theme: t`Colors of the board`, pieces: t`Pieces`, size: t`Size of the board` };
const SWITCH_LABELS = {
  confirm: t`Confirm each move`, queen: t`Always promote to a queen`, sound: t`Sound`, notify: t`Notify me when it is my move and I look elsewhere`,
};
const REFUSED = t`Your browser shows no notifications of this page. It may be allowed in the browser's settings of this site.`;

/** @param {string} name */
function choice(name) {
  return make("label", {}, `${CHOICE_LABELS[name]} `, make("select", {
    name, onchange: (event) => choose(name, event.target.value),
  }, ...CHOICES[name].map(([value, text]) => make("option", { value, selected: value === setting(name) }, text))));
}

/** @param {string} name @param {(on: boolean) => void} change */
const toggle = (name, change) => make("label", { class: "tick" }, make("input", {
  type: "checkbox", name, checked: setting(name), onchange: (event) => change(event.target.checked),
}), ` ${SWITCH_LABELS[name]}`);

export function openSettings() {
  const before = /** @type {HTMLElement|null} */ (document.activeElement);
  const fault = make("p", { class: "banner warning", role: "alert", hidden: true });
  const askLeave = async (on) => {
    note(fault);
    const granted = on && globalThis.Notification && (await Notification.requestPermission()) === "granted";
    choose("notify", !!granted);
    dialog.querySelector("[name=notify]").checked = !!granted;
    if (on && !granted) note(fault, REFUSED);
  };
  const dialog = make("dialog", { class: "question settings", "aria-labelledby": "settings-title" },
    make("h2", { id: "settings-title" }, t`Settings`),
    make("form", { method: "dialog" },
      ...Object.keys(CHOICES).map(choice),
      ...Object.keys(SWITCH_LABELS).map((name) => toggle(name, name === "notify" ? askLeave : (on) => choose(name, on))),
      fault,
      make("p", { class: "quiet" }, t`They are kept in this browser.`),
      make("div", { class: "answers" }, make("button", { class: "primary" }, t`Close`))));
  closeBeside(dialog);
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (before?.isConnected) before.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
}

/** Wire the buttons of the page's head. */
export function wireSettings() {
  byId("settings-button").addEventListener("click", openSettings);
  const sound = byId("sound-button");
  if (!sound) return;
  const show = () => {
    sound.setAttribute("aria-pressed", String(setting("sound")));
    setText(sound.querySelector(".sign"), setting("sound") ? "♪" : "×");
  };
  sound.addEventListener("click", () => choose("sound", !setting("sound")));
  document.addEventListener("settings", show);
  show();
}

/** A person's settings in this browser, for all its tabs. If the browser stores nothing for pages, a
 * setting lasts as long as the page. The document gets the event `settings` after each change. */

import { t } from "./texts.js";

const STORE = "ulci.settings";

/** The values of each setting; the first is the default.
 * @type {Object<string, [string, string][]>} */
export const CHOICES = {
  theme: [["slate", t`Slate`], ["wood", t`Wood`], ["green", t`Green`], ["plain", t`Black and white`]],
  pieces: [["figures", t`Figures`], ["letters", t`Letters`]],
  size: [["window", t`As high as the window`], ["wide", t`As wide as possible`], ["small", t`Small`]],
};

/** The switches, with their defaults. @type {Object<string, boolean>} */
const SWITCHES = { confirm: false, queen: false, sound: true, notify: false };

/** @returns {Object<string, any>} the stored settings, without unknown names and values */
function read() {
  let stored = {};
  try {
    stored = JSON.parse(localStorage.getItem(STORE) ?? "{}") ?? {};
  } catch {
    // blocked, or written by another script: the defaults apply
  }
  const chosen = Object.entries(CHOICES).map(([name, choices]) =>
    [name, choices.some(([value]) => value === stored[name]) ? stored[name] : choices[0][0]]);
  const switched = Object.entries(SWITCHES).map(([name, value]) => [name, typeof stored[name] === "boolean" ? stored[name] : value]);
  return Object.fromEntries([...chosen, ...switched]);
}

let settings = read();

/** @param {string} name @returns {any} the chosen value, or whether a switch is on */
export const setting = (name) => settings[name];

/** @param {string} name @param {string|boolean} value */
export function choose(name, value) {
  settings = { ...settings, [name]: value };
  try {
    localStorage.setItem(STORE, JSON.stringify(settings));
  } catch {
    // it lasts as long as this page
  }
  apply();
}

function apply() {
  const root = document.documentElement;
  root.dataset.theme = settings.theme;
  root.dataset.size = settings.size;
  document.dispatchEvent(new Event("settings"));
}

addEventListener("storage", ({ key }) => {
  if (key !== STORE && key !== null) return;
  settings = read();
  apply();
});
apply();

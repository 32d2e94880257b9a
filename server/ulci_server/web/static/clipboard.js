/** Copies texts to the clipboard. Only secure pages (https, this machine) may use it; elsewhere the text is selected in the
 * field `shared-text`. The element `shared` shows what was done. */

import { byId, note, say } from "./dom.js";
import { t } from "./texts.js";

/** @param {string} text @param {string} done */
export async function give(text, done) {
  try {
    await navigator.clipboard.writeText(text);
    tell(done);
  } catch {
    const field = byId("shared-text");
    field.hidden = false;
    field.value = text;
    field.focus();
    field.select();
    tell(t`Copy it from here:`);
  }
}

/** @param {string} text */
export function tell(text) {
  note(byId("shared"), text);
  say(text);
}

/** Clear the message, because the page shows something else. */
export function forget() {
  note(byId("shared"));
  byId("shared-text").hidden = true;
}

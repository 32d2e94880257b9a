/** A dialog with fields, which stays open until its answer is accepted. */

import { make, note } from "./dom.js";
import { t } from "./texts.js";

/**
 * A field. options: value and text of each. among: suggested names. refill: returns the options of other fields, by name, for
 * a new value of this one.
 * @typedef {{name: string, label: string, value?: string, options?: string[][], among?: string[], required?: boolean, numeric?: boolean,
 *   refill?: (value: string) => Promise<Object<string, string[][]>|null>}} Field
 */

/** @param {string[][]} options */
const optionsOf = (options) => options.map(([value, text]) => make("option", { value }, text));

/** @param {Field} field @returns {HTMLElement[]} */
function control(field) {
  const hint = field.among ? `among-${field.name}` : null;
  const input = field.options
    ? make("select", { name: field.name }, ...optionsOf(field.options))
    : make("input", { name: field.name, required: !!field.required, autocomplete: "off", maxLength: 500, inputMode: field.numeric ? "numeric" : "text" });
  if (hint) input.setAttribute("list", hint);
  if (field.value) input.value = field.value;
  const label = make("label", {}, `${field.label} `, input);
  return field.among && hint ? [label, make("datalist", { id: hint }, ...optionsOf(field.among.map((name) => [name, name])))] : [label];
}

/**
 * @param {string} title @param {Field[]} fields
 * @param {(said: Object<string, string>) => Promise<void>} take throws an error, whose message the dialog shows
 * @param {string} does the label of the button
 * @returns {Promise<void>} when the answer was accepted, or the person has cancelled
 */
export function askForm(title, fields, take, does = t`Do it`) {
  const before = /** @type {HTMLElement|null} */ (document.activeElement);
  return new Promise((resolve) => {
    const fault = make("p", { class: "banner warning", role: "alert", hidden: true });
    const send = make("button", { class: "primary" }, does);
    const form = make("form", {},
      ...fields.flatMap(control), fault,
      make("div", { class: "answers" }, make("button", { type: "button", onclick: () => dialog.close() }, t`Leave it`), send));
    const dialog = make("dialog", { class: "question", "aria-label": title }, make("p", { class: "question-title" }, title), form);
    for (const { name, refill } of fields) {
      if (!refill) continue;
      form.elements[name].addEventListener("change", async () => {
        for (const [other, options] of Object.entries(await refill(form.elements[name].value) ?? {})) {
          form.elements[other].replaceChildren(...optionsOf(options));
        }
      });
    }
    form.addEventListener("submit", async (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      if (send.getAttribute("aria-disabled")) return; // the answer is on its way
      send.setAttribute("aria-disabled", "true");
      note(fault);
      try {
        await take(Object.fromEntries(/** @type {[string, string][]} */ ([...new FormData(form)])));
        dialog.close();
      } catch (error) {
        note(fault, /** @type {Error} */ (error).message);
      }
      send.removeAttribute("aria-disabled");
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (before?.isConnected) before.focus();
      resolve();
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Questions that wait for an answer, as dialogs: a promotion, or yes and no. */

import { closeBeside, make } from "./dom.js";
import { pieceImage } from "./piece.js";
import { t } from "./texts.js";
import { kindName } from "./words.js";

/**
 * @param {string} title @param {{value: string, content: (Node|string)[], class?: string}[]} answers
 * @returns {Promise<string|null>} null: Escape
 */
export function ask(title, answers) {
  const before = /** @type {HTMLElement|null} */ (document.activeElement);
  return new Promise((resolve) => {
    const dialog = make("dialog", { class: "question", "aria-label": title },
      make("p", { class: "question-title" }, title),
      make("div", { class: "answers" }, ...answers.map((answer) => make("button", {
        type: "button", class: answer.class ?? "", onclick: () => dialog.close(answer.value),
      }, ...answer.content))));
    dialog.addEventListener("cancel", () => { dialog.returnValue = ""; });
    closeBeside(dialog);
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (before?.isConnected) before.focus();
      resolve(dialog.returnValue || null);
    });
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector("button")?.focus();
  });
}

/** @param {string[]} letters lower case; "" is none @param {boolean} white @param {string} rules */
export function askPromotion(letters, white, rules) {
  return ask(t`Promote to`, letters.map((letter) => ({
    value: letter || "none",
    class: "promotion",
    content: letter
      ? [pieceImage(white ? letter.toUpperCase() : letter, rules), kindName(letter)]
      : [t`no promotion`],
  }))).then((answer) => (answer === "none" ? "" : answer));
}

/** @param {string} question @param {string} yes @param {string} no */
export async function confirmed(question, yes, no) {
  return (await ask(question, [
    { value: "no", content: [no] }, { value: "yes", content: [yes], class: "danger" },
  ])) === "yes";
}

/** Calls a person who looks at another tab: a title that blinks and, if the settings ask for it, a notification. */

import { setting } from "./settings.js";

const BLINK_MS = 1000;

let title = document.title;
/** @type {any} */
let timer;
/** @type {Notification|null} */
let shown = null;
let called = 0; // notifications that were asked for, or are not wanted any more

/** Set the title of the page while it calls nobody. @param {string} text */
export function setTitle(text) {
  title = text;
  if (!timer) document.title = text;
}

/** End the call: the person has seen it, or it is out of date. */
export function stopCalling() {
  clearInterval(timer);
  timer = undefined;
  called += 1;
  shown?.close();
  shown = null;
  if (document.title !== title) document.title = title;
}

/** Call the person, if the tab is hidden. @param {string} what `Your move` @param {string} detail */
export function callBack(what, detail) {
  if (document.visibilityState !== "hidden") return;
  stopCalling();
  let on = false;
  const blink = () => { on = !on; document.title = on ? `● ${what}` : title; };
  blink();
  timer = setInterval(blink, BLINK_MS);
  if (setting("notify") && globalThis.Notification?.permission === "granted") notify(what, detail);
}

/** @param {string} what @param {string} detail */
function notify(what, detail) {
  const options = { body: detail, icon: "/static/icon.svg", tag: "ulci" };
  try {
    shown = new Notification(what, options);
  } catch {
    notifyByWorker(what, { ...options, data: location.href }); // phones allow it to no page
    return;
  }
  shown.addEventListener("click", () => { focus(); stopCalling(); });
}

/** @param {string} what @param {NotificationOptions} options */
async function notifyByWorker(what, options) {
  try {
    const calls = ++called, registration = await notifier();
    await registration.showNotification(what, options);
    const [notification] = await registration.getNotifications({ tag: options.tag });
    if (calls === called) shown = notification ?? null;
    else notification?.close(); // one looks here again
  } catch {
    // Refused after it was allowed, or no connection is encrypted: the title blinks.
  }
}

/** The service worker of this version of the page; those of others end. @returns {Promise<ServiceWorkerRegistration>} */
async function notifier() {
  const workers = navigator.serviceWorker;
  const registration = await workers.register(new URL("./notifier.js", import.meta.url));
  for (const other of await workers.getRegistrations()) {
    if (other.scope !== registration.scope) await other.unregister();
  }
  const worker = registration.active ?? registration.waiting ?? registration.installing;
  while (worker && worker.state !== "activated") {
    await new Promise((resolve) => { worker.addEventListener("statechange", resolve, { once: true }); });
  }
  return registration;
}

document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") stopCalling(); });

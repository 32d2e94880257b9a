/** Notices that a page returns: from another tab, from a phone's sleep, from the browser's cache, or to a network. Its timers
 * stood still meanwhile, and its connections may be dead without a sign. */

const SIGNS = /** @type {const} */ ([[document, "visibilitychange"], [document, "resume"], [globalThis, "pageshow"], [globalThis, "online"]]);

/** @param {() => void} listener called once or several times for one return @returns {() => void} removes the listener */
export function onWake(listener) {
  const wake = () => { if (document.visibilityState === "visible") listener(); };
  for (const [target, sign] of SIGNS) target.addEventListener(sign, wake);
  return () => { for (const [target, sign] of SIGNS) target.removeEventListener(sign, wake); };
}

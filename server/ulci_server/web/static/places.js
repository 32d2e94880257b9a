/** How the pages of one browser share its connections to the server.
 *
 * Over HTTP/1.1 a browser opens six connections to a server, for all its tabs, windows and frames
 * together, and a stream of events occupies one. So some streams keep a connection; the others take
 * turns, in which each reads the events that it has missed. Two connections are left, for the turns
 * and for other requests.
 *
 * Web Locks count the connections and end with their page. Without them (neither https nor this
 * machine), each page keeps its connection while it is visible. */

const KEPT = ["0", "1", "2"];
const OWN = "own"; // one more place, for the game that the person plays

/** @typedef {{kept: boolean, release: () => void}} Place `kept`: the stream may keep its connection. */

/** @param {boolean} own whether the stream is for the person's own game @param {AbortSignal} signal gives up waiting
 * @returns {Promise<Place>} */
export async function takePlace(own, signal) {
  try {
    for (const name of own ? [OWN, ...KEPT] : KEPT) {
      const release = await take(`ulci.stream.${name}`, { ifAvailable: true });
      if (release) return { kept: true, release };
    }
    return { kept: false, release: await take("ulci.turn", { signal }) };
  } catch {
    signal.throwIfAborted();
    return { kept: true, release: () => {} }; // Web Locks are missing or blocked
  }
}

/** @returns {Promise<any>} a function that releases the lock; null: another page has it */
const take = async (name, options) => new Promise((taken, failed) => {
  navigator.locks.request(name, options, (lock) => {
    if (lock) return new Promise((release) => taken(release));
    taken(null);
    return null;
  }).catch(failed);
});

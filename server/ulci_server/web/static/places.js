/** How the pages of one browser share its connections to the server.
 *
 * Over HTTP/1.1 a browser opens six to a server, for all its tabs, windows and frames together, and a
 * stream of events keeps one. So some streams follow for as long as they like; the others take turns,
 * in which each reads what it has missed. Two connections are left, for the turns and for all else.
 *
 * Counted by Web Locks, which end with their page. Where there are none (neither https nor this
 * machine), each page keeps its connection while it is seen. */

const KEPT = ["0", "1", "2"];
const OWN = "own"; // one more, for a game that one plays

/** @typedef {{kept: boolean, release: () => void}} Place `kept`: for as long as one likes. */

/** @param {boolean} own whether it is for a game that one plays @param {AbortSignal} signal gives up waiting
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
    return { kept: true, release: () => {} }; // there are none, or they are blocked
  }
}

/** @returns {Promise<any>} what gives the lock back; null: another page has it */
const take = async (name, options) => new Promise((taken, failed) => {
  navigator.locks.request(name, options, (lock) => {
    if (lock) return new Promise((release) => taken(release));
    taken(null);
    return null;
  }).catch(failed);
});

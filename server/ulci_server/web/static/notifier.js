/** A service worker that shows notifications, which phones show of no page itself. It keeps and answers nothing: the pages
 * are never under its control. */

addEventListener("notificationclick", (/** @type {any} */ event) => {
  event.notification.close();
  event.waitUntil(goBack(event.notification.data));
});

/** To the tab that called, if it is still there. @param {string} address */
async function goBack(address) {
  const { clients } = /** @type {any} */ (globalThis);
  const pages = await clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = pages.find(({ url }) => url === address);
  await (page ? page.focus() : clients.openWindow(address));
}

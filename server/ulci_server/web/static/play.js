/** The page to play: come in, find an opponent, play. Which of the three shows is decided here. */

import { dropSilentLines, getJson } from "./api.js";
import { byId, make, note, say } from "./dom.js";
import { Ignored } from "./ignored.js";
import { LobbyView } from "./lobbyview.js";
import { Seat, forgetSeat, savedSeat } from "./seat.js";
import { Table } from "./table.js";
import { TournamentsView } from "./tournamentsview.js";
import { sideName } from "./words.js";

const RETRY_MS = 3000;
const PARTS = ["enter", "lobby", "table"];

const NOT_KEPT = "Your browser keeps nothing for this page, so stay on it while you play: a reload would lose your seat.";
const LINE = {
  open: "",
  lost: "The connection to the server is lost. Your seat is kept; calling again…",
  silent: "Nothing comes from the server any more. Your seat is kept; calling again…",
};

/** @type {Seat|null} */
let seat = null;
/** @type {Table|null} */
let table = null;
/** of the lines that went silent */
let dropping = Promise.resolve();
let path = "/ulci";

const lobby = new LobbyView((line) => seat?.say(line) ?? false);
const tournaments = new TournamentsView((line) => seat?.say(line) ?? false);
const ignored = new Ignored(
  (line) => seat?.say(line) ?? false,
  (name, is) => table?.ignoring(name, is),
  (name, is) => lobby.ignoring(name, is),
);

/** Show one of the three, and put the focus where it begins. @param {string} part */
function show(part, focus = true) {
  const changed = byId(part).hidden;
  for (const other of PARTS) byId(other).hidden = other !== part;
  document.body.dataset.part = part;
  // A challenge has to be seen during a game, too.
  (part === "table" ? byId("table-challenges") : byId("lobby-challenges")).append(byId("challenges-part"));
  if (!changed || !focus) return;
  const first = { enter: byId("name"), lobby: byId("lobby-title"), table: table?.view.status }[part];
  first?.focus({ preventScroll: part === "table" });
  scrollTo(0, 0);
}

function connect(who) {
  seat = new Seat(path, who, {
    onLobby: hear,
    onAsked: () => table?.asked(),
    onFault(text) {
      if (table && !byId("table").hidden) table.fault(text);
      else lobby.tellUser(text);
    },
    onLine(state) {
      const before = !byId("line").hidden, text = LINE[state];
      note(byId("line"), text);
      if (!!text !== before) say(text ? "The connection is lost. Calling again." : "Connected again.");
      if (state !== "open") table?.lost();
      if (state === "silent") dropping = dropSilentLines();
      if (before && !text) dropping.then(() => table?.view.renew());
    },
    onWaiting: (text) => note(byId("enter-fault"), text),
    onRefused(text) {
      seat = null;
      dropTable();
      note(byId("line"));
      note(byId("enter-fault"), text);
      show("enter");
      say(text);
    },
  });
}

function dropTable() {
  table?.close();
  table = null;
}

function hear(line) {
  if (line.line === "Welcome") {
    note(byId("enter-fault"));
    ignored.enter(seat?.resumed ?? false);
    lobby.enter(line.name, line.account === "yes");
    tournaments.enter(line.account === "yes");
    if (seat && !seat.kept) lobby.tellUser(NOT_KEPT);
    if (!table || table.over) show("lobby");
    return;
  }
  if (line.line === "GameStart") {
    lobby.forgetSeeks();
    if (table?.id !== line.id) {
      dropTable();
      table = new Table(seat, line, ignored, () => { dropTable(); show("lobby"); });
      note(byId("lobby-note"));
      say(`A game begins. You play ${sideName(table.own, line.game)} against ${table.opponentText}.`);
    }
    show("table");
    return;
  }
  if (lobby.hear(line) || tournaments.hear(line) || ignored.hear(line)) return;
  if (line.line === "ErrorLine" || line.line === "NoteLine") {
    const text = line.text || line.code;
    if (table && !byId("table").hidden) table.fault(text);
    else lobby.tellUser(text);
  } else if (line.line === "Chat") table?.heard(line.name, line.text ?? "");
  else if (line.line === "PrivateChat") lobby.heard(line.name, line.text ?? "");
  else if (table && line.id === table.id) table.hear(line);
}

byId("enter-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const name = byId("name").value.trim(), token = byId("token").value.trim();
  if (!name) {
    note(byId("enter-fault"), "A name is needed, by which others see you.");
    byId("name").focus();
    return;
  }
  byId("token").value = "";
  note(byId("enter-fault"), "Connecting…");
  forgetSeat();
  ignored.forget();
  connect({ name, token });
});
byId("enter-button").disabled = false; // before, the browser itself would send the form

byId("go-out").addEventListener("click", () => {
  lobby.forgetSeeks();
  ignored.forget();
  seat?.leave();
  seat = null;
  show("enter");
});

async function begin() {
  try {
    const server = await getJson("/api/server");
    path = server.websocket;
    if (server.serve !== "play") {
      note(byId("enter-fault"), "Nobody plays in the browser on this server.");
      byId("enter-fault").append(" ", make("a", { href: "/" }, "Look at its games."));
      byId("enter-form").hidden = byId("help").hidden = true;
      show("enter", false);
      return;
    }
    lobby.offer(server);
    note(byId("enter-fault"));
  } catch (error) {
    note(byId("enter-fault"), `${error.message} Trying again…`);
    setTimeout(begin, RETRY_MS);
    return;
  }
  const saved = savedSeat();
  if (saved) {
    byId("name").value = saved.name;
    note(byId("enter-fault"), "Coming back…");
    connect({ name: saved.name });
  } else show("enter", false);
}

begin();

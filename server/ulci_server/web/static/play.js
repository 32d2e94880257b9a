/** The page to play: it shows one of three parts, to enter, to find an opponent, and to play. */

import { onSignedOut, readAccount, takeTicket } from "./accounts.js";
import { dropSilentLines, getJson } from "./api.js";
import { forgetChat } from "./chatlog.js";
import { byId, make, note, say } from "./dom.js";
import { Ignored } from "./ignored.js";
import { Joining } from "./invitation.js";
import { keep, kept } from "./kept.js";
import { LobbyView } from "./lobbyview.js";
import { rememberName, rememberedName } from "./remembered.js";
import { forgetGameOfSession, gameToReturnTo, rememberGame, runningGame } from "./runninggame.js";
import { SIGNED_OUT, Seat, forgetSeat, savedSeat } from "./seat.js";
import { wireSettings } from "./settingsdialog.js";
import { play } from "./sounds.js";
import { Table } from "./table.js";
import { t } from "./texts.js";
import { TournamentsView } from "./tournamentsview.js";
import { sideName } from "./words.js";

const RETRY_MS = 3000;
const TABLE_STORE = "ulci.table"; // the line that started the person's game
const PARTS = ["enter", "lobby", "table"];

const NOT_KEPT = t`Your browser keeps nothing for this page, so stay on it while you play: a reload would lose your seat.`;
const LINE = {
  open: "",
  lost: t`The connection to the server is lost. Your seat is kept; calling again…`,
  silent: t`Nothing comes from the server any more. Your seat is kept; calling again…`,
};

/** @type {Seat|null} */
let seat = null;
/** @type {Table|null} */
let table = null;
let reopened = false; // whether a reload opened the table, until the server confirms that the game goes on
/** done when the silent connections are dropped */
let dropping = Promise.resolve();
let path = "/ulci";
let account = ""; // its name, if this browser is signed in

const lobby = new LobbyView((line) => seat?.say(line) ?? false, () => {
  // After a game a rematch is what one waits for; during a game the board stays where it is.
  if (table?.over && !byId("table").hidden) byId("challenges-part").scrollIntoView({ block: "nearest" });
});
const joining = new Joining((line) => seat?.say(line) ?? false, (text) => {
  if (seat?.name) lobby.tellUser(text);
  else note(byId("enter-fault"), text);
});
const tournaments = new TournamentsView((line) => seat?.say(line) ?? false);
const ignored = new Ignored(
  (line) => seat?.say(line) ?? false,
  (name, is) => table?.ignoring(name, is),
  (name, is) => lobby.ignoring(name, is),
);

/** Show one of the three parts, and focus its beginning. @param {string} part */
function show(part, focus = true) {
  const changed = byId(part).hidden;
  for (const other of PARTS) byId(other).hidden = other !== part;
  document.body.dataset.part = part;
  // The person must see challenges during a game, too.
  (part === "table" ? byId("table-challenges") : byId("lobby-challenges")).append(byId("challenges-part"));
  if (!changed || !focus) return;
  const first = { enter: account ? byId("enter-button") : byId("name"), lobby: byId("lobby-title"), table: table?.view.status }[part];
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
      if (!!text !== before) say(text ? t`The connection is lost. Calling again.` : t`Connected again.`);
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

/** @param {string} id of the game that the person plays */
function remember(id) {
  const saved = savedSeat();
  if (saved) rememberGame({ id, seat: JSON.stringify(saved) });
}

/** Take over the seat of a game from another tab of this browser, open or closed. @param {{seat: string}} game */
function goBack({ seat: saved }) {
  byId("go-back").hidden = true;
  keep("ulci.seat", saved);
  byId("name").value = JSON.parse(saved).name;
  note(byId("enter-fault"), t`Coming back…`);
  connect(whoIs(JSON.parse(saved).name));
}

function dropTable() {
  table?.close();
  table = null;
  keep(TABLE_STORE, null);
}

/** @param {Object<string, string>} start the lobby's line, and `me`, the player's name */
function openTable(start) {
  table = new Table(/** @type {Seat} */ (seat), start, ignored, () => { dropTable(); show("lobby"); });
  keep(TABLE_STORE, JSON.stringify(start));
}

/** The server knows the seat no more: a game that ended meanwhile stays with its result, and no other.
 * @param {Table} one */
async function leaveUnlessOver(one) {
  const game = await getJson(`/api/games/${one.id}`).catch(() => null);
  if (table !== one || game?.state === "finished") return;
  dropTable();
  show("lobby");
}

function hear(line) {
  if (line.line === "Welcome") {
    note(byId("enter-fault"));
    ignored.enter(seat?.resumed ?? false);
    lobby.enter(line.name, line.account === "yes");
    tournaments.enter(line.account === "yes");
    if (seat && !seat.kept) lobby.tellUser(NOT_KEPT);
    const forgotten = reopened && !seat?.resumed;
    reopened = false;
    if (!table) show("lobby");
    else if (forgotten) leaveUnlessOver(table);
    // Each connection has a new secret.
    else if (!table.over && runningGame()?.id === table.id) remember(table.id);
    joining.enter();
    return;
  }
  if (line.line === "GameStart") {
    lobby.forgetSeeks();
    joining.forget();
    remember(line.id);
    if (table?.id !== line.id) {
      dropTable();
      openTable({ ...line, me: seat?.name ?? "" });
      note(byId("lobby-note"));
      play("start");
      say(t`A game begins. You play ${sideName(table.own, line.game)} against ${table.opponentText}.`);
    }
    show("table");
    return;
  }
  if (line.line === "GameOver" && line.id === runningGame()?.id) rememberGame(null);
  if (joining.hear(line) || lobby.hear(line) || tournaments.hear(line) || ignored.hear(line)) return;
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
    note(byId("enter-fault"), t`A name is needed, by which others see you.`);
    byId("name").focus();
    return;
  }
  byId("token").value = "";
  note(byId("enter-fault"), t`Connecting…`);
  forgetSeat();
  forgetChat();
  ignored.forget();
  if (account) {
    connect({ name: account, ticket: takeTicket });
    return;
  }
  if (!token) rememberName(name);
  connect({ name, token });
});
function goOut() {
  lobby.forgetSeeks();
  ignored.forget();
  forgetChat();
  seat?.leave();
  seat = null;
  show("enter");
}
byId("go-out").addEventListener("click", goOut);

/** Leave the seat of the person who was signed in: another person may use this browser now. */
function leaveSession() {
  forgetGameOfSession();
  byId("go-back").hidden = true;
  dropTable();
  goOut();
  forgetSeat();
  note(byId("line"));
  note(byId("enter-fault"), SIGNED_OUT);
  say(SIGNED_OUT);
}
onSignedOut(() => {
  if (account) showWho("");
  if (savedSeat()?.session) leaveSession();
});

/** Let a signed-in player enter under the account's name. @param {string} mode who may sign up */
async function readWho(mode) {
  byId("sign-in").hidden = mode === "off";
  showWho(mode === "off" ? "" : (await readAccount()).account?.name ?? "");
}

/** @param {string} name of the account; empty: nobody is signed in */
function showWho(name) {
  if (account) byId("name").value = "";
  account = name;
  byId("name-part").hidden = byId("token-part").hidden = !!account;
  byId("entering").hidden = !tournaments.wanted || !!account;
  note(byId("signed-in"), account && t`You are signed in as ${account}.`);
  byId("sign-in").firstChild.textContent = account ? t`Your account` : t`Sign in or make an account`;
  byId("name").value = account || byId("name").value || rememberedName();
}

/** @param {string} name @returns {{name: string, ticket?: () => Promise<string|null>}} */
const whoIs = (name) => (account && name === account ? { name, ticket: takeTicket } : { name });

async function begin() {
  const saved = savedSeat(), start = saved && JSON.parse(kept(TABLE_STORE) ?? "null");
  show(start ? "table" : "enter", false);
  try {
    const server = await getJson("/api/server");
    path = server.websocket;
    if (server.serve !== "play") {
      note(byId("enter-fault"), t`Nobody plays in the browser on this server.`);
      byId("enter-fault").append(" ", make("a", { href: "/" }, t`Look at its games.`));
      byId("enter-form").hidden = byId("help").hidden = true;
      show("enter", false);
      return;
    }
    lobby.offer(server);
    await readWho(server.sign_up);
    note(byId("enter-fault"));
    joining.open();
    byId("enter-button").disabled = false; // who is quicker would enter as a guest though signed in
  } catch (error) {
    note(byId(start ? "line" : "enter-fault"), t`${error.message} Trying again…`);
    setTimeout(begin, RETRY_MS);
    return;
  }
  if (saved?.session && saved.name !== account) {
    leaveSession();
    return;
  }
  if (!account) forgetGameOfSession();
  const game = saved ? null : await gameToReturnTo();
  if (game && new URLSearchParams(location.search).has("back")) {
    history.replaceState(null, "", location.pathname);
    goBack(game);
  } else if (game) {
    byId("go-back").hidden = false;
    byId("go-back-button").onclick = () => goBack(game);
  } else if (saved) {
    byId("name").value = saved.name;
    note(byId("enter-fault"), t`Coming back…`);
    connect(whoIs(saved.name));
    if (!start) return;
    openTable(start);
    reopened = true;
  }
}

wireSettings();
begin();

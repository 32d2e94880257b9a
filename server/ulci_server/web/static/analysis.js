/** The analysis board: a game or a position, from which a person tries any moves. The server decides which are legal. */

import "./board.js";
import { getJson } from "./api.js";
import { postJson } from "./postjson.js";
import { forget, give } from "./clipboard.js";
import { byId, enable, make, note, say, setText } from "./dom.js";
import { ExplorerView } from "./explorer.js";
import { OpinionView } from "./opinion.js";
import { t } from "./texts.js";
import { pgnOf, Tree, TreeView } from "./tree.js";
import { GAMES } from "./tables.js";
import { gameName, hasStones, playerName, sideName, typedExample } from "./words.js";

const PAUSE_MS = 120; // between two questions, so that a held arrow key asks only about the position where it stops
const ELSEWHERE = "input, select, textarea, dialog, [role=grid]";

const board = /** @type {import("./board.js").UlciBoard} */ (make("ulci-board", { label: t`Board` }));
byId("board").replaceWith(board);
const view = new TreeView(byId("tree"), (node) => show(node));

const explorer = new ExplorerView(choose);
/** @type {OpinionView|null} */
let opinion = null;

/** @type {Tree} */
let tree = new Tree("chess", null);
/** @type {import("./tree.js").Node} */
let at = tree.root;
let busy = false;
let lost = false; // and the page says so

/** @param {Tree} next @param {import("./tree.js").Node} [node] */
function begin(next, node = next.root) {
  tree = next;
  board.rules = tree.rules;
  byId("rules").value = tree.rules;
  byId("typed").placeholder = typedExample(tree.rules);
  byId("copy-position").textContent = hasStones(tree.rules) ? t`Copy the position` : t`Copy the FEN`;
  setText(byId("facts"), gameName(tree.rules));
  view.draw(tree);
  show(node);
}

/** @param {import("./tree.js").Node} node @param {boolean} [slide] */
function show(node, slide = false) {
  at = node;
  view.mark(node);
  note(byId("typed-fault"));
  forget();
  enable(!!node.parent, byId("first"), byId("previous"), byId("delete"));
  enable(node.children.length > 0, byId("last"), byId("next"));
  const seen = node.position?.board ?? node.board;
  if (seen) draw(seen, slide);
  if (node.position) judge();
  else {
    board.allow([]);
    opinion?.show(question(node), node, false);
    ask();
  }
}

function draw(seen, slide) {
  board.show(seen, at.move, { slide });
  const side = /** @type {HTMLElement} */ (board.closest(".board-side"));
  side.style.setProperty("--columns", String(board.columns || 8));
  side.style.setProperty("--rows", String(board.rows || 8));
}

/** Show the position, and allow its legal moves. */
function judge() {
  const { board: seen, legal, over } = at.position;
  board.allow(legal);
  setText(byId("status"), over ? `${over.text}.` : t`${sideName(seen.turn, tree.rules)} to move`);
  explorer.show(question(at));
  opinion?.show(question(at), at, !!over);
}

const question = (node) => ({ rules: tree.rules, start: tree.start, moves: tree.line(node).map(({ move }) => move) });

/** Ask the server about the shown position until it answers. */
async function ask() {
  if (busy) return;
  busy = true;
  while (!at.position) {
    const [node, of] = [at, tree];
    try {
      node.position = await postJson("/api/analysis/position", question(node));
      if (lost) note(byId("fault"));
      lost = false;
      if (at === node && tree === of) {
        draw(node.position.board, false);
        judge();
      }
    } catch (error) {
      note(byId("fault"), error.message);
      lost = true;
      if (error.status === 400 || error.status === 403) break;
    }
    await new Promise((done) => setTimeout(done, PAUSE_MS));
  }
  busy = false;
}

/** Play a move in the shown position. @param {Object<string, any>} more the move, as typed or as a list */
async function play(more) {
  const [node, of] = [at, tree];
  try {
    const found = await postJson("/api/analysis/position", { ...question(node), ...more });
    if (at !== node || tree !== of) return false;
    if (found.why !== null || !found.last) {
      wrong(found.why || t`That is no legal move here.`);
      return false;
    }
    const next = tree.add(node, found.last);
    next.position = found;
    view.draw(tree);
    say(`${sideName(next.side, tree.rules)}: ${next.san}`);
    show(next);
    return true;
  } catch (error) {
    if (at === node) wrong(error.message);
    return false;
  }
}

function wrong(text) {
  show(at);
  note(byId("typed-fault"), text);
  say(text);
}

/** @param {string} move as the server spells it */
function choose(move) {
  const known = at.children.find((child) => child.move === move);
  if (known) show(known);
  else play({ typed: move });
}

/** @param {{side: string, move: string, san: string}[]} line @param {import("./tree.js").Node} from */
function keepLine(line, from) {
  let node = from;
  for (const move of line) node = tree.add(node, move);
  view.draw(tree);
  show(from);
}

board.addEventListener("move", (event) => choose(event.detail));
board.addEventListener("say", (event) => say(event.detail));
byId("move-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const field = byId("typed"), typed = field.value.trim();
  if (typed && await play({ typed })) field.value = "";
});

// Through the tree

const go = {
  first: () => show(tree.root),
  previous: () => { if (at.parent) show(at.parent); },
  next: () => { if (at.children.length) show(at.children[0], true); },
  last: () => show(tree.end(at)),
  flip: () => { board.flipped = !board.flipped; },
};
for (const [name, act] of Object.entries(go)) byId(name).addEventListener("click", act);

/** Show another variation at this place. @param {number} step */
function sibling(step) {
  const all = at.parent?.children ?? [];
  const other = all[all.indexOf(at) + step];
  if (other) show(other);
}

const KEYS = {
  ArrowLeft: go.previous, ArrowRight: go.next, Home: go.first, End: go.last, f: go.flip, ArrowUp: () => sibling(-1), ArrowDown: () => sibling(1),
};
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || !(event.key in KEYS)) return;
  if (event.target instanceof Element && event.target.closest(ELSEWHERE)) return;
  event.preventDefault();
  KEYS[event.key]();
});
byId("delete").addEventListener("click", () => {
  const { parent } = at;
  if (!parent) return;
  tree.remove(at);
  view.draw(tree);
  show(parent);
});

// In and out

byId("copy-pgn").addEventListener("click", () => give(pgnOf(tree), t`The PGN is copied.`));
byId("copy-position").addEventListener("click", () => { if (at.position) give(at.position.fen, t`The position is copied.`); });
byId("rules").append(...Object.keys(GAMES).map((name) => make("option", { value: name }, gameName(name))));
byId("paste").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await read(byId("text").value, byId("rules").value);
    byId("status").focus();
  } catch (error) {
    note(byId("paste-fault"), error.message);
  }
});

/** @param {string} text PGN or FEN @param {string} rules */
async function read(text, rules) {
  const found = await postJson("/api/analysis/pgn", { text, rules });
  const next = new Tree(found.rules, found.start);
  const [first, ...others] = found.nodes, nodes = [next.root];
  next.root.comment = first.comment;
  for (const node of others) nodes.push(next.add(nodes[node.parent], node));
  note(byId("paste-fault"), found.faults.length ? t`Not all could be read: ${found.faults.join("; ")}.` : "");
  const { White, Black, Result } = found.tags;
  title(White || Black ? `${White ?? "?"} – ${Black ?? "?"}${Result && Result !== "*" ? `, ${Result}` : ""}` : t`Analysis`);
  byId("game").hidden = true;
  begin(next);
}

/** @param {string} text */
function title(text) {
  setText(byId("title"), text);
  document.title = text === t`Analysis` ? text : t`Analysis: ${text}`;
}

/** A game of this server. @param {string} id @param {number} ply */
async function load(id, ply) {
  const game = await getJson(`/api/games/${encodeURIComponent(id)}`);
  if (!(game.rules in GAMES)) throw new Error(t`Positions of ${gameName(game.rules)} are not judged by the server.`);
  if (game.state !== "finished") throw new Error(t`This game is still being played; it can be analysed when it is over.`);
  const next = new Tree(game.rules, game.start);
  next.root.board = game.start_board;
  let node = next.root, shown = next.root;
  for (const move of game.moves) {
    node = next.add(node, { ...move, san: move.san ?? move.move });
    if (move.board.ranks.length) node.board = move.board;
    if (move.ply === ply) shown = node;
  }
  title(`${playerName(game.white)} – ${playerName(game.black)}`);
  byId("game").href = `/games/${game.id}`;
  byId("game").hidden = false;
  begin(next, shown);
}

async function start() {
  const asked = new URLSearchParams(location.search), id = asked.get("game"), fen = asked.get("fen");
  const rules = asked.get("rules") ?? "chess";
  try {
    if (id) await load(id, Number(asked.get("ply") ?? 0));
    else if (fen) await read(fen, rules);
    else begin(new Tree(rules in GAMES ? rules : "chess", null));
  } catch (error) {
    begin(new Tree("chess", null));
    note(byId("fault"), error.message);
  }
}

/** Whether there is an engine to ask. */
async function offer() {
  try {
    if (!(await getJson("/api/server")).opinions) return;
    opinion = new OpinionView(keepLine);
    if (at.position) judge();
  } catch {
    // The rest of the page works without it.
  }
}

start();
offer();

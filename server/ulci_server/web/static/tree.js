/** Moves with their variations: the tree, and its view. */

import { make } from "./dom.js";
import { t } from "./texts.js";
import { sideName } from "./words.js";

/** @typedef {{parent: Node|null, children: Node[], side: string, move: string, san: string, comment: string, glyphs: string,
 *             number: number, position?: any, board?: any}} Node
 * `number`: of the full move. `position`: the server's answer about the node's position, once it is known. */

export class Tree {
  /** @param {string} rules @param {string|null} start a FEN; null: the usual start */
  constructor(rules, start) {
    this.rules = rules;
    this.start = start;
    const number = Number(/^\S+ \S+ \S+ \S+ \d+ (\d+)/.exec(start ?? "")?.[1] ?? 1) - 1;
    /** @type {Node} */
    this.root = { parent: null, children: [], side: "", move: "", san: "", comment: "", glyphs: "", number };
  }

  /** @param {Node} parent @param {{side: string, move: string, san: string, comment?: string, glyphs?: string}} move
   * @returns {Node} the new node, or the one that already has this move */
  add(parent, { side, move, san, comment = "", glyphs = "" }) {
    const known = parent.children.find((child) => child.move === move);
    if (known) return known;
    // The rules say which side moves: one may move twice, and Black may begin.
    const number = parent.number + Number(side === "white" || parent.side !== "white");
    const node = { parent, children: [], side, move, san, comment, glyphs, number };
    parent.children.push(node);
    return node;
  }

  /** @param {Node} node */
  remove(node) {
    const siblings = /** @type {Node} */ (node.parent).children;
    siblings.splice(siblings.indexOf(node), 1);
  }

  /** @param {Node} node @returns {Node[]} from the first move to this one */
  line(node) {
    const found = [];
    for (let at = node; at.parent; at = at.parent) found.unshift(at);
    return found;
  }

  /** @param {Node} node @returns {Node} the last node of its line */
  end(node) {
    let at = node;
    while (at.children.length) [at] = at.children;
    return at;
  }
}

/** @param {Node} node @param {boolean} fresh whether Black's move, too, shows its number @returns {string} `3…` */
const numberText = (node, fresh) => (node.side === "white" ? `${node.number}. ` : fresh ? `${node.number}… ` : "");

/** @param {Tree} tree @returns {string} PGN */
export function pgnOf(tree) {
  const tag = (name, value) => `[${name} "${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"]\n`;
  const head = [tree.rules === "chess" ? "" : tag("Variant", tree.rules), tree.start ? tag("SetUp", "1") + tag("FEN", tree.start) : ""].join("");
  const words = [];
  const one = (node, fresh) => {
    words.push(`${numberText(node, fresh).replace("… ", "... ")}${node.san}${node.glyphs}`);
    if (node.comment) words.push(`{${node.comment.replaceAll("}", ")")}}`);
  };
  const write = (node, first) => {
    let fresh = first;
    for (let at = node; at.children.length; [at] = at.children) {
      const [main, ...others] = at.children;
      one(main, fresh);
      fresh = !!main.comment || others.length > 0;
      for (const other of others) {
        words.push("(");
        one(other, true);
        write(other, !!other.comment);
        words.push(")");
      }
    }
  };
  write(tree.root, true);
  const text = [...words, "*"].join(" ").replaceAll("( ", "(").replaceAll(" )", ")");
  return `${head}${head && "\n"}${text.replace(/(.{1,78})(?: |$)/g, "$1\n")}`;
}

export class TreeView {
  /** @param {HTMLElement} element @param {(node: Node) => void} choose */
  constructor(element, choose) {
    this.element = element;
    this.choose = choose;
    /** @type {Map<Node, HTMLElement>} */
    this.buttons = new Map();
  }

  /** @param {Tree} tree */
  draw(tree) {
    this.rules = tree.rules;
    this.buttons.clear();
    const all = document.createDocumentFragment();
    this._line(all, tree.root, true);
    this.element.replaceChildren(tree.root.children.length ? all : make("p", { class: "quiet" }, t`No moves yet: play one on the board.`));
  }

  _line(into, node, first) {
    let fresh = first;
    if (!node.parent && node.comment) into.append(make("span", { class: "comment" }, node.comment));
    for (let at = node; at.children.length; [at] = at.children) {
      const [main, ...others] = at.children;
      fresh = this._one(into, main, fresh) || others.length > 0;
      for (const other of others) {
        const variation = make("div", { class: "variation" });
        this._line(variation, other, this._one(variation, other, true));
        into.append(variation);
      }
    }
  }

  /** @returns {boolean} whether a comment follows the move */
  _one(into, node, fresh) {
    const button = make("button", {
      type: "button", "aria-label": `${numberText(node, true)}${node.san}${node.glyphs}, ${sideName(node.side, this.rules)}`, onclick: () => this.choose(node),
    }, `${numberText(node, fresh)}${node.san}${node.glyphs}`);
    this.buttons.set(node, button);
    into.append(button);
    if (node.comment) into.append(make("span", { class: "comment" }, node.comment));
    return !!node.comment;
  }

  /** @param {Node} node the shown one */
  mark(node) {
    this.element.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const button = this.buttons.get(node);
    if (!button) {
      this.element.scrollTop = 0;
      return;
    }
    button.setAttribute("aria-current", "true");
    const box = this.element, top = button.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + button.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = top + button.offsetHeight - box.clientHeight;
  }
}

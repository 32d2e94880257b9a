/** QR codes (ISO/IEC 18004): bytes, error correction level M, versions 1 to 10. The page makes them itself, so that no other server gets the link. */

import { draw } from "./dom.js";
import { t } from "./texts.js";

/** By version, from 1: correction codewords of a block, blocks, data codewords of each; then blocks and data codewords of longer ones. */
const BLOCKS = [
  [10, 1, 16], [16, 1, 28], [26, 1, 44], [18, 2, 32], [24, 2, 43],
  [16, 4, 27], [18, 4, 31], [22, 2, 38, 2, 39], [22, 3, 36, 2, 37], [26, 4, 43, 1, 44],
];
/** The coordinates of the alignment patterns, besides 6, by version. */
const ALIGNED = [[], [18], [22], [26], [30], [34], [22, 38], [24, 42], [26, 46], [28, 50]];
const MASKS = [
  (x, y) => (x + y) % 2 === 0, (_, y) => y % 2 === 0, (x) => x % 3 === 0, (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2 === 0, (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0, (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];
const QUIET = 4; // modules around the code

// The field of 256 elements of x^8 + x^4 + x^3 + x^2 + 1.
const EXP = [1];
for (let at = 1; at < 255; at += 1) EXP.push((EXP[at - 1] << 1) ^ (EXP[at - 1] & 128 ? 0x11d : 0));
const LOG = [];
EXP.forEach((value, at) => { LOG[value] = at; });
const times = (a, b) => (a && b ? EXP[(LOG[a] + LOG[b]) % 255] : 0);

/** @param {number[]} data @param {number} count @returns {number[]} its Reed-Solomon codewords */
function correction(data, count) {
  let generator = [1];
  for (let at = 0; at < count; at += 1) {
    generator = [...generator, 0].map((value, place) => value ^ (place ? times(generator[place - 1], EXP[at]) : 0));
  }
  const rest = [...data, ...Array(count).fill(0)];
  data.forEach((_, at) => {
    const lead = rest[at];
    generator.forEach((value, place) => { rest[at + place] ^= times(value, lead); });
  });
  return rest.slice(data.length);
}

/** @param {number} value @param {number} bits of the value @param {number} divisor @returns {number} the value, followed by its remainder */
function checked(value, bits, divisor) {
  const length = 31 - Math.clz32(divisor);
  let rest = value << length;
  for (let at = bits - 1; at >= 0; at -= 1) if ((rest >> (at + length)) & 1) rest ^= divisor << at;
  return (value << length) | rest;
}

/** @param {Uint8Array} bytes @returns {{version: number, codewords: number[]}} @throws {RangeError} too long */
export function coded(bytes) {
  const rooms = BLOCKS.map(([, n, size, more = 0, longer = 0]) => n * size + more * longer);
  const version = rooms.findIndex((room, at) => bytes.length + (at < 9 ? 2 : 3) <= room) + 1;
  if (!version) throw new RangeError(t`too long for a QR code`);
  const room = rooms[version - 1], length = version < 10 ? 8 : 16;
  const bits = [[4, 4], [bytes.length, length], ...[...bytes].map((byte) => [byte, 8]), [0, 4]]
    .flatMap(([value, count]) => Array.from({ length: count }, (_, at) => (value >> (count - 1 - at)) & 1));
  const data = Array.from({ length: Math.min(room, Math.ceil(bits.length / 8)) }, (_, at) =>
    bits.slice(8 * at, 8 * at + 8).reduce((byte, bit, place) => byte | (bit << (7 - place)), 0));
  for (let pad = 0xec; data.length < room; pad ^= 0xec ^ 0x11) data.push(pad);
  const [count, n, size, more = 0, longer = 0] = BLOCKS[version - 1];
  const sizes = [...Array(n).fill(size), ...Array(more).fill(longer)];
  let from = 0;
  const blocks = sizes.map((each) => data.slice(from, from += each));
  const checks = blocks.map((block) => correction(block, count));
  const woven = (lists) => Array.from({ length: Math.max(...lists.map((list) => list.length)) }, (_, at) =>
    lists.map((list) => list[at]).filter((value) => value !== undefined)).flat();
  return { version, codewords: [...woven(blocks), ...woven(checks)] };
}

/** The code of a text with one mask. @param {string} text @param {number} mask @returns {boolean[][]} rows: whether a module is dark */
export function masked(text, mask) {
  const { version, codewords } = coded(new TextEncoder().encode(text));
  const size = 17 + 4 * version, at = [6, ...ALIGNED[version - 1]];
  /** @type {(boolean|undefined)[][]} */
  const rows = Array.from({ length: size }, () => Array(size));
  const set = (x, y, dark) => { if (x >= 0 && y >= 0 && x < size && y < size) rows[y][x] = dark; };
  const rings = (x, y, reach, light) => {
    for (let dy = -reach; dy <= reach; dy += 1) {
      for (let dx = -reach; dx <= reach; dx += 1) set(x + dx, y + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))));
    }
  };
  for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]]) rings(x, y, 4, [2, 4]);
  for (let place = 8; place < size - 8; place += 1) { set(place, 6, place % 2 === 0); set(6, place, place % 2 === 0); }
  const last = at.at(-1);
  for (const y of at) {
    for (const x of at) {
      const corner = (x === 6 && (y === 6 || y === last)) || (y === 6 && x === last);
      if (version > 1 && !corner) rings(x, y, 2, [1]);
    }
  }
  const format = checked(mask, 5, 0x537) ^ 0x5412; // level M is 00
  for (let bit = 0; bit < 15; bit += 1) {
    const dark = ((format >> bit) & 1) === 1;
    set(8, bit < 6 ? bit : bit < 8 ? bit + 1 : size - 15 + bit, dark);
    set(bit < 8 ? size - 1 - bit : bit === 8 ? 7 : 14 - bit, 8, dark);
  }
  set(8, size - 8, true);
  const named = checked(version, 6, 0x1f25);
  for (let bit = 0; version > 6 && bit < 18; bit += 1) {
    const a = Math.floor(bit / 3), b = size - 11 + (bit % 3), dark = ((named >> bit) & 1) === 1;
    set(a, b, dark);
    set(b, a, dark);
  }
  let bit = 0;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right -= 1;
    const up = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; step += 1) {
      const y = up ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (rows[y][x] !== undefined) continue;
        rows[y][x] = (((codewords[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1 !== MASKS[mask](x, y);
        bit += 1;
      }
    }
  }
  return /** @type {boolean[][]} */ (rows);
}

/** The penalty of a mask: for long runs, blocks, patterns like a corner, and too much of one shade. @param {boolean[][]} rows */
function penalty(rows) {
  const size = rows.length, columns = rows.map((_, x) => rows.map((row) => row[x]));
  let found = 0, dark = 0;
  for (const line of [...rows, ...columns].map((cells) => cells.map(Number).join(""))) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) found += run.length - 2;
    for (const corner of ["10111010000", "00001011101"]) {
      for (let from = line.indexOf(corner); from >= 0; from = line.indexOf(corner, from + 1)) found += 40;
    }
  }
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      dark += Number(rows[y][x]);
      if (x && y && [rows[y - 1][x], rows[y][x - 1], rows[y - 1][x - 1]].every((cell) => cell === rows[y][x])) found += 3;
    }
  }
  return found + 10 * Math.floor(Math.abs((100 * dark) / (size * size) - 50) / 5);
}

/** @param {string} text of 213 bytes at most @returns {boolean[][]} rows: whether a module is dark @throws {RangeError} the text is longer */
export function qrRows(text) {
  const all = MASKS.map((_, mask) => masked(text, mask)), costs = all.map(penalty);
  return all[costs.indexOf(Math.min(...costs))];
}

/** @param {string} text @param {string} label for people who cannot see it @returns {SVGElement} dark on white, whatever the page's colours */
export function qrImage(text, label) {
  const rows = qrRows(text), size = rows.length + 2 * QUIET;
  const path = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : ""))).join("");
  return draw("svg", { viewBox: `0 0 ${size} ${size}`, class: "qr", role: "img", "aria-label": label, "shape-rendering": "crispEdges" },
    draw("rect", { width: size, height: size, fill: "#fff" }), draw("path", { d: path, fill: "#000" }));
}

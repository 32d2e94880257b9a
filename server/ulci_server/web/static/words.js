/** The server's facts in words. */
import { CONDUCT, GAMES, PIECES, REASONS } from "./tables.js";

/** Whether players of these rules put stones, X and O. @param {string} rules */
export const hasStones = (rules) => GAMES[rules]?.stones ?? false;

/** @param {string} rules */
export const gameName = (rules) => GAMES[rules]?.title ?? rules;

/** @param {{name: string, level?: number|null}} player @returns {string} `House level 3` */
export const playerName = ({ name, level }) => (level ? `${name} level ${level}` : name);

/** @param {number|string|null|undefined} rating @returns {string} `rating 1812`; empty if there is none */
export const ratingText = (rating) => (rating ? `rating ${rating}` : "");

/** A move as people type it, in these rules; empty if they are not known here. @param {string} rules */
export const typedExample = (rules) => GAMES[rules]?.typed ?? "";

/** @param {string} side @param {string} [rules] @returns {string} `White`, or in games of stones `X` */
export function sideName(side, rules = "") {
  if (hasStones(rules)) return side === "white" ? "X" : "O";
  return side === "white" ? "White" : "Black";
}

/** The symbol in pieces.svg, empty if there is none. @param {string} letter @param {string} rules */
export function symbolOf(letter, rules) {
  const lower = letter.toLowerCase();
  if (hasStones(rules)) return lower === "x" || lower === "o" ? `stone-${lower}` : "";
  return lower in PIECES ? lower : "";
}

/** @param {string} letter upper case for White @param {string} rules @returns {string} `white knight` */
export function pieceName(letter, rules) {
  if (hasStones(rules)) return letter.toUpperCase();
  const side = letter === letter.toUpperCase() ? "white" : "black";
  return `${side} ${kindName(letter)}`;
}

/** @param {string} letter @returns {string} `knight` */
export const kindName = (letter) => PIECES[letter.toLowerCase()] ?? `piece ${letter.toUpperCase()}`;

/**
 * @param {{result: string|null, reason?: string|null, detail?: string|null, rules?: string}} game
 * @returns {string} a sentence
 */
export function resultText({ result, reason, detail, rules }) {
  const [winner, loser] = { "1-0": ["white", "black"], "0-1": ["black", "white"] }[result] ?? ["", ""];
  const ended = winner ? `${sideName(winner, rules)} won` : result === "1/2-1/2" ? "Draw" : "No result";
  const why = reason ? ` ${REASONS[reason] ?? `(${reason})`}`.replace("{loser}", sideName(loser, rules)) : "";
  return `${ended}${why}${detail ? `: ${detail}` : ""}.`;
}

/** @param {string} [conduct] what players may not do, and what counts, as the lobby says it @returns {string[]} in words */
export const conductText = (conduct = "") => conduct.split(",").filter(Boolean).map((said) => {
  const [word, number = ""] = said.split("=");
  return CONDUCT[word]?.replace("{}", number) ?? said;
});

/** Whether the players of a game may say that command to it. @param {string} command @param {string} [conduct] */
export const permits = (command, conduct = "") => {
  const said = conduct.split(",");
  return command === "berserk" ? said.includes(command) : !said.includes(`no-${command}`);
};

/** @param {string|null} result @returns {string} */
export const shortResult = (result) => (result === "1/2-1/2" ? "½–½" : (result ?? "").replace("-", "–"));

/** @param {number} count moves of one side @returns {string} `1 ply`, `12 plies` */
export const pliesText = (count) => (count === 1 ? "1 ply" : `${count} plies`);

/** @param {number} ms @returns {string} `1:02:03`, `4:05`, below 20 s `12.3` */
export function clockText(ms) {
  const left = Math.max(0, ms);
  if (left < 20_000) return (Math.floor(left / 100) / 10).toFixed(1);
  const all = Math.floor(left / 1000), s = String(all % 60).padStart(2, "0");
  const days = Math.floor(all / 86_400), hours = Math.floor(all / 3600) % 24, minutes = Math.floor(all / 60) % 60;
  if (days) return `${days} d ${hours} h`;
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${s}` : `${minutes}:${s}`;
}

/** @param {number} ms @returns {string} `2 minutes 5 seconds`, as one says it */
export function spokenTime(ms) {
  const all = Math.max(0, Math.round(ms / 1000)), minutes = Math.floor(all / 60), seconds = all % 60;
  const said = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
  if (minutes >= 60) return `${said(Math.floor(minutes / 60), "hour")} ${said(minutes % 60, "minute")}`;
  if (!minutes) return said(seconds, "second");
  return seconds ? `${said(minutes, "minute")} ${said(seconds, "second")}` : said(minutes, "minute");
}

/** @param {number|null} cp @param {number|null} mate @returns {string} `+0.35`, `mate in 3`; empty: unknown */
export function scoreText(cp, mate) {
  if (mate !== null && mate !== undefined) return mate < 0 ? `mated in ${-mate}` : `mate in ${mate}`;
  if (cp === null || cp === undefined) return "";
  return `${cp < 0 ? "−" : "+"}${(Math.abs(cp) / 100).toFixed(2)}`;
}

/** @param {number} value @param {number} digits @returns {string} `+3.2`, `−0.5`, `0.0` */
export function signedText(value, digits) {
  const text = Math.abs(value).toFixed(digits);
  if (!Number(text)) return text;
  return `${value < 0 ? "−" : "+"}${text}`;
}

/** @param {number|null} value @param {number|null} error half of its interval @returns {string} `+3.2 ± 12.0`; a dash: unknown */
export function errorText(value, error) {
  if (value === null) return "–";
  return `${signedText(value, 1)} ± ${error === null ? "∞" : error.toFixed(1)}`;
}

/** @param {number} part of 1 @returns {string} `87.9 %` */
export const percentText = (part) => `${(100 * part).toFixed(1)} %`;

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** @param {string|null} at ISO 8601 @returns {string} in the reader's time zone */
export function dateText(at) {
  const time = at ? Date.parse(at) : NaN;
  return Number.isNaN(time) ? "" : DAY.format(time);
}

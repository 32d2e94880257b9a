/** The server's values in words for people. */
import { CONDUCT, GAMES, PIECES, REASONS } from "./tables.js";
import { LOCALE, t, translated } from "./texts.js";

/** Whether players of these rules place stones, X and O. @param {string} rules */
export const hasStones = (rules) => GAMES[rules]?.stones ?? false;

/** @param {string} rules */
export const gameName = (rules) => {
  const title = GAMES[rules]?.title;
  return title ? translated(title) : rules; // the operator names games with a referee
};

/** @param {{name: string, level?: number|null}} player @returns {string} `House level 3` */
export const playerName = ({ name, level }) => (level ? t`${name} level ${level}` : name);

/** @param {number|string|null|undefined} rating @returns {string} `rating 1812`; empty if there is none */
export const ratingText = (rating) => (rating ? t`rating ${rating}` : "");

/** An example of a typed move in these rules; empty if the rules are not known here. @param {string} rules */
export const typedExample = (rules) => translated(GAMES[rules]?.typed ?? "");

/** @param {string} side @param {string} [rules] @returns {string} `White`, or in games of stones `X` */
export function sideName(side, rules = "") {
  if (hasStones(rules)) return side === "white" ? "X" : "O";
  return side === "white" ? t`White` : t`Black`;
}

/** The symbol in pieces.svg; empty if there is none. @param {string} letter @param {string} rules */
export function symbolOf(letter, rules) {
  const lower = letter.toLowerCase();
  if (hasStones(rules)) return lower === "x" || lower === "o" ? `stone-${lower}` : "";
  return lower in PIECES ? lower : "";
}

/** @param {string} letter upper case for White @param {string} rules @returns {string} `white knight` */
export function pieceName(letter, rules) {
  if (hasStones(rules)) return letter.toUpperCase();
  const side = letter === letter.toUpperCase() ? t`white` : t`black`;
  return t`${side} ${kindName(letter)}`;
}

/** @param {string} letter @returns {string} `knight` */
export const kindName = (letter) => {
  const name = PIECES[letter.toLowerCase()];
  return name ? translated(name) : t`piece ${letter.toUpperCase()}`;
};

/**
 * @param {{result: string|null, reason?: string|null, detail?: string|null, rules?: string}} game
 * @returns {string} a sentence
 */
export function resultText({ result, reason, detail, rules }) {
  const [winner, loser] = { "1-0": ["white", "black"], "0-1": ["black", "white"] }[result] ?? ["", ""];
  const ended = winner ? t`${sideName(winner, rules)} won` : result === "1/2-1/2" ? t`Draw` : t`No result`;
  const why = reason ? ` ${translated(REASONS[reason] ?? `(${reason})`)}`.replace("{loser}", sideName(loser, rules)) : "";
  return `${ended}${why}${detail ? `: ${detail}` : ""}.`;
}

/** @param {string} [conduct] words of the lobby for what players may not do, and for what counts @returns {string[]} their meanings */
export const conductText = (conduct = "") => conduct.split(",").filter(Boolean).map((said) => {
  const [word, number = ""] = said.split("=");
  return word in CONDUCT ? translated(CONDUCT[word]).replace("{}", number) : said;
});

/** Whether the players of a game may send it that command. @param {string} command @param {string} [conduct] */
export const permits = (command, conduct = "") => {
  const said = conduct.split(",");
  return command === "berserk" ? said.includes(command) : !said.includes(`no-${command}`);
};

/** @param {string|null} result @returns {string} */
export const shortResult = (result) => (result === "1/2-1/2" ? "½–½" : (result ?? "").replace("-", "–"));

/** @param {number} count moves of one side @returns {string} `1 ply`, `12 plies` */
export const pliesText = (count) => (count === 1 ? t`1 ply` : t`${count} plies`);

/** @param {number|undefined} count @returns {string} `3 spectators`; empty: none */
export const spectatorsText = (count) => (count ? `${count} ${count === 1 ? "spectator" : "spectators"}` : "");

/** @param {number} ms @returns {string} `1:02:03`, `4:05`, below 20 s `12.3` */
export function clockText(ms) {
  const left = Math.max(0, ms);
  if (left < 20_000) return (Math.floor(left / 100) / 10).toFixed(1);
  const all = Math.floor(left / 1000), s = String(all % 60).padStart(2, "0");
  const days = Math.floor(all / 86_400), hours = Math.floor(all / 3600) % 24, minutes = Math.floor(all / 60) % 60;
  if (days) return `${days} d ${hours} h`;
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${s}` : `${minutes}:${s}`;
}

/** @param {number} ms @returns {string} `2 minutes 5 seconds`, in spoken form */
export function spokenTime(ms) {
  const all = Math.max(0, Math.round(ms / 1000)), minutes = Math.floor(all / 60), seconds = all % 60;
  const h = (n) => `${n} ${n === 1 ? t`hour` : t`hours`}`, m = (n) => `${n} ${n === 1 ? t`minute` : t`minutes`}`;
  const s = (n) => `${n} ${n === 1 ? t`second` : t`seconds`}`;
  if (minutes >= 60) return `${h(Math.floor(minutes / 60))} ${m(minutes % 60)}`;
  if (!minutes) return s(seconds);
  return seconds ? `${m(minutes)} ${s(seconds)}` : m(minutes);
}

/** @param {number|null} cp @param {number|null} mate @returns {string} `+0.35`, `mate in 3`; empty: unknown */
export function scoreText(cp, mate) {
  if (mate !== null && mate !== undefined) return mate < 0 ? t`mated in ${-mate}` : t`mate in ${mate}`;
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

const DAY = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "short" });

/** @param {string|null} at ISO 8601 @returns {string} in the reader's time zone */
export function dateText(at) {
  const time = at ? Date.parse(at) : NaN;
  return Number.isNaN(time) ? "" : DAY.format(time);
}

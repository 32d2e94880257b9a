/** The lobby's words, as every client says and hears them: server/ulci/protocol/README.md. */

/** What the server says behind `lobby`, as its table has it; a test compares the two. What stands for a
 * value is in capitals or has a `|`; what is in brackets may be missing. */
export const LINES = {
  Welcome: "welcome name NAME account yes|no resume SECRET",
  ErrorLine: "error CODE [TEXT]",
  NoteLine: "note CODE [TEXT]",
  OpenSeek: "seek ID player NAME kind KIND game GAME time TIME color COLOR rated yes|no lag RULE [games N] [start FEN] [conduct WORDS]",
  IncomingChallenge: "challenge ID player NAME kind KIND game GAME time TIME color COLOR rated yes|no lag RULE [games N] [start FEN] [conduct WORDS]",
  OutgoingChallenge: "challenging ID player NAME",
  ChallengeDecline: "declined ID by NAME [TEXT]",
  Gone: "gone ID",
  MatchGame: "match ID game N of N player NAME [chooser NAME] [within MS]",
  MatchOver: "match ID over played COUNT reason REASON",
  SeekList: "seeks COUNT",
  PlayerList: "who COUNT",
  ListedPlayer: "player NAME kind KIND state STATE",
  GameStart: "game ID start white NAME black NAME game GAME time TIME rated yes|no lag RULE [conduct WORDS]",
  DrawOffer: "game ID offer draw from NAME",
  DrawDecline: "game ID decline draw from NAME",
  TakebackOffer: "game ID offer takeback PLIES from NAME",
  TakebackDecline: "game ID decline takeback from NAME",
  TakenBack: "game ID takeback PLIES ply PLY",
  TimeGift: "game ID givetime MS to white|black from NAME",
  Pause: "game ID paused",
  Resumption: "game ID resumed [downtime MS]",
  OpponentState: "game ID opponent STATE [claim-in MS]",
  GameOver: "game ID over result RESULT reason REASON",
  Pong: "pong",
  Chat: "say NAME [TEXT]",
  PrivateChat: "tell NAME [TEXT]",
  IgnoreStart: "ignore NAME",
  IgnoreEnd: "unignore NAME",
  IgnoreList: "ignored COUNT",
};

const isValue = (word) => word.includes("|") || /^\[?[A-Z]+\]?$/.test(word);
const bare = (word) => word.replaceAll(/[[\]]/g, "");

/** The words of a template in place, and the keys of its pairs. A value in place comes before the pairs. */
function plan(template) {
  const words = template.split(" ");
  const head = [], keys = [];
  let at = 0;
  // The head goes on while words stand in place; from the first `key VALUE` on there are pairs.
  const fixed = HEADS[words[0]]?.(words) ?? words.length;
  for (; at < fixed; at++) head.push(words[at]);
  for (; at < words.length; at += 2) keys.push(bare(words[at]));
  return { head, keys };
}

/** How many words of a template stand in place. */
const HEADS = {
  welcome: () => 1, seek: () => 2, challenge: () => 2, challenging: () => 2, declined: () => 5, player: () => 2,
  match: (words) => (words[2] === "game" ? 4 : 3),
  game: (words) => {
    if (words[2] === "offer" || words[2] === "decline") return words[3] === "takeback" && words[2] === "offer" ? 5 : 4;
    return { start: 3, takeback: 4, givetime: 4, paused: 3, resumed: 3, opponent: 4, over: 3 }[words[2]];
  },
};

const PLANS = Object.entries(LINES).map(([kind, template]) => ({ kind, ...plan(template) }));

/**
 * @param {string} line behind the word `lobby`
 * @returns {Object<string, string>|null} `line` (the key of `LINES`), the values in place by their template's name in lower
 *   case (`id`, `name`, `text`), and the pairs by their keys; null: a word that this page does not know
 */
export function readLobby(line) {
  const words = line.split(" ").filter(Boolean);
  for (const { kind, head, keys } of PLANS) {
    /** @type {Object<string, string>} */
    const read = { line: kind };
    let at = 0, fits = true;
    for (const part of head) {
      const name = bare(part).toLowerCase();
      if (!isValue(part)) fits = words[at++] === part;
      else if (name === "text") { read.text = words.slice(at).join(" "); at = words.length; }
      else if (words[at] !== undefined) read[name] = words[at++];
      else fits = part.startsWith("[");
      if (!fits) break;
    }
    if (!fits || (!keys.length && at < words.length)) continue;
    for (; at + 1 < words.length; at += 2) read[words[at]] = words[at + 1];
    return read;
  }
  return null;
}

/** `seek …` and `challenge NAME …`: what is empty is left out; a start takes the rest of the line.
 * @param {string} word @param {Object<string, string>} terms */
export function termsLine(word, terms) {
  const said = ["game", "time", "color", "rated", "against", "start"]
    .filter((key) => terms[key]?.trim()).map((key) => `${key} ${oneLine(terms[key])}`);
  return [word, ...said].join(" ");
}

/** What a person typed, as a part of one line. @param {string} text */
export const oneLine = (text) => text.replaceAll(/\s+/g, " ").trim();

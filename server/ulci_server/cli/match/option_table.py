"""The options of the command.

They are those of fastchess, and nearly those of cutechess-cli, so that scripts for these run
unchanged, with a few of our own. A new one is a row of `SECTIONS`.
"""

from collections.abc import Mapping

from . import keys
from .draft import engine, for_each, opens, reads, sets, spreads
from .options import (
    Option,
    Takes,
    affinity,
    debug,
    flag,
    number,
    quick,
    repeat,
    text,
    tournament_format,
    variant,
    wait,
    web,
)
from .settings import MOST_ENGINES, TablebaseResults
from .values import one_of, path, whole

MOST_ROUNDS = 10_000_000
"""More than any test has played."""

MOST_CONCURRENCY = 10_000
"""Games at once, whatever the machine is."""

_PAIRS, _ONE = Takes.PAIRS, Takes.ONE

SECTIONS: Mapping[str, Mapping[str, Option]] = {
    "Engines": {
        "-engine": Option(
            _PAIRS, engine, "KEY=VALUE ...",
            "Another engine: cmd=PROGRAM, or remote=NAME for one at another machine, which comes by"
            " ulci bridge --name NAME; name=N, args=\"A B\", dir=FOLDER, proto=uci|ugi|uti|ulci,"
            " tc=MOVES/MINUTES:SECONDS+INCREMENT or another clock of the server, st=SECONDS,"
            " nodes=N, depth=N (or plies=N), timemargin=MS, restart=on|off, ponder=on|off,"
            " option.NAME=VALUE.",
        ),
        "-each": Option(_PAIRS, for_each, "KEY=VALUE ...", "The same keys for all engines."),
        "-quick": Option(
            _PAIRS, quick, "cmd=A cmd=B book=FILE",
            "Two engines at 10+0.1 for 25000 rounds, with a book in random order.",
        ),
        "-startup-ms": wait("startup_ms", "How long an engine may take for uciok (10000)."),
        "-ucinewgame-ms": wait("new_game_ms", "The same for readyok after ucinewgame (60000)."),
        "-ping-ms": wait("ping_ms", "The same for readyok at other times (60000)."),
        "-use-affinity": Option(
            Takes.ONE_OR_NOTHING, affinity, "[CPUS]",
            "Give each engine a processor of its own, of those given (3,5,7-11) or of all.",
        ),
        "-recover": flag("recover", "Start engines again that crash; without it the match ends."),
    },
    "Games": {
        "-rounds": number(
            "rounds", "Openings that every two engines play (2; with -sprt, until it ends).",
            0, MOST_ROUNDS,
        ),
        "-games": number("games", "Games of each opening, colours swapped (2).", 1, MOST_ROUNDS),
        "-repeat": Option(Takes.ONE_OR_NOTHING, repeat, "[N]", "The same as -games 2."),
        "-noswap": Option(Takes.NOTHING, sets("swap", value=False), "", "Never swap colours."),
        "-reverse": flag("reverse", "The second engine begins with White."),
        "-tournament": Option(
            _ONE, reads("format", tournament_format), "roundrobin|gauntlet",
            "Who meets whom, of three engines or more (roundrobin).",
        ),
        "-seeds": number(
            "seeds", "The first engines, which play a gauntlet (1).", 1, MOST_ENGINES
        ),
        "-variant": Option(
            _ONE, reads("game", variant), "GAME",
            "standard, fischerandom, or any other game of this server (standard).",
        ),
        "-concurrency": number(
            "concurrency", "Games at once (1); 0 or less: so many fewer than processors.",
            -MOST_CONCURRENCY, MOST_CONCURRENCY,
        ),
        "-force-concurrency": flag(
            "force_concurrency", "Allow more games at once than there are processors."
        ),
        "-wait": wait("wait", "The pause between two games (0)."),
        "-sprt": Option(
            _PAIRS, opens("sprt", keys.SPRT),
            "elo0=E elo1=E alpha=A beta=B [model=normalized|logistic|bayesian]",
            "Play until one of two strengths is accepted; alpha and beta are the errors allowed"
            " (0.05).",
        ),
    },
    "Openings": {
        "-openings": Option(
            _PAIRS, opens("openings", keys.OPENINGS), "file=F KEY=VALUE ...",
            "A book: format=epd|pgn|polyglot, order=sequential|random, plies=N of each opening,"
            " start=N, the first one.",
        ),
        "-srand": number("seed", "The seed of all that is random.", 0, 2**64 - 1),
    },
    "Adjudication": {
        "-draw": Option(
            _PAIRS, opens("draw", keys.DRAW), "movenumber=N movecount=N score=CP",
            "From that move on, a game is drawn after so many moves of each side with scores"
            " near 0.",
        ),
        "-resign": Option(
            _PAIRS, opens("resign", keys.RESIGN), "movecount=N score=CP [twosided=true]",
            "A side loses after so many moves with such a score against it.",
        ),
        "-maxmoves": number(
            "max_moves", "A game is drawn after so many moves.", 1, keys.MOST_MOVES
        ),
        "-tb": Option(
            _ONE, reads("folders", str, "tb"), "PATHS",
            "Folders of Syzygy tables, with : between them, which decide games.",
        ),
        "-tbpieces": Option(
            _ONE, reads("pieces", whole(0, 32), "tb"), "N",
            "Only positions with so many men or fewer.",
        ),
        "-tbignore50": Option(
            Takes.NOTHING, lambda draft, _: draft.groups.setdefault("tb", {}).update(
                fifty_moves=False
            ), "", "Look results up as if there were no fifty-move rule.",
        ),
        "-tbadjudicate": Option(
            _ONE, reads("results", one_of({each.value: each for each in TablebaseResults}), "tb"),
            "BOTH|WIN_LOSS|DRAW", "Which results end a game (BOTH).",
        ),
    },
    "Output": {
        "-pgnout": Option(
            Takes.PAIRS_OR_NOTHING, opens("pgnout", keys.PGN, bare="file"),
            "[[file=]F] [KEY=VALUE ...]",
            "Write games: append=true|false, notation=san|lan|uci, nodes=, seldepth=, nps=,"
            " hashfull=, tbhits=, pv=, timeleft=, latency=, min=true|false, match_line=REGEX"
            " (quotes the last such line of each search). Of moves that an earlier run has played,"
            " seldepth, hashfull, tbhits and such lines are not known any more.",
        ),
        "-epdout": Option(
            Takes.PAIRS_OR_NOTHING, opens("epdout", keys.EPD, bare="file"),
            "[[file=]F] [append=true|false]",
            "Write the last position of each game.",
        ),
        "-event": text("event", "The event that games in PGN name."),
        "-site": text("site", "The site that they name."),
        "-ratinginterval": number(
            "rating_interval", "Pairs between reports (10); 0: only at the end.", 0, MOST_ROUNDS
        ),
        "-scoreinterval": number(
            "score_interval", "Games between scores, with format=cutechess (1).", 0, MOST_ROUNDS
        ),
        "-report": Option(
            _PAIRS, spreads("report", keys.REPORT), "penta=true|false",
            "Whether figures are computed from pairs (true).",
        ),
        "-output": Option(
            _PAIRS, spreads("output", keys.OUTPUT), "format=fastchess|cutechess",
            "Whose lines are printed (fastchess).",
        ),
        "-log": Option(
            _PAIRS, opens("log", keys.LOG), "file=F KEY=VALUE ...",
            "A log: level=trace|info|warn|err|fatal (warn), engine=true for all that engines say"
            " and hear, append=, compress=, realtime=true|false.",
        ),
        "-show-latency": flag(
            "show_latency",
            "Tell at the end by how much measured times exceed those that engines say; in the log,"
            " of each move.",
        ),
        "-check-mate-pvs": flag(
            "check_mate_pvs",
            "Warn of each variation to a mate that does not end in one after so many moves. The"
            " last variation of a move is always checked for illegal moves.",
        ),
        "-strict": flag("strict", "The first warning ends the match, with exit code 1."),
        "-testEnv": flag("test_environment", "Print nothing that only people need."),
        "-crc32": Option(
            _PAIRS, spreads("crc32", keys.CHECKSUM), "pgn=true|false",
            "Print the checksum of the PGN at the end.",
        ),
        "-web": Option(
            Takes.ONE_OR_NOTHING, web, "[ADDRESS]", "Show boards and standings on a page.",
        ),
    },
    "Going on": {
        "-db": Option(
            _ONE, reads("database", path), "FILE",
            "The database of the match (match.db): the same command again goes on where it was.",
        ),
        "-config": Option(
            _PAIRS, opens("config", keys.CONFIG), "KEY=VALUE ...",
            "Understood, and not needed: see -db.",
        ),
        "-autosaveinterval": Option(
            _ONE, reads("autosave", whole()), "N",
            "Understood, and not needed: every move is saved.",
        ),
    },
}  # fmt: skip

OPTIONS: Mapping[str, Option] = {
    **{word: option for section in SECTIONS.values() for word, option in section.items()},
    "-debug": Option(Takes.PAIRS_OR_NOTHING, debug, "", ""),
}
"""All of them, and those that only complain."""

"""Everything that can be said, as hypothesis strategies: one for each verb."""

from collections.abc import Mapping

from hypothesis import strategies as st

from ulci.protocol.lobby.commands import COMMANDS
from ulci.protocol.lobby.commands import ROWS as COMMAND_ROWS
from ulci.protocol.lobby.line_template import LONGEST_GIFT, Row
from ulci.protocol.lobby.lines import ROWS, Line, UnknownLine, read_untrusted
from ulci.protocol.messages import (
    Bench,
    BestMove,
    Blame,
    Bound,
    Challenge,
    Clock,
    CopyProtection,
    CurrLine,
    Debug,
    Eval,
    Go,
    Hello,
    HelloOk,
    Id,
    Info,
    Invite,
    IsReady,
    Lobby,
    Message,
    NewGame,
    Option,
    OptionType,
    Perft,
    PonderHit,
    Position,
    Query,
    Quit,
    ReadyOk,
    Register,
    Registration,
    Report,
    Response,
    Score,
    Seek,
    SetOption,
    Status,
    Stop,
    Terms,
    Unknown,
    kinds_of,
)
from ulci.protocol.readers import FROM_CLIENT, FROM_SERVER, QUERIES

VERBS = {
    *FROM_CLIENT, *FROM_SERVER, *COMMANDS, *(verb for verbs in QUERIES.values() for verb in verbs),
    "uci", "uciok", "ucinewgame", "ugi", "ugiok", "uginewgame", "lobby",
}  # fmt: skip

_TOKENS = """
name value code later type default min max var <empty> startpos fen moves searchmoves
wtime btime winc binc movestogo depth nodes mate movetime infinite ponder
seldepth multipv score wdl time nps hashfull tbhits sbhits cpuload currmove currmovenumber
currline refutation pv string cp lowerbound upperbound clienterror servererror error
on off checking ok p1time p2time p1inc p2inc gameover p1turn result true false p1win p2win draw
game color rated against start
"""

# Words with a meaning somewhere: "the substrings value and name should be avoided" (UCI).
TOKENS = VERBS | set(_TOKENS.split())

words = st.text(
    st.characters(categories=("L", "N", "P", "S"), exclude_characters="\ufeff"),
    min_size=1,
    max_size=8,
).filter(lambda word: word not in TOKENS and word.isprintable() and word.split() == [word])
"""Words of any script that mean nothing."""

texts = st.lists(words, min_size=1, max_size=4).map(" ".join)
"""One line with single blanks."""

ANSWERS = ("true", "false", "p1win", "p2win", "draw", "none")
"""To UGI queries; in capitals they are read as the same."""

moves = st.one_of(
    st.from_regex(r"[a-l]([1-9]|1[0-2])[a-l]([1-9]|1[0-2])[qrbnmcaehurw]?", fullmatch=True),
    st.sampled_from(("0000", "(none)", "P@e4", "e1h1", "g10g7", "O-O", "b3", "12")),
)
lines = st.lists(moves, max_size=5).map(tuple)
some_moves = st.lists(moves, min_size=1, max_size=5).map(tuple)
starts = st.lists(words, min_size=1, max_size=9).map(" ".join)

counts = st.integers(0, 2**63 - 1)
numbers = st.integers(-(2**63) + 1, 2**63 - 1)


def maybe(strategy: st.SearchStrategy) -> st.SearchStrategy:
    return st.none() | strategy


scores = st.one_of(
    st.builds(Score, cp=numbers, bound=maybe(st.sampled_from(Bound))),
    st.builds(Score, mate=numbers, bound=maybe(st.sampled_from(Bound))),
)
curr_lines = st.builds(
    CurrLine, some_moves.filter(lambda line: line[0] != "12"), maybe(st.integers(1, 512))
)
_COUNTS = (
    "depth", "seldepth", "multipv", "time", "nodes", "nps", "hashfull", "tbhits", "sbhits",
    "cpuload", "currmovenumber",
)  # fmt: skip
_analysis = {
    **dict.fromkeys(_COUNTS, maybe(counts)),
    "score": maybe(scores),
    "wdl": maybe(st.tuples(counts, counts, counts)),
    "currmove": maybe(moves),
    "currline": maybe(curr_lines),
    "refutation": lines,
}
infos = st.one_of(
    st.builds(Info, **_analysis, pv=lines), st.builds(Info, **_analysis, string=texts | st.just(""))
)

options = st.one_of(
    st.builds(Option, texts, st.just(OptionType.CHECK), maybe(st.sampled_from(("true", "false")))),
    st.builds(
        Option,
        texts,
        st.just(OptionType.SPIN),
        maybe(numbers.map(str)),
        maybe(numbers),
        maybe(numbers),
    ),
    st.builds(
        Option,
        texts,
        st.just(OptionType.COMBO),
        maybe(texts | st.just("")),
        vars=st.lists(texts | st.just(""), max_size=3).map(tuple),
    ),
    st.builds(Option, texts, st.just(OptionType.BUTTON)),
    st.builds(Option, texts, st.just(OptionType.STRING), maybe(texts | st.just(""))),
)

terms = st.builds(
    Terms,
    game=maybe(words),
    time=maybe(st.sampled_from(("300+3", "40/300+2", "600/5x30", "3days", "60|30", "inf"))),
    color=st.sampled_from(("white", "black", "random", "later")),
    rated=maybe(st.booleans()),
    against=st.sampled_from(("any", "human", "engine")),
    games=st.integers(1, 2**63 - 1),
    range=maybe(st.tuples(st.integers(0, 9999), st.integers(0, 9999)).map(sorted).map(tuple)),
    start=maybe(starts),
)
_clocks = dict.fromkeys(("wtime", "btime", "winc", "binc"), maybe(numbers))
_limits = dict.fromkeys(("movestogo", "depth", "nodes", "mate", "movetime"), maybe(counts))

_VALUES: Mapping[str, st.SearchStrategy[object]] = {
    **dict.fromkeys(("ID", "MS", "PLY", "COUNT"), counts),
    "PLIES": st.integers(1, 2**63 - 1),
    "N": st.integers(1, 2**63 - 1),
    "FEN": texts.map(lambda text: text.replace("_", "-")),  # _ stands for a blank there
    "TEXT": texts,
    "WORD...": st.lists(words, min_size=1, max_size=5).map(tuple),
    "yes|no": st.booleans(),
    "white|black": st.sampled_from(("white", "black")),
    "win|draw": st.sampled_from(("win", "draw")),
    "MIN-MAX": st.tuples(st.integers(0, 9999), st.integers(0, 9999)).map(sorted).map(tuple),
    "SECONDS": st.integers(1, LONGEST_GIFT),  # a field in ms
    "F": texts,
}


def _line(row: Row) -> st.SearchStrategy:
    values = [part for part in (*row.head, *row.pairs.values()) if not isinstance(part, str)]
    return st.builds(
        row.kind,
        **{
            value.name: (st.just(value.default) if value.optional else st.nothing())
            | _VALUES.get(value.shown, words)
            for value in values
        },
    )


LINES: Mapping[type, st.SearchStrategy[Line]] = {
    **{row.kind: _line(row) for row in ROWS},
    UnknownLine: st.lists(words | st.sampled_from(sorted(TOKENS)))
    .map(read_untrusted)
    .filter(lambda line: isinstance(line, UnknownLine)),
}
"""For every line of the lobby, such lines."""

# The others are built from their annotations: they have no fields.
_SPECIAL: Mapping[type, st.SearchStrategy[Message]] = {
    **{row.kind: _line(row) for row in COMMAND_ROWS if row.grouped is None},
    Debug: st.builds(Debug, st.booleans()),
    SetOption: st.builds(SetOption, texts, maybe(texts | st.just(""))),
    Register: st.builds(Register, maybe(texts), maybe(texts)),
    Position: st.builds(Position, maybe(starts), lines),
    Go: st.builds(
        Go, **_clocks, **_limits, infinite=st.booleans(), ponder=st.booleans(), searchmoves=lines
    ),
    Clock: st.builds(Clock, **_clocks),
    Perft: st.builds(Perft, counts),
    Query: st.builds(Query, st.sampled_from(("gameover", "p1turn", "result")) | texts),
    Response: st.builds(
        Response,
        st.sampled_from(ANSWERS) | texts.filter(lambda text: text.lower() not in ANSWERS),
    ),
    Lobby: st.builds(Lobby, st.one_of(*LINES.values())),
    Info: infos,
    Report: st.builds(Report, st.sampled_from(Blame), texts | st.just("")),
    Unknown: st.builds(Unknown, texts),
    Id: st.builds(Id, words, texts | st.just("")),
    Option: options,
    BestMove: st.builds(BestMove, moves, maybe(moves)),
    CopyProtection: st.builds(CopyProtection, st.sampled_from(Status)),
    Registration: st.builds(Registration, st.sampled_from(Status)),
    Seek: st.builds(Seek, terms),
    Challenge: st.builds(Challenge, texts, terms),
    Invite: st.builds(Invite, words, terms),
}

SAYINGS: Mapping[type, st.SearchStrategy[Message]] = {
    kind: _SPECIAL[kind] if kind in _SPECIAL else st.builds(kind) for kind in kinds_of(Message)
}
"""For every verb, messages that have a spelling of their own."""

FIELDLESS = (Hello, IsReady, NewGame, Stop, PonderHit, Eval, Bench, Quit, HelloOk, ReadyOk)

# What programs really send, cut into words and shuffled: nearly everything, nearly right.
_JUNK = (
    "",
    " ",
    "\t",
    "-1",
    "0",
    "1",
    "99999999999999999999",
    "x",
    "e2e4",
    "e7e8Q",
    "é",
    "٣",
    "1_0",
)
scrambled = st.lists(
    st.sampled_from(sorted(TOKENS)) | st.sampled_from(_JUNK) | st.sampled_from(sorted(VERBS)),
    max_size=12,
).map(" ".join)
"""Lines of words that all mean something, somewhere."""

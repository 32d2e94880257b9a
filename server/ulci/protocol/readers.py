"""One reader per verb, for each end.

A reader gets the words after its verb. Unknown words are skipped and unreadable numbers left out,
as UCI 2006 asks; the rest must be valid, or RemoteProtocolError tells how to use the verb.
"""

import re
from collections.abc import Callable, Container, Mapping
from typing import Any, NoReturn

from . import info
from . import messages as say
from .dialect import Role, Spelling
from .errors import RemoteProtocolError
from .messages import NO_MOVE, Message, OptionType, Status
from .text import LARGEST, number_in, one_line, quote

Reader = Callable[[list[str], Spelling], Message]

# An L-FEN has up to nine fields, a FEN six, an EPD four.
_START_FIELDS = 9

# AnMon 5.75 says "e7e8Q" (known from python-chess, engine.py). Drops ("P@e4") and whatever else
# other games call a move stay as they are.
_UPPER_PROMOTION = re.compile(r"[a-z]+[0-9]+[a-z]+[0-9]+[A-Z]")


def _wrong(verb: str, words: list[str], fault: str, usage: str) -> NoReturn:
    line = " ".join((verb, *words))
    raise RemoteProtocolError(f"{quote(line)}: {fault}; use: {usage}")


def _section(words: list[str], key: str, ends: Container[str]) -> list[str] | None:
    """The words after `key`, up to the next one of `ends`; None without `key`."""
    if key not in words:
        return None
    start = words.index(key) + 1
    end = next((at for at in range(start, len(words)) if words[at] in ends), len(words))
    return words[start:end]


def _alone(message: Message) -> Reader:
    return lambda _words, _dialect: message


# From a client


def _read_id(words: list[str], _dialect: Spelling) -> Message:
    if not words:
        _wrong("id", words, "it has no key", "id name X")
    return say.Id(words[0], one_line(" ".join(words[1:])))


def _read_bestmove(words: list[str], dialect: Spelling) -> Message:
    mended = _as_it_is if dialect.opaque else _lowered
    match words:
        case [move]:
            return say.BestMove(move if move.islower() else mended(move))
        case [move, "ponder", ponder, *_]:
            return say.BestMove(mended(move), mended(ponder))
        case [move, *rest]:
            after = _section(rest, "ponder", ())
            return say.BestMove(mended(move), mended(after[0]) if after else None)
        case _:  # some engines say nothing more when they have no move
            return say.BestMove(NO_MOVE)


def _as_it_is(move: str) -> str:
    return move


def _lowered(move: str) -> str:
    if move.islower() or not _UPPER_PROMOTION.fullmatch(move):
        return move
    return move.lower()


_STATUSES = frozenset(status.value for status in Status)


def _status(verb: str, kind: Callable[[Status], Message]) -> Reader:
    def read(words: list[str], _dialect: Spelling) -> Message:
        for word in words:
            if word in _STATUSES:
                return kind(Status(word))
        _wrong(verb, words, "it has no state", f"{verb} {'|'.join(Status)}")

    return read


# A string's default is the rest of its line; the values of a combo may be words like "min".
_KEYS: Mapping[OptionType, frozenset[str]] = {
    OptionType.CHECK: frozenset(("default", "min", "max", "var")),
    OptionType.SPIN: frozenset(("default", "min", "max", "var")),
    OptionType.COMBO: frozenset(("default", "var")),
    OptionType.BUTTON: frozenset(("default", "min", "max", "var")),
    OptionType.STRING: frozenset(),
}


def _read_option(words: list[str], _dialect: Spelling) -> Message:
    usage = "option name N type check|spin|combo|button|string [default X] [min X] [max X] [var X]"
    # A name may hold the word "type": only one of the five behind it ends the name.
    at = next((at for at, word in enumerate(words) if _is_type(words, at, word)), None)
    if at is None:
        _wrong("option", words, "it has none of the five types", usage)
    name = _section(words[:at], "name", ())
    if not name:
        _wrong("option", words, "it has no name", usage)
    kind = OptionType(words[at + 1])
    return say.Option(" ".join(name), kind, **_values(words[at + 2 :], kind))


_TYPES = frozenset(kind.value for kind in OptionType)


def _is_type(words: list[str], at: int, word: str) -> bool:
    return word == "type" and at + 1 < len(words) and words[at + 1] in _TYPES


def _values(words: list[str], kind: OptionType) -> dict[str, Any]:
    keys = _KEYS[kind]
    values: dict[str, Any] = {}
    choices: list[str] = []
    key, text = "", list[str]()

    def take() -> None:
        if key == "var":
            choices.append(_emptied(" ".join(text)))
        elif key in ("min", "max"):
            values[key] = number_in(" ".join(text), -LARGEST)
        elif key:
            values[key] = _emptied(" ".join(text))

    for word in words:
        if word in keys or (not key and word == "default"):
            take()
            key, text = word, []
        else:
            text.append(word)
    take()
    return {**values, "vars": tuple(choices)}


def _emptied(text: str) -> str:
    return "" if text == "<empty>" else text


# From a server


def _read_debug(words: list[str], _dialect: Spelling) -> Message:
    for word in words:
        if word in ("on", "off"):
            return say.Debug(word == "on")
    _wrong("debug", words, "it says neither on nor off", "debug on|off")


def _read_setoption(words: list[str], _dialect: Spelling) -> Message:
    name = _section(words, "name", ("value",))
    if not name:
        _wrong("setoption", words, "it has no name", "setoption name N [value V]")
    value = _section(words, "value", ())
    return say.SetOption(" ".join(name), None if value is None else _emptied(" ".join(value)))


def _read_register(words: list[str], _dialect: Spelling) -> Message:
    name, code = _section(words, "name", ("code",)), _section(words, "code", ("name",))
    if not name and not code and "later" not in words:
        _wrong("register", words, "it has neither name nor code", "register later | name N code C")
    return say.Register(" ".join(name) if name else None, " ".join(code) if code else None)


def _read_position(words: list[str], dialect: Spelling) -> Message:
    usage = "position startpos|fen F [moves M1 M2 …]"
    begin = next((at for at, word in enumerate(words) if word in ("startpos", "fen")), None)
    if begin is None:
        _wrong("position", words, "it says neither startpos nor fen", usage)
    rest = words[begin + 1 :]
    cut = rest.index("moves") if "moves" in rest else None
    if words[begin] == "startpos":  # Liberty Chess takes moves without the word, too
        return say.Position(None, tuple(rest if cut is None else rest[cut + 1 :]))
    fields = rest[:cut]
    if not fields:
        _wrong("position", words, "there is no position after fen", usage)
    if len(fields) > _START_FIELDS and not dialect.opaque:
        fault = f"a position has at most {_START_FIELDS} fields, these are {len(fields)}"
        _wrong("position", words, fault, usage)
    return say.Position(" ".join(fields), () if cut is None else tuple(rest[cut + 1 :]))


_LIMITS = ("movestogo", "depth", "nodes", "mate", "movetime")


def _read_clocks(words: list[str], at: int, key: str, fields: dict[str, Any]) -> None:
    # A GUI whose engine has overstepped says a negative time.
    if at < len(words) and (value := number_in(words[at], -LARGEST)) is not None:
        fields[key] = value


def _read_go(words: list[str], dialect: Spelling) -> Message:
    clocks = dialect.clock_keys
    fields: dict[str, Any] = {}
    for at, word in enumerate(words, 1):
        if word in clocks:
            _read_clocks(words, at, clocks[word], fields)
        elif word in _LIMITS:
            if at < len(words) and (value := number_in(words[at])) is not None:
                fields[word] = value
        elif word in ("infinite", "ponder"):
            fields[word] = True
    ends = {*clocks, *_LIMITS, "infinite", "ponder"}
    # The newer server library of Liberty Chess writes "moves" for it.
    moves = _section(words, "searchmoves", ends) or _section(words, "moves", ends) or ()
    return say.Go(**fields, searchmoves=tuple(moves))


def _read_clock(words: list[str], dialect: Spelling) -> Message:
    clocks = dialect.clock_keys
    fields: dict[str, Any] = {}
    for at, word in enumerate(words, 1):
        if word in clocks:
            _read_clocks(words, at, clocks[word], fields)
    return say.Clock(**fields)


def _read_perft(words: list[str], _dialect: Spelling) -> Message:
    for word in words:
        if (depth := number_in(word)) is not None:
            return say.Perft(depth)
    _wrong("perft", words, "it has no depth", "perft D")


# "Various queries" (UGI): three are defined, others may be. What is answered to those three is
# the same in any case.
_ANSWERS = frozenset(("true", "false", "p1win", "p2win", "draw", "none"))


def _read_query(words: list[str], _dialect: Spelling) -> Message:
    if not words:
        _wrong("query", words, "it asks nothing", "query gameover|p1turn|result")
    return say.Query(" ".join(words))


def _read_response(words: list[str], _dialect: Spelling) -> Message:
    usage = "response true|false, or to query result: response p1win|p2win|draw|none"
    if not words:
        _wrong("response", words, "it has no answer", usage)
    answer = " ".join(words)
    return say.Response(answer.lower() if answer.lower() in _ANSWERS else answer)


_BOTH: Mapping[str, Reader] = {
    "info": lambda words, _dialect: info.read_untrusted(words),
    "quit": _alone(say.Quit()),
}

FROM_CLIENT: Mapping[str, Reader] = {
    **_BOTH,
    "id": _read_id,
    "option": _read_option,
    "readyok": _alone(say.ReadyOk()),
    "bestmove": _read_bestmove,
    "copyprotection": _status("copyprotection", say.CopyProtection),
    "registration": _status("registration", say.Registration),
}

FROM_SERVER: Mapping[str, Reader] = {
    **_BOTH,
    "debug": _read_debug,
    "isready": _alone(say.IsReady()),
    "setoption": _read_setoption,
    "register": _read_register,
    "position": _read_position,
    "go": _read_go,
    "clock": _read_clock,
    "stop": _alone(say.Stop()),
    "ponderhit": _alone(say.PonderHit()),
    "eval": _alone(say.Eval()),
    "bench": _alone(say.Bench()),
    "perft": _read_perft,
}

# Verbs of dialects with queries, by the end that reads them.
QUERIES: Mapping[Role, Mapping[str, Reader]] = {
    Role.CLIENT: {"query": _read_query},
    Role.SERVER: {"response": _read_response},
}

# Verbs without arguments: after unknown words they count only at the end of the line.
ALONE = frozenset(("readyok", "isready", "stop", "ponderhit", "eval", "bench"))

# Verbs that count only at the beginning of a line: neither a banner like "type quit to exit" nor
# "* quit" in an engine's help (Blunder 8.5.5) ends a connection.
FIRST = frozenset(("quit",))

# Verbs that mean something without a word after them, but after unknown words only with one.
NOT_LAST = frozenset(("bestmove",))

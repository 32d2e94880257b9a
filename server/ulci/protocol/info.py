"""``info``: the most frequent verb, a thousand times a move, with its tokens in any order.

Sources: ULCI v1 beta, UCI 2004 and 2006 "info". Unknown tokens and unreadable numbers are skipped
(UCI 2006 "General notes").
"""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from .errors import LocalProtocolError
from .messages import Blame, Bound, CurrLine, Info, Report, Score
from .text import LARGEST, defuse, number_in, one_line, plain, quote, word, words

Fields = dict[str, Any]


class Unread(Struct, frozen=True):
    """An ``info`` line with an analysis, parsed on demand only."""

    line: str


def read_info_untrusted(line: str) -> Info:
    """The analysis of a whole ``info …`` line, such as that of an `Unread`. Never raises."""
    return _analysis(line.split(), 1)


def read_untrusted(tokens: list[str]) -> Info | Report:
    """Parse the words after ``info``: an analysis, a text, or an error report in any spelling."""
    match tokens:
        # ULCI v1 beta puts a client's errors under ``string``, a server's beside it.
        case ["string", ("clienterror" | "servererror") as blame, *rest]:
            return Report(Blame(blame), " ".join(rest))
        case [("clienterror" | "servererror" | "error") as blame, *rest]:
            return Report(Blame(blame), " ".join(rest))
        case _:
            return _analysis(tokens, 0)


def _analysis(tokens: list[str], at: int) -> Info:
    fields: Fields = {}
    end = len(tokens)
    while at < end:
        read = _TOKENS.get(tokens[at])
        at += 1
        if read is not None:
            at = read(fields, tokens, at)
    cp, mate, bound = fields.pop("cp", None), fields.pop("mate", None), fields.pop("bound", None)
    if mate is not None:
        fields["score"] = Score(mate=mate, bound=bound)
    elif cp is not None:
        fields["score"] = Score(cp=cp, bound=bound)
    if fields.get("pv"):
        fields.pop("string", None)  # a message has only one of them, and pv is the analysis
    return Info(**fields)


# Readers: `at` is the index after the token; they return the index after its values.

Reader = Callable[[Fields, list[str], int], int]


def _number(key: str, least: int = 0) -> Reader:
    def read(fields: Fields, tokens: list[str], at: int) -> int:
        if at < len(tokens) and (value := number_in(tokens[at], least)) is not None:
            fields[key] = value
            return at + 1
        return at  # the next word may be a token itself

    return read


def _bound(bound: Bound) -> Reader:
    def read(fields: Fields, _tokens: list[str], at: int) -> int:
        fields["bound"] = bound
        return at

    return read


def _read_score(_fields: Fields, _tokens: list[str], at: int) -> int:
    return at  # its values are tokens themselves, in any order


def _read_wdl(fields: Fields, tokens: list[str], at: int) -> int:
    values = [number_in(token) for token in tokens[at : at + 3]]
    if len(values) < 3 or None in values:
        return at
    fields["wdl"] = tuple(values)
    return at + 3


def _moves(tokens: list[str], at: int) -> tuple[str, ...]:
    """The words up to the next known token: old engines write ``pv`` first, newer ones last."""
    end = at
    while end < len(tokens) and tokens[end] not in _TOKENS:
        end += 1
    return tuple(tokens[at:end])


def _line(key: str) -> Reader:
    def read(fields: Fields, tokens: list[str], at: int) -> int:
        if moves := _moves(tokens, at):
            fields[key] = moves
        return at + len(moves)

    return read


def _read_currmove(fields: Fields, tokens: list[str], at: int) -> int:
    if at < len(tokens) and tokens[at] not in _TOKENS:
        fields["currmove"] = tokens[at]
        return at + 1
    return at


def _read_currline(fields: Fields, tokens: list[str], at: int) -> int:
    moves = _moves(tokens, at)
    cpu = number_in(moves[0], 1) if moves else None  # never ``0000``, which is a move
    line = moves if cpu is None else moves[1:]
    if line:
        fields["currline"] = CurrLine(line, cpu)
    return at + len(moves)


def _read_string(fields: Fields, tokens: list[str], at: int) -> int:
    fields["string"] = " ".join(tokens[at:])
    return len(tokens)


_COUNTS = [
    "depth",
    "seldepth",
    "multipv",
    "time",
    "nodes",
    "nps",
    "hashfull",
    "tbhits",
    "sbhits",
    "cpuload",
    "currmovenumber",
]

_TOKENS: dict[str, Reader] = {
    **{key: _number(key) for key in _COUNTS},
    "score": _read_score,
    "cp": _number("cp", -LARGEST),
    "mate": _number("mate", -LARGEST),
    "lowerbound": _bound(Bound.LOWER),
    "upperbound": _bound(Bound.UPPER),
    "wdl": _read_wdl,
    "currmove": _read_currmove,
    "currline": _read_currline,
    "refutation": _line("refutation"),
    "pv": _line("pv"),
    "string": _read_string,
}


# Writing


def write_info(message: Info) -> str:
    """An analysis with its ``pv`` or its ``string`` last. LocalProtocolError for both."""
    if message.pv and message.string is not None:
        raise LocalProtocolError(
            "an info has a pv or a string, not both: each takes the line's rest"
        )
    said = ["info"]
    for key, spell in _SPELLINGS:
        value = getattr(message, key)
        if value is not None and value != ():
            said.append(spell(key, value))
    return " ".join(said)


def write_report(message: Report) -> str:
    """``info clienterror …``, the text made safe by `plain`."""
    return f"info {message.blame} {plain(message.text)}"


def _spell_score(_key: str, score: Score) -> str:
    if (score.cp is None) == (score.mate is None):
        raise LocalProtocolError(f"a score is centipawns or moves to mate, one of them: {score}")
    value = f"cp {score.cp}" if score.mate is None else f"mate {score.mate}"
    return f"score {value}" if score.bound is None else f"score {value} {score.bound}"


def _spell_currline(_key: str, line: CurrLine) -> str:
    cpu = "" if line.cpu is None else f" {line.cpu}"
    return f"currline{cpu} {_spell_moves(line.moves)}"


def _spell_moves(moves: tuple[str, ...]) -> str:
    if taken := _TOKENS.keys() & set(moves):
        raise LocalProtocolError(f"{quote(min(taken))} is a word of info and cannot be a move")
    return words(moves)


def _spell_string(_key: str, text: str) -> str:
    """The text without bare analysis words, except the last word, which no value can follow.

    So programs still find ``result 1-0 reason time``.
    """
    *rest, last = one_line(text).split() or [""]
    if rest and rest[0] in (Blame.CLIENT, Blame.SERVER):
        rest[0] = f"'{rest[0]}'"  # or it would be read as a report
    return f"string {defuse(rest)} {last}" if rest else f"string {last}"


_SPELLINGS: tuple[tuple[str, Callable[[str, Any], str]], ...] = (
    *((key, lambda key, value: f"{key} {value}") for key in ("depth", "seldepth", "multipv")),
    ("score", _spell_score),
    ("wdl", lambda key, wdl: f"{key} {wdl[0]} {wdl[1]} {wdl[2]}"),
    *(
        (key, lambda key, value: f"{key} {value}")
        for key in ("time", "nodes", "nps", "hashfull", "tbhits", "sbhits", "cpuload")
    ),
    ("currmove", lambda key, move: f"{key} {word(move)}"),
    ("currmovenumber", lambda key, value: f"{key} {value}"),
    ("currline", _spell_currline),
    ("refutation", lambda key, moves: f"{key} {_spell_moves(moves)}"),
    ("pv", lambda key, moves: f"{key} {_spell_moves(moves)}"),
    ("string", _spell_string),
)

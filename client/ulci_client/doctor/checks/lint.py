"""The faults of an ``option`` or ``info`` line, read to the letter. Pure.

`ulci.protocol` reads what was probably meant; an author must know the line itself. Functions yield
pairs of a severity and a text, which begins with what the line lacks or has.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from ulci.protocol.messages import OptionType
from ulci_client.doctor.report import Severity

Remark = tuple[Severity, str]

FAULT, WARNING = Severity.FAULT, Severity.WARNING

_NUMBER = re.compile(r"-?[0-9]+")
_TYPES = frozenset(kind.value for kind in OptionType)
_KEYS = frozenset(("default", "min", "max", "var"))

COUNTS = frozenset((
    "depth", "seldepth", "multipv", "time", "nodes", "nps", "hashfull", "tbhits", "sbhits",
    "cpuload", "currmovenumber",
))  # fmt: skip
LINES = frozenset(("pv", "currline", "refutation"))
WORDS = COUNTS | LINES | {"score", "wdl", "currmove", "string"}


def is_number(text: str) -> bool:
    """Whether the word is a whole number."""
    return _NUMBER.fullmatch(text) is not None


# option


def option_remarks(line: str) -> Iterator[Remark]:
    """The faults of an ``option`` line (UCI 2004, option)."""
    words = line.split()
    kind = _type_at(words)
    if kind is None:
        yield FAULT, "has no type, which is check, spin, combo, button or string"
        return
    name = words[1:kind]
    if name[:1] != ["name"] or len(name) < 2:
        yield FAULT, "has no name"
    elif {"name", "value"} & {word.lower() for word in name[1:]}:
        yield WARNING, 'has a name with the word "name" or "value" in it'
    values = _values(words[kind + 2 :], words[kind + 1])
    yield from _OPTIONS[words[kind + 1]](values)


def _type_at(words: list[str]) -> int | None:
    """The index of the ``type`` that one of the five types follows: a name may contain it, too."""
    for at, word in enumerate(words[:-1]):
        if word == "type" and words[at + 1] in _TYPES:
            return at
    return None


def _values(words: list[str], kind: str) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    if kind == "string":
        if words[:1] == ["default"]:
            values["default"] = [" ".join(words[1:])]
        return values
    key = ""
    for word in words:
        if word in _KEYS:
            key = word
            values.setdefault(key, []).append("")
        elif key:
            values[key][-1] = f"{values[key][-1]} {word}".strip()
    return values


def _spin(values: dict[str, list[str]]) -> Iterator[Remark]:
    numbers: dict[str, int] = {}
    for key in ("default", "min", "max"):
        said = values.get(key, [""])[0]
        if is_number(said):
            numbers[key] = int(said)
        else:
            has = f"{key} {said!r}, which is no whole number" if said else f"no {key}"
            yield FAULT, f"has {has}"
    if len(numbers) == 3 and not numbers["min"] <= numbers["default"] <= numbers["max"]:
        yield FAULT, "has a default that is not from min to max"


def _combo(values: dict[str, list[str]]) -> Iterator[Remark]:
    offered = values.get("var", [])
    default = values.get("default", [""])[0]
    if not offered:
        yield FAULT, "has no var to choose from"
    elif default not in offered:
        near = default.casefold() in {each.casefold() for each in offered}
        yield FAULT, f"has a default that is none of its vars{' but for its case' if near else ''}"


def _check(values: dict[str, list[str]]) -> Iterator[Remark]:
    if values.get("default", [""])[0] not in ("true", "false"):
        yield FAULT, "has a default that is neither true nor false"


def _string(values: dict[str, list[str]]) -> Iterator[Remark]:
    if not values.get("default", [""])[0]:
        yield WARNING, "has no default; an empty one is spelled <empty>"


def _button(values: dict[str, list[str]]) -> Iterator[Remark]:
    if values:
        yield WARNING, "is a button, which has no value"


_OPTIONS: Mapping[str, Callable[[dict[str, list[str]]], Iterator[Remark]]] = {
    "check": _check,
    "spin": _spin,
    "combo": _combo,
    "string": _string,
    "button": _button,
}


# info


def info_remarks(line: str) -> Iterator[Remark]:
    """The faults of an ``info`` line (UCI 2004, info)."""
    words = line.split()
    seen: set[str] = set()
    at = 1
    while at < len(words):
        word = words[at]
        seen.add(word)
        if word == "string":
            break
        reader = _INFO.get(word)
        if reader is None:
            yield WARNING, f"has the word {word!r}, which the standard does not know"
            at += 1
            while at < len(words) and words[at] not in WORDS:
                at += 1
            continue
        taken, fault = reader(words, at + 1)
        if fault:
            yield FAULT, f"has {word} {fault}"
        at += 1 + taken
        if word == "pv" and at < len(words):
            yield WARNING, "has words behind its pv, where some programs read only moves"
    if "seldepth" in seen and "depth" not in seen:
        yield FAULT, "has seldepth without depth"


Taken = tuple[int, str]


def _count(words: list[str], at: int) -> Taken:
    said = words[at] if at < len(words) else ""
    if not is_number(said):
        if not said or said in WORDS:
            return 0, "without its number"
        return 1, f"with {said!r} for its number"
    if int(said) < 0:
        return 1, "with a negative number"
    if words[at - 1] == "hashfull" and int(said) > 1000:
        return 1, f"{said}, but it counts in permille"
    return 1, ""


def _score(words: list[str], at: int) -> Taken:
    start, values = at, 0
    while at < len(words) and words[at] in ("cp", "mate", "lowerbound", "upperbound"):
        if words[at] in ("cp", "mate"):
            if at + 1 >= len(words) or not is_number(words[at + 1]):
                end = at + 1 if at + 1 >= len(words) or words[at + 1] in WORDS else at + 2
                return end - start, f"with {words[at]} that no whole number follows"
            values += 1
            at += 1
        at += 1
    if not values:
        taken = 1 if at < len(words) and words[at] not in WORDS else 0
        return at - start + taken, "with neither cp nor mate"
    return at - start, ""


def _wdl(words: list[str], at: int) -> Taken:
    values = words[at : at + 3]
    good = len(values) == 3 and all(map(is_number, values))
    return (3, "") if good else (_moves(words, at)[0], "without its three numbers")


def _one(words: list[str], at: int) -> Taken:
    if at < len(words) and words[at] not in WORDS:
        return 1, ""
    return 0, "without a move"


def _moves(words: list[str], at: int) -> Taken:
    end = at
    while end < len(words) and words[end] not in WORDS:
        end += 1
    return end - at, "" if end > at or words[at - 1] == "currline" else "without a move"


_INFO: Mapping[str, Callable[[list[str], int], Taken]] = {
    **dict.fromkeys(COUNTS, _count),
    **dict.fromkeys(LINES, _moves),
    "score": _score,
    "wdl": _wdl,
    "currmove": _one,
}


def pv_of(line: str) -> list[str]:
    """The moves of its ``pv``, if it has one before any ``string``."""
    words = line.split()
    if "string" in words:
        words = words[: words.index("string")]
    if "pv" not in words:
        return []
    start = words.index("pv") + 1
    taken, _ = _moves(words, start)
    return words[start : start + taken]

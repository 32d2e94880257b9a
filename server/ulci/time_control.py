"""Time controls as people type them: with units, where a number alone may be minutes or seconds.

    5m+3s    1m30s    90s    40/90m+30s:30m+30s    15m/5x30s    10m|5m    (also min and sec)

On the wire, and in the notation that engine testers write, all times are seconds: ``300+3``,
``1+0.01``. People who type ``5+3`` or ``10`` mean minutes, as on every board, or seconds, as in
that notation. No guess is right for both, so it is refused with what to type instead.
"""

import re

SMALLEST_SECONDS = 60
"""A time without a unit is seconds from here on: as minutes it would be an hour or more. So it is
with decimals, as only engines play at ``1+0.01``."""

EXAMPLES = "such as 5m+3s, 90s, 40/90m+30s or 3days"

_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_MINUTES = r"(?:minutes?|mins?|m)"
_SECONDS = r"(?:seconds?|secs?|s)"
_WITH_UNIT = re.compile(
    rf"(?<![0-9.])(?:({_NUMBER}){_MINUTES}(?:({_NUMBER}){_SECONDS})?|({_NUMBER}){_SECONDS})"
)
_UNIT_APART = re.compile(rf"(?<=[0-9])\s+(?=(?:{_MINUTES}|{_SECONDS})\b)")
_SIGN_APART = re.compile(r"\s*([+|:])\s*")
_TWO = re.compile(rf"({_NUMBER})({_MINUTES})?[\s,-]+({_NUMBER})({_SECONDS})?")

_KNOWN = "~"
"""Stands behind seconds that were made of a time with a unit."""

_STAGE = re.compile(rf"([0-9]+/)?({_NUMBER})(~?)(?:([+db])({_NUMBER})(~?))?")
_BYO_YOMI = re.compile(rf"({_NUMBER})(~?)(/[0-9]+x{_NUMBER}~?)")
_HOURGLASS = re.compile(rf"({_NUMBER})(~?)h")


class TimeError(ValueError):
    """A time control of which nobody knows what it means; the text says what to type instead."""


def entered(text: str) -> str:
    """What a person typed, in the notation of the wire. Whether that is a time control the server
    says.

    Raises:
        TimeError: it may mean minutes or seconds, or is more than one word.
    """
    marked = _marked(text)
    if two := _TWO.fullmatch(_UNIT_APART.sub("", text.strip().lower())):
        minutes, _, seconds, _ = two.groups()
        raise TimeError(
            f"write {minutes}m+{seconds}s for {minutes} minutes and {seconds} seconds a move, not"
            f" {text.strip()}"
        )
    if marked.split() != [marked]:
        raise TimeError(f"{text.strip() or 'nothing'} is no time control {EXAMPLES}")
    sides = marked.split("|")
    meant = [_meant(side) for side in sides]
    if any(meant):
        raise TimeError(_ambiguous(text.strip(), sides, meant))
    return marked.replace(_KNOWN, "")


def with_units(text: str) -> str:
    """The notation of the wire of a text in which times may have units, as in configuration files;
    those without are seconds."""
    return _marked(text).replace(_KNOWN, "")


def _marked(text: str) -> str:
    said = _UNIT_APART.sub("", text.strip().lower().replace(_KNOWN, "?"))
    said = _SIGN_APART.sub(r"\1", said)
    return _WITH_UNIT.sub(lambda found: f"{_seconds(*found.groups())}{_KNOWN}", said)


def _seconds(minutes: str | None, and_seconds: str | None, seconds: str | None) -> str:
    """In decimal arithmetic: thousandths of a second are exact."""
    thousandths = _thousandths(minutes) * 60 + _thousandths(and_seconds) + _thousandths(seconds)
    whole, rest = divmod(thousandths, 1000)
    return f"{whole}.{rest:03}".rstrip("0") if rest else str(whole)


def _thousandths(number: str | None) -> int:
    """Finer decimals than the server knows are cut off."""
    whole, _, fraction = (number or "0").partition(".")
    return int(whole) * 1000 + int(fraction[:3].ljust(3, "0"))


def _meant(side: str) -> tuple[str, str] | None:
    """How to say it in minutes and in seconds; None if it is clear, or no time that is known
    here."""
    if "." in side:
        return None
    if found := _HOURGLASS.fullmatch(side):
        time, known = found.groups()
        return (f"{int(time) * 60}m", f"{time}sh") if _is_small(time, known) else None
    if found := _BYO_YOMI.fullmatch(side):
        time, known, periods = found.groups()
        rest = periods.replace(_KNOWN, "s")
        return (f"{time}m{rest}", f"{time}s{rest}") if _is_small(time, known) else None
    stages = [_STAGE.fullmatch(stage) for stage in side.split(":")]
    if not any(stage and _is_small(stage[2], stage[3]) for stage in stages) or None in stages:
        return None
    first, second = (
        ":".join(_stage(stage, unit) for stage in stages if stage is not None) for unit in "ms"
    )
    return first, second


def _is_small(time: str, known: str) -> bool:
    return not known and 0 < int(time) < SMALLEST_SECONDS


def _stage(stage: re.Match[str], unit: str) -> str:
    moves, time, known, sign, bonus, _ = stage.groups()
    unit = unit if _is_small(time, known) else "s"
    return f"{moves or ''}{time}{unit}" + (f"{sign}{bonus}s" if sign else "")


def _ambiguous(text: str, sides: list[str], meant: list[tuple[str, str] | None]) -> str:
    spelled = [
        one or (side.replace(_KNOWN, "s"),) * 2 for side, one in zip(sides, meant, strict=True)
    ]
    minutes, seconds = ("|".join(side[number] for side in spelled) for number in (0, 1))
    if all(side.isdigit() for side in sides) and len(sides) == 2:
        first, second = sides
        return (
            f"write {first}m+{second}s for {first} minutes and {second} seconds a move, or"
            f" {minutes} if White has {first} minutes and Black {second}, not {text}"
        )
    if text.lower().endswith("h"):
        return f"write {minutes} for hours, or {seconds} for an hourglass in seconds, not {text}"
    return f"{text} may mean minutes or seconds: write {minutes} or {seconds}"

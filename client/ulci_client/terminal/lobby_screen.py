"""What is seen while no game is: who is here, what is open, and what can be typed. Pure."""

from collections.abc import Callable, Iterable, Sequence

from .rows import Row, beside, cut, exactly, fitted
from .state import Listed, State
from .terms import start_name

# Columns of the list of people; the seeks take the rest.
PEOPLE = 24

# Narrower than that the two lists stand one above the other.
WIDE = 70

HINTS = (
    ("seek 300+3", "look for a game (also: seek 60+0 white human)"),
    ("accept N", "play an open seek or a challenge"),
    ("challenge NAME", "ask somebody for a game"),
    ("games, watch N", "what is being played, and to see it"),
    ("help", "everything else"),
    ("quit", "leave"),
)

_COLUMNS = (("N", 4), ("player", 12), ("kind", 7), ("game", 9), ("time", 8), ("you", 7))

# The longest name of a game and a blank: where the notes at the end leave room for it.
GAME_MOST = 14
NOTES = 10

# Of the rules by which time lost in the network is given back only another than this is noted.
USUAL_LAG = "quota"

# What is left for whoever meets a seek.
_LEFT = {"white": "black", "black": "white", "random": "either"}


def lobby_rows(state: State, columns: int, rows: int) -> list[Row]:
    """Exactly so many rows."""
    if not state.welcomed:
        return exactly(_hints(columns), rows)
    hints = _hints(columns) if rows >= 2 * len(HINTS) else []
    room = rows - len(hints)
    if columns >= WIDE:
        width = columns - PEOPLE - 2
        lists = beside(exactly(_seeks(state, width), room - 1), _people(state, PEOPLE), width)
    else:
        people = _people(state, columns)[: room // 3]
        lists = [*_seeks(state, columns)[: room - len(people) - 2], [], *people]
    return [*exactly(lists, room), *exactly(hints, rows - room)]


def _seeks(state: State, columns: int) -> list[Row]:
    rows: list[Row] = []
    if state.challenges:
        challenges = state.challenges.values()
        rows += _table("Challenges to you", challenges, columns, lambda _: "class:status-ask")
        rows.append([])
    if not state.seeks:
        nothing: Row = [("class:label", "none: type seek, and be the first")]
        return [*rows, [("class:heading", "Open seeks")], nothing]

    def style(one: Listed) -> str:
        return "class:name" if one.player == state.me else ""

    return rows + _table("Open seeks", state.seeks.values(), columns, style)


def _table(
    title: str, entries: Iterable[Listed], columns: int, style: Callable[[Listed], str]
) -> list[Row]:
    widths = _widths(columns)
    return [
        [("class:heading", cut(title, columns))],
        [("class:label", cut(_line([name for name, _ in _COLUMNS], widths), columns))],
        *([(style(one), cut(_entry(one, widths), columns))] for one in entries),
    ]


def _widths(columns: int) -> list[int]:
    widths = dict(_COLUMNS)
    spare = columns - sum(widths.values()) - NOTES
    widths["game"] = max(widths["game"], min(GAME_MOST, widths["game"] + spare))
    return [*widths.values()]


def _entry(one: Listed, widths: Sequence[int]) -> str:
    left = _LEFT.get(one.color, one.color)
    line = _line((str(one.id), one.player, one.kind, one.game, one.time, left), widths)
    start = (start_name(one.game, one.start) or "FEN") if one.start else ""
    lag = "" if one.lag in ("", USUAL_LAG) else f"lag:{one.lag}"
    notes = filter(None, ("rated" if one.rated else "", start, lag))
    return (line + " ".join(notes)).rstrip()


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    columns = zip(cells, widths, strict=True)
    return "".join(text for cell, width in columns for _, text in _column(cell, width))


def _column(cell: str, width: int) -> Row:
    return fitted([("", cut(cell, width - 1))], width)


def _people(state: State, columns: int) -> list[Row]:
    rows: list[Row] = [[("class:heading", f"Here ({len(state.guests)})")]]
    for guest in sorted(state.guests.values(), key=lambda guest: guest.name.casefold()):
        style = "class:name" if guest.name == state.me else ""
        note = " ".join(filter(None, (guest.kind, guest.state)))
        name = cut(guest.name, max(columns - len(note) - 1, 1))
        rows.append([(style, name), ("class:label", cut(f" {note}", columns))])
    return rows


def _hints(columns: int) -> list[Row]:
    rows: list[Row] = [[("class:heading", "What to type")]]
    for what, why in HINTS:
        rows.append([("class:name", f"{what:<16}"), ("class:label", cut(why, columns - 16))])
    return rows

"""The screen while there is no game: players, open seeks, and what to type. Pure."""

from collections.abc import Callable, Iterable, Sequence

from ulci.conduct import conduct_in_words
from ulci.protocol.lobby.lines import Offer
from ulci_client.terminal.model.phrases import start_name
from ulci_client.terminal.model.state import ClientState

from .rows import Row, cut, exactly, fitted, side_by_side

# Columns of the players' list; the seeks get the rest.
PEOPLE = 24

# Least columns for two lists side by side.
WIDE = 70

HINTS = (
    ("seek 5m+3s", "seek a game (also: seek 10m white human)"),
    ("accept N", "accept an open seek or a challenge"),
    ("challenge NAME", "challenge a player"),
    ("games, watch N", "list games, and watch one"),
    ("help", "everything else"),
    ("quit", "leave"),
)

_COLUMNS = (("N", 4), ("player", 12), ("kind", 7), ("game", 9), ("time", 8), ("you", 7))

# Most columns for a game's name, if the notes leave room for it.
GAME_MOST = 14
NOTES = 10

# The usual rule of lag compensation; only others are noted.
USUAL_LAG = "quota"

# The colour left for whoever accepts.
_LEFT = {"white": "black", "black": "white", "random": "either"}


def lobby_rows(state: ClientState, columns: int, rows: int) -> list[Row]:
    """Exactly so many rows."""
    if not state.welcomed:
        return exactly(_hints(columns), rows)
    hints = _hints(columns) if rows >= 2 * len(HINTS) else []
    room = rows - len(hints)
    if columns >= WIDE:
        width = columns - PEOPLE - 2
        lists = side_by_side(exactly(_seeks(state, width), room - 1), _people(state, PEOPLE), width)
    else:
        people = _people(state, columns)[: room // 3]
        lists = [*_seeks(state, columns)[: room - len(people) - 2], [], *people]
    return [*exactly(lists, room), *exactly(hints, rows - room)]


def _seeks(state: ClientState, columns: int) -> list[Row]:
    rows: list[Row] = []
    if state.challenges:
        challenges = state.challenges.values()
        rows += _table("Challenges to you", challenges, columns, lambda _: "class:status-ask")
        rows.append([])
    if not state.seeks:
        nothing: Row = [("class:label", "none; type seek to open one")]
        return [*rows, [("class:heading", "Open seeks")], nothing]

    def style(one: Offer) -> str:
        return "class:name" if one.player == state.me else ""

    return rows + _table("Open seeks", state.seeks.values(), columns, style)


def _table(
    title: str, entries: Iterable[Offer], columns: int, style: Callable[[Offer], str]
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


def _entry(one: Offer, widths: Sequence[int]) -> str:
    left = _LEFT.get(one.color, one.color)
    line = _line((str(one.id), one.player, one.kind, one.game, one.time, left), widths)
    start = (start_name(one.game, one.start) or "FEN") if one.start else ""
    lag = "" if one.lag in ("", USUAL_LAG) else f"lag:{one.lag}"
    level = f"level:{one.level}" if one.level else ""
    wanted = "" if one.range is None else f"range:{one.range[0]}-{one.range[1]}"
    rated = "rated" if one.rated else ""
    said = (one.rating, rated, wanted, level, start, lag, conduct_in_words(one.conduct))
    notes = filter(None, said)
    return (line + " ".join(notes)).rstrip()


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    columns = zip(cells, widths, strict=True)
    rows = (fitted([("", cut(cell, width - 1))], width) for cell, width in columns)
    return "".join(text for row in rows for _, text in row)


def _people(state: ClientState, columns: int) -> list[Row]:
    rows: list[Row] = [[("class:heading", f"Here ({len(state.players)})")]]
    for player in sorted(state.players.values(), key=lambda player: player.name.casefold()):
        style = "class:name" if player.name == state.me else ""
        note = " ".join(filter(None, (player.rating, player.kind, player.state)))
        name = cut(player.name, max(columns - len(note) - 1, 1))
        rows.append([(style, name), ("class:label", cut(f" {note}", columns))])
    return rows


def _hints(columns: int) -> list[Row]:
    rows: list[Row] = [[("class:heading", "What to type")]]
    for what, why in HINTS:
        rows.append([("class:name", f"{what:<16}"), ("class:label", cut(why, columns - 16))])
    return rows

"""What may follow a command: the text and its meaning. Pure.

A function takes the state and the words between the command and the one that is typed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ulci.protocol.lobby.lines import Offer
from ulci.rules import GAMES
from ulci_client.terminal.model.state import ClientState

from .terms import CHOICES, KEYS, SHORT

Texts = Iterable[tuple[str, str]]
Arguments = Callable[[ClientState, Sequence[str]], Texts]

# Common time controls, as examples.
TIMES = ("1m", "3m+2s", "5m+3s", "10m+5s", "30m+20s", "40/90m+30s", "3days", "inf")


# Common gifts of time, in s.
GIFTS = ("15", "30", "60")

# Levels that are offered at most, whatever a server says.
MOST_LEVELS = 20


def nothing(_: ClientState, __: Sequence[str]) -> Texts:
    return ()


def one_of(*texts: tuple[str, str]) -> Arguments:
    """One of these, whatever the state."""
    return lambda _state, _before: texts


def offers(state: ClientState, _: Sequence[str]) -> Texts:
    """Seeks and challenges."""
    return _listed({**state.seeks, **state.challenges})


def challenges(state: ClientState, _: Sequence[str]) -> Texts:
    return _listed(state.challenges)


def _listed(offered: Mapping[int, Offer]) -> Texts:
    return ((str(one.id), f"{one.player} {one.game} {one.time}") for one in offered.values())


def own_seeks(state: ClientState, _: Sequence[str]) -> Texts:
    mine = (one for one in state.seeks.values() if one.player == state.me)
    return ((str(one.id), f"{one.game} {one.time}") for one in mine)


def running_games(state: ClientState, _: Sequence[str]) -> Texts:
    return ((str(id_), what) for id_, what in state.games.items())


def ignored(state: ClientState, before: Sequence[str]) -> Texts:
    return () if before else ((name, "ignored") for name in state.ignored)


def others(state: ClientState, before: Sequence[str]) -> Texts:
    """Other players."""
    players = () if before else state.players.values()
    return ((one.name, one.kind) for one in players if one.name != state.me)


def other_and_terms(state: ClientState, before: Sequence[str]) -> Texts:
    """Another player, and the terms of a game."""
    return terms(state, before) if before else others(state, before)


def terms(state: ClientState, before: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The terms of a game."""
    said = [one.lower() for one in before]
    key = said[-1] if said else ""
    values = {**CHOICES, "game": _games(state), "time": TIMES, "start": _starts(said)}
    values["level"] = _levels(state)
    if key in values:
        yield from ((value, key) for value in values[key])
    elif not _in_fen(said):
        yield from ((time, "time") for time in TIMES[:4])
        yield from ((game, "game") for game in GAMES)
        yield from ((short, means[0]) for short, means in SHORT.items())
        yield from ((key, "") for key in KEYS)


def _in_fen(before: Sequence[str]) -> bool:
    """Whether the word may still belong to a FEN after `start`."""
    return "start" in before and "/" in before[before.index("start") + 1]


def _games(state: ClientState) -> tuple[str, ...]:
    """The games that we know, and those of open seeks."""
    sought = (one.game for one in state.seeks.values() if one.game)
    return tuple(dict.fromkeys((*GAMES, *sought)))


def _levels(state: ClientState) -> tuple[str, ...]:
    """Those of the engines that are here."""
    most = max((player.levels or 0 for player in state.players.values()), default=0)
    return tuple(str(level) for level in range(1, min(most, MOST_LEVELS) + 1))


def _starts(before: Sequence[str]) -> tuple[str, ...]:
    """The named starts of the game that was typed."""
    return tuple(name for word in before if word in GAMES for name in GAMES[word].named)

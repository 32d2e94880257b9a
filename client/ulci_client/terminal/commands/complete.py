"""Completions of the line being typed. Pure."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ulci.rules import GAMES
from ulci_client.terminal.model.state import ClientState

from .command_table import COMMANDS
from .terms import CHOICES, KEYS, SHORT

# Common time controls, as examples.
TIMES = ("1m", "3m+2s", "5m+3s", "10m+5s", "30m+20s", "40/90m+30s", "3days", "inf")


# Common gifts of time, in s.
GIFTS = ("15", "30", "60")


class Completion(NamedTuple):
    """`text` replaces the last word of the line; `meta` explains it."""

    text: str
    meta: str = ""


def candidates(state: ClientState, line: str) -> list[Completion]:
    """Completions of the line's last word, best first; empty if it is complete."""
    head, _, word = line.lstrip().rpartition(" ")
    verb = head.split()[0].lower().removeprefix("/") if head else ""
    if verb:
        found = [*_arguments(state, verb, head.split()[1:], word)]
    else:
        found = [*_moves(state, word), *_commands(word)]
    return [] if [one.text for one in found] == [word] else found


def _moves(state: ClientState, word: str) -> Iterator[Completion]:
    if not word or state.game is None:
        return
    legal = state.game.legal()
    for exact in (True, False):
        for move, san in sorted(legal.items(), key=lambda pair: pair[1]):
            by_san = _begins(san, word, exact=exact)
            if by_san and not (not exact and _begins(san, word, exact=True)):
                yield Completion(san, move if move != san else "")
    for move, san in sorted(legal.items()):
        # e2e4 for those who type squares; "e" alone more often means e4
        if len(word) > 1 and move != san and move.lower().startswith(word.lower()):
            yield Completion(move, san)


def _begins(san: str, word: str, *, exact: bool) -> bool:
    return san.startswith(word) if exact else san.lower().startswith(word.lower())


def _commands(word: str) -> Iterator[Completion]:
    slash = "/" if word.startswith("/") else ""
    for command in COMMANDS.values():
        if command.name.startswith(word.lower().removeprefix("/")):
            yield Completion(slash + command.name, command.help)


def _arguments(state: ClientState, verb: str, before: list[str], word: str) -> Iterator[Completion]:
    if verb in ("accept", "decline"):
        offers = {**state.seeks, **state.challenges} if verb == "accept" else state.challenges
        yield from _starting(
            ((str(one.id), f"{one.player} {one.game} {one.time}") for one in offers.values()), word
        )
    elif verb == "unseek":
        mine = (one for one in state.seeks.values() if one.player == state.me)
        yield from _starting(((str(one.id), f"{one.game} {one.time}") for one in mine), word)
    elif verb == "help":
        yield from _starting(((one.name, one.help) for one in COMMANDS.values()), word)
    elif verb == "watch":
        yield from _starting(((str(id_), what) for id_, what in state.games.items()), word)
    elif verb == "claim":
        yield from _starting([("win", "the game is won"), ("draw", "or drawn")], word)
    elif verb == "givetime":
        yield from _starting(((seconds, "seconds") for seconds in GIFTS), word)
    elif verb == "unignore" and not before:
        yield from _starting(((name, "ignored") for name in state.ignored), word)
    elif verb in ("challenge", "tell", "ignore") and not before:
        others = (player for player in state.players.values() if player.name != state.me)
        yield from _starting(((one.name, one.kind) for one in others), word)
    elif verb in ("seek", "challenge"):
        yield from _terms(state, [one.lower() for one in before], word)
    elif verb in ("resign", "quit"):
        yield from _starting([("yes", "do not ask")], word)


def _terms(state: ClientState, before: list[str], word: str) -> Iterator[Completion]:
    key = before[-1] if before else ""
    values = {**CHOICES, "game": _games(state), "time": TIMES, "start": _starts(before)}
    if key in values:
        yield from _starting(((value, key) for value in values[key]), word)
    elif not _in_fen(before):
        times = ((time, "time") for time in TIMES[:4])
        words = ((short, means[0]) for short, means in SHORT.items())
        yield from _starting([*times, *((game, "game") for game in GAMES), *words], word)
        yield from _starting(((key, "") for key in KEYS), word)


def _in_fen(before: list[str]) -> bool:
    """Whether the word may still belong to a FEN after `start`."""
    return "start" in before and "/" in before[before.index("start") + 1]


def _games(state: ClientState) -> tuple[str, ...]:
    """The games that we know, and those of open seeks."""
    sought = (one.game for one in state.seeks.values() if one.game)
    return tuple(dict.fromkeys((*GAMES, *sought)))


def _starts(before: list[str]) -> tuple[str, ...]:
    """The named starts of the game that was typed."""
    return tuple(name for word in before if word in GAMES for name in GAMES[word].named)


def _starting(choices: Iterable[tuple[str, str]], word: str) -> Iterator[Completion]:
    for text, meta in choices:
        if text.lower().startswith(word.lower()):
            yield Completion(text, meta)

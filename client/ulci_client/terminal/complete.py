"""How may the line that is being typed go on? Pure, but for the adapter at the end."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from ulci.rules import GAMES

from .commands import COMMANDS
from .state import State
from .terms import CHOICES, KEYS, SHORT

# Time controls that people ask for, to show how they are written.
TIMES = ("60+0", "180+2", "300+3", "600+5", "1800+20", "40/5400+30", "inf")


# Seconds that people give each other.
GIFTS = ("15", "30", "60")


class Candidate(NamedTuple):
    """`text` replaces the last word of the line; `meta` says what it means."""

    text: str
    meta: str = ""


def candidates(state: State, line: str) -> list[Candidate]:
    """What the last word of the line may become, best first; nothing if it is complete."""
    head, _, word = line.lstrip().rpartition(" ")
    verb = head.split()[0].lower().removeprefix("/") if head else ""
    if verb:
        found = [*_arguments(state, verb, head.split()[1:], word)]
    else:
        found = [*_moves(state, word), *_commands(word)]
    return [] if [one.text for one in found] == [word] else found


def _moves(state: State, word: str) -> Iterator[Candidate]:
    if not word or state.game is None:
        return
    legal = state.game.legal()
    for exact in (True, False):
        for move, san in sorted(legal.items(), key=lambda pair: pair[1]):
            by_san = _begins(san, word, exact=exact)
            if by_san and not (not exact and _begins(san, word, exact=True)):
                yield Candidate(san, move if move != san else "")
    for move, san in sorted(legal.items()):
        # e2e4 for whoever types squares; "e" alone means e4 more often
        if len(word) > 1 and move != san and move.lower().startswith(word.lower()):
            yield Candidate(move, san)


def _begins(san: str, word: str, *, exact: bool) -> bool:
    return san.startswith(word) if exact else san.lower().startswith(word.lower())


def _commands(word: str) -> Iterator[Candidate]:
    slash = "/" if word.startswith("/") else ""
    for command in COMMANDS.values():
        if command.name.startswith(word.lower().removeprefix("/")):
            yield Candidate(slash + command.name, command.help)


def _arguments(state: State, verb: str, before: list[str], word: str) -> Iterator[Candidate]:
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
    elif verb in ("challenge", "tell") and not before:
        others = (guest for guest in state.guests.values() if guest.name != state.me)
        yield from _starting(((one.name, one.kind) for one in others), word)
    elif verb in ("seek", "challenge"):
        yield from _terms(state, [one.lower() for one in before], word)
    elif verb in ("resign", "quit"):
        yield from _starting([("yes", "do not ask")], word)


def _terms(state: State, before: list[str], word: str) -> Iterator[Candidate]:
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
    """Whether what is typed now may still belong to a start that is no name."""
    return "start" in before and "/" in before[before.index("start") + 1]


def _games(state: State) -> tuple[str, ...]:
    """Those that we have rules for, and whatever else is sought."""
    sought = (one.game for one in state.seeks.values() if one.game)
    return tuple(dict.fromkeys((*GAMES, *sought)))


def _starts(before: list[str]) -> tuple[str, ...]:
    """The starts that have a name in the game that was said."""
    return tuple(name for word in before if word in GAMES for name in GAMES[word].named)


def _starting(choices: Iterable[tuple[str, str]], word: str) -> Iterator[Candidate]:
    for text, meta in choices:
        if text.lower().startswith(word.lower()):
            yield Candidate(text, meta)


class LineCompleter(Completer):
    """The candidates, as prompt_toolkit wants them."""

    def __init__(self, state: State) -> None:
        self._state = state

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterator[Completion]:
        line = document.text_before_cursor
        if not line.strip() and not complete_event.completion_requested:
            return  # all that could be typed is shown to who asks for it
        word = line.rpartition(" ")[2]
        for one in candidates(self._state, line):
            yield Completion(one.text, start_position=-len(word), display_meta=one.meta)

"""Completions of the line being typed. Pure."""

from collections.abc import Iterator
from typing import NamedTuple

from ulci_client.terminal.model.state import ClientState

from .arguments import Texts
from .command_table import COMMANDS


class Completion(NamedTuple):
    """`text` replaces the last word of the line; `meta` explains it."""

    text: str
    meta: str = ""


def candidates(state: ClientState, line: str) -> list[Completion]:
    """Completions of the line's last word, best first; empty if it is complete."""
    head, _, word = line.lstrip().rpartition(" ")
    verb = head.split()[0].lower().removeprefix("/") if head else ""
    if verb:
        command = COMMANDS.get(verb)
        follows = command.arguments(state, head.split()[1:]) if command else ()
        found = [*_starting(follows, word)]
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


def _starting(choices: Texts, word: str) -> Iterator[Completion]:
    for text, meta in choices:
        if text.lower().startswith(word.lower()):
            yield Completion(text, meta)

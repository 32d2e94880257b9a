"""Is every move that was told of stored, once, in order, and its player's own?"""

from collections import defaultdict
from collections.abc import Iterator
from operator import itemgetter

import chess

from .case import Case
from .chronicle import Story, Violation


def told_is_stored(_: Case, story: Story) -> Iterator[Violation]:
    if story.amended:
        return
    stored = tuple(move.move for move in story.moves)
    for name, events in story.told.items():
        for event in events:
            if event.what == "position" and event.words != stored[: event.ply]:
                said = " ".join(event.words[-4:])
                text = f"was told {event.ply} plies … {said}; stored are {len(stored)}"
                yield Violation("told and not stored", story.game, name, text)


def moves_are_legal_and_in_order(_: Case, story: Story) -> Iterator[Violation]:
    board = chess.Board()
    for number, move in enumerate(story.moves, 1):
        if move.ply != number or move.side != (number - 1) % 2:
            yield Violation("moves out of order", story.game, "", f"{move} stands at {number}")
            return
        if not story.is_chess:
            continue
        try:
            board.push_uci(move.move)
        except ValueError:
            yield Violation("illegal move stored", story.game, "", f"{move.move} in {board.fen()}")
            return


def moves_are_the_players_own(case: Case, story: Story) -> Iterator[Violation]:
    for move in story.moves:
        name = story.names[move.side]
        answers = {event.words[0] for event in story.events(name, "answer", move.ply - 1)}
        if move.move not in answers and name not in case.chronicle.unannounced:
            text = f"ply {move.ply} is {move.move}, the answers were {sorted(answers)}"
            text += f"; {_lines_with(case, name, f'bestmove {move.move}')}"
            yield Violation("a move nobody made", story.game, name, text)


def _lines_with(case: Case, name: str, words: str) -> str:
    """What was said around those words on lines that hold them."""
    found = []
    for number, wire in enumerate(case.chronicle.by_owner[name]):
        lines = sorted(
            [(e.at, f"<{e.text[:24]}…{e.text[-24:]}") for e in wire.told]
            + [(e.at, f">{e.text[-40:]}") for e in wire.heard],
            key=itemgetter(0),
        )
        places = [n for n, (_, text) in enumerate(lines) if text == f">{words}"]
        found += [f"@{number} {[t for _, t in lines[max(0, n - 8) : n + 3]]}" for n in places]
    return " ".join(found)


def who_is_asked_is_to_move(_: Case, story: Story) -> Iterator[Violation]:
    for name, events in story.told.items():
        for event in events:
            if event.what == "go" and story.names[event.ply % 2] != name:
                yield Violation(
                    "protocol", story.game, name, f"asked at ply {event.ply}, not to move"
                )


def positions_only_grow(_: Case, story: Story) -> Iterator[Violation]:
    if story.amended:
        return
    for name, events in story.told.items():
        highest: dict[int, int] = defaultdict(int)
        for event in events:
            if event.what != "position":
                continue
            if event.ply < highest[id(event.wire)]:
                text = f"ply {event.ply} after {highest[id(event.wire)]} on one line"
                yield Violation("protocol", story.game, name, text)
            highest[id(event.wire)] = event.ply


MOVES = (
    told_is_stored,
    moves_are_legal_and_in_order,
    moves_are_the_players_own,
    who_is_asked_is_to_move,
    positions_only_grow,
)

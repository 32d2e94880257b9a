"""Is every move that was told of stored, once, in order, and its player's own?"""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from operator import itemgetter

import chess

from .case import Case
from .chronicle import Story, Violation
from .places import Event


def told_is_stored(_: Case, story: Story) -> Iterator[Violation]:
    """Players and watchers are told of states of the game as it is stored, in their order."""
    known = {state.moves for state in story.states}
    for told, role in ((story.told, ""), (story.watched, " (watching)")):
        for name, events in told.items():
            for event in events:
                if event in story.places.lost:
                    kind, text = _lost(event, known, story)
                    yield Violation(kind, story.game, name + role, text)


def _lost(event: Event, known: set[tuple[str, ...]], story: Story) -> tuple[str, str]:
    if event.what == "taken back":
        return "told and not stored", f"was told that moves are taken back to ply {event.words[0]}"
    said = f"was told {event.ply} plies … {' '.join(event.words[-4:])}"
    if event.moves in known:
        return "protocol", f"{said}, of which it was told to be past already"
    return "told and not stored", f"{said}; stored are {len(story.moves)}"


def moves_are_legal_and_in_order(_: Case, story: Story) -> Iterator[Violation]:
    """Also those that were taken back."""
    known = (chess.Board(), ())
    for before, state in pairwise(story.states):
        move = state.move
        if move is None:
            continue
        number = len(state.moves)
        if move.ply != number or (story.is_chess and move.side != (number - 1) % 2):
            yield Violation("moves out of order", story.game, "", f"{move} stands at {number}")
            return
        if not story.is_chess:
            continue
        board = known[0] if known[1] == before.moves else _board(before.moves)
        try:
            board.push_uci(move.move)
        except ValueError:
            yield Violation("illegal move stored", story.game, "", f"{move.move} in {board.fen()}")
            return
        known = (board, state.moves)


def _board(moves: tuple[str, ...]) -> chess.Board:
    board = chess.Board()
    for move in moves:
        board.push_uci(move)
    return board


def what_stands_is_what_happened(_: Case, story: Story) -> Iterator[Violation]:
    stands = tuple(move.move for move in story.moves)
    if stands != story.states[-1].moves:
        text = f"{len(stands)} plies stand, {len(story.states[-1].moves)} are left of the history"
        yield Violation("moves do not add up", story.game, "", text)


def moves_are_the_players_own(case: Case, story: Story) -> Iterator[Violation]:
    """Each made by one answer of its player to that position: twice, if it was made twice."""
    answers = Counter(
        (name, event.moves, event.words[0])
        for name in story.names
        for event in story.events(name, "answer")
    )
    for before, state in pairwise(story.states):
        if state.move is None:
            continue
        name = story.names[state.move.side]
        made = (name, before.moves, state.move.move)
        answers[made] -= 1
        if answers[made] < 0 and name not in case.chronicle.unannounced:
            said = {e.words[0] for e in story.events(name, "answer") if e.moves == before.moves}
            text = f"ply {state.move.ply} is {state.move.move}, the answers were {sorted(said)}"
            text += f"; {_lines_with(case, name, f'bestmove {state.move.move}')}"
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
    for name in story.told:
        for event in story.events(name, "go"):
            if story.names[event.ply % 2] != name:
                yield Violation(
                    "protocol", story.game, name, f"asked at ply {event.ply}, not to move"
                )


MOVES = (
    told_is_stored,
    what_stands_is_what_happened,
    moves_are_legal_and_in_order,
    moves_are_the_players_own,
    who_is_asked_is_to_move,
)

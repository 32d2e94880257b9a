"""Other people's games: ``lobby watch 42 …``, and what those who play them think. Pure."""

from collections.abc import Iterator

from ulci.protocol import Info, Seeks, Who
from ulci.rules import Position, Side

from .announced import Words, facts
from .game import Game
from .state import Effect, Kind, News, Send, State

# Moves of a line of thought that are shown.
MOVES = 6

# Half-moves that a game may be ahead of a thought: watchers get it ten seconds late.
LATE = 24


def watch(state: State, words: Words, _: float) -> Iterator[Effect]:
    """``lobby watch 42 white Ada black Bob game chess time 300+3 rated yes ply 12``."""
    said = facts(words[1:])
    game = Game(int(words[0]), said["game"], said.get("time", ""), watched=True)
    game.rated = said.get("rated") == "yes"
    game.names = [said["white"], said["black"]]
    game.kinds = [state.guests[name].kind if name in state.guests else "" for name in game.names]
    state.game, state.page = game, None
    text = f"You watch game {game.id}: {' - '.join(game.names)}. unwatch leaves."
    yield News(Kind.WATCH, text, f"watch {game.id} {' - '.join(game.names)}")


def unwatch(state: State, words: Words, _: float) -> Iterator[Effect]:
    """``lobby unwatch 42``. A game that is over stays in sight."""
    game = state.game
    if game is None or not game.watched or game.id != int(words[0]):
        return
    yield News(Kind.WATCH, f"You watch game {game.id} no longer.", f"unwatch {game.id}")
    if not game.over:
        yield from go_back(state)


def go_back(state: State) -> Iterator[Effect]:
    """To the lobby."""
    state.game = None
    if state.curious and state.welcomed:
        yield from (Send(Who()), Send(Seeks()))


def think(state: State, message: Info) -> Iterator[Effect]:
    """What a player whom we watch thinks. On the screen it is the status; else a line."""
    game = state.game
    if game is None or not game.watched or game.over or not (thought := _in_words(game, message)):
        return
    game.thought = thought
    if not state.curious:
        yield News(Kind.THOUGHT, f"Thought: {thought}.", f"thought {thought}")


def _in_words(game: Game, message: Info) -> str:
    """``Bob +0.34, depth 12: e4 e5 Nf3``; the score is that of whoever thinks."""
    score = message.score
    told = []
    if score is not None and score.mate is not None:
        told.append(f"mate in {score.mate}")
    elif score is not None and score.cp is not None:
        told.append(f"{score.cp / 100:+.2f}")
    if message.depth is not None:
        told.append(f"depth {message.depth}")
    side, sans = _placed(game, message.pv[:MOVES])
    thought = ": ".join(filter(None, (", ".join(told), " ".join(sans))))
    return thought if side is None else f"{game.named(side)} {thought}"


def _placed(game: Game, moves: tuple[str, ...]) -> tuple[Side | None, tuple[str, ...]]:
    """Who thinks these moves, and how people write them: on the newest board from which they go
    on, since a thought comes late. None, and as they are, where there is no such board."""
    board = game.spare() if moves else None
    if board is None:
        return None, moves
    for back in range(min(LATE, len(game.plies)) + 1):
        if back:
            board.take_back(1)
        if (sans := _played(board, moves)) is not None:
            return board.turn, sans
    return None, moves


def _played(board: Position, moves: tuple[str, ...]) -> tuple[str, ...] | None:
    """The moves from there as people write them; None if one of them is not legal. The board is
    left as it was."""
    sans: list[str] = []
    before = len(board.moves)
    try:
        for move in moves:
            sans.append(board.san(move))
            board.play_untrusted(move)
    except ValueError:
        return None
    finally:
        if played := len(board.moves) - before:
            board.take_back(played)
    return tuple(sans)

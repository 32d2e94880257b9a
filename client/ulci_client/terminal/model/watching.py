"""Games that we watch: ``lobby watch 42 …``, and the players' analysis. Pure."""

from collections.abc import Iterator

from ulci.protocol.lobby.lines import WatchEnd, WatchStart
from ulci.protocol.messages import Info, Seeks, Who
from ulci.rules import Position, Side

from .game import Game
from .state import ClientState, Effect, News, NewsKind, Send

# Moves of a variation that are shown.
MOVES = 6

# Half-moves that the game may be ahead: spectators get analysis ten seconds late.
LATE = 24


def watch(state: ClientState, line: WatchStart, _: float) -> Iterator[Effect]:
    game = Game(line.id, line.game, line.time, watched=True)
    game.rated, game.book = line.rated, line.book
    game.names = [line.white, line.black]
    game.levels = [line.white_level, line.black_level]
    game.ratings = [line.white_rating, line.black_rating]
    game.kinds = [state.players[name].kind if name in state.players else "" for name in game.names]
    state.game, state.page = game, None
    players = " - ".join(map(game.player, Side))
    text = f"You watch game {game.id}: {players}. unwatch leaves."
    yield News(NewsKind.WATCH, text, f"watch {game.id} {players}")


def unwatch(state: ClientState, line: WatchEnd, _: float) -> Iterator[Effect]:
    """A finished game stays on the screen."""
    game = state.game
    if game is None or not game.watched or game.id != line.id:
        return
    yield News(NewsKind.WATCH, f"You watch game {game.id} no longer.", f"unwatch {game.id}")
    if not game.over:
        yield from go_back(state)


def go_back(state: ClientState) -> Iterator[Effect]:
    """Back to the lobby."""
    state.game = None
    if state.shows_lists and state.welcomed:
        yield from (Send(Who()), Send(Seeks()))


def think(state: ClientState, message: Info) -> Iterator[Effect]:
    """A watched player's analysis: in the status on the screen, else a line."""
    game = state.game
    if game is None or not game.watched or game.over or not (thought := _in_words(game, message)):
        return
    game.thought = thought
    if not state.shows_lists:
        yield News(NewsKind.THOUGHT, f"Thought: {thought}.", f"thought {thought}")


def _in_words(game: Game, message: Info) -> str:
    """``Bob +0.34, depth 12: e4 e5 Nf3``; the score is the player's own."""
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
    """The side to make these moves, and their SAN, from the newest position in which they are
    legal, since analysis comes late. None and the moves as they are without such a position."""
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
    """The moves in SAN; None if one is illegal. The board is restored."""
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

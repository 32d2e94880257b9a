"""Other people's games: ``lobby watch 42 …``, and what those who play them think. Pure."""

from collections.abc import Iterator

from ulci.protocol import Info, Seeks, Who

from .announced import Words, facts
from .game import Game
from .state import Effect, Kind, News, Send, State

# Moves of a line of thought that are shown.
MOVES = 6


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
    """``+0.34, depth 12: e4 e5 Nf3``; the score is that of whoever thinks."""
    score = message.score
    told = []
    if score is not None and score.mate is not None:
        told.append(f"mate in {score.mate}")
    elif score is not None and score.cp is not None:
        told.append(f"{score.cp / 100:+.2f}")
    if message.depth is not None:
        told.append(f"depth {message.depth}")
    line = " ".join(_written(game, message.pv[:MOVES]))
    return ": ".join(filter(None, (", ".join(told), line)))


def _written(game: Game, moves: tuple[str, ...]) -> tuple[str, ...]:
    """As people write them, if they go on from the board: a thought may come late."""
    trial = game.trial()
    if trial is None:
        return moves
    sans = []
    for move in moves:
        try:
            sans.append(trial.san(move))
        except ValueError:
            return moves
        trial.play_untrusted(move)
    return tuple(sans)

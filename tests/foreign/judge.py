"""Games of a server, judged by python-chess alone: its moves, its results, and its arithmetic of
clocks. Nothing of ours is imported here."""

import io
import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import chess
import chess.pgn

SIDES = {"white": chess.WHITE, "black": chess.BLACK}

TERMINATIONS: Mapping[chess.Termination, str] = {
    chess.Termination.CHECKMATE: "checkmate",
    chess.Termination.STALEMATE: "stalemate",
    chess.Termination.INSUFFICIENT_MATERIAL: "material",
}
"""What python-chess and the server both see in a last position, and what the server calls it."""

DRAWS_BY_HISTORY = {"repetition": "is_repetition", "fifty-moves": "is_fifty_moves"}
"""The server's words, and what python-chess must confirm of the game's last position."""

BY_RULES = {*TERMINATIONS.values(), *DRAWS_BY_HISTORY, "game-rule", "elimination"}

TIME = {"time", "time-insufficient"}

ROUNDED = 3
"""ms by which a sum of so many figures in whole ms may be wrong."""


@dataclass
class Verdict:
    """What is wrong with games, one sentence each; and figures of those who play by the clock.

    clocked: plies played by a clock. thought, beyond: of each of them whose thinking was timed at
    the engine, in ms: that, and what the clock was charged more than that. flags: losses on time.
    oversteps: those of them in which the engine's own thinking took longer than its clock allowed.
    """

    games: int = 0
    plies: int = 0
    clocked: int = 0
    complaints: list[str] = field(default_factory=list)
    thought: list[float] = field(default_factory=list)
    beyond: list[float] = field(default_factory=list)
    flags: int = 0
    oversteps: int = 0

    @property
    def mean_thought(self) -> float:
        """ms a ply; nan: unknown."""
        return statistics.fmean(self.thought) if self.thought else float("nan")

    @property
    def median_beyond(self) -> float:
        """ms a ply; nan: unknown."""
        return statistics.median(self.beyond) if self.beyond else float("nan")

    @property
    def worst_beyond(self) -> float:
        """ms of the worst ply of a hundred; nan: unknown."""
        if len(self.beyond) < 2:
            return float("nan")
        return statistics.quantiles(self.beyond, n=100)[-1]


def judge(games: Sequence[Mapping[str, Any]], pgn: str, logs: Iterable[Path] = ()) -> Verdict:
    """`games`: the server's export as JSON, `pgn`: as PGN, which may have more; `logs`: of the
    engines' stopwatches."""
    read = {game.headers["GameId"]: game for game in _games(pgn)}
    timed = _Timed(logs)
    verdict = Verdict()
    for game in sorted(games, key=lambda game: game["id"]):
        written = read.get(str(game["id"]))
        if written is None:
            verdict.complaints.append(f"game {game['id']}: it is not in the PGN")
            continue
        verdict.games += 1
        verdict.plies += len(game["moves"])
        verdict.complaints += [f"game {game['id']}: {why}" for why in _complaints(game, written)]
        _measure(verdict, game, timed)
    return verdict


def _games(pgn: str) -> Iterator[chess.pgn.Game]:
    file = io.StringIO(pgn)
    while (game := chess.pgn.read_game(file)) is not None:
        yield game


def _complaints(game: Mapping[str, Any], written: chess.pgn.Game) -> Iterator[str]:
    for error in written.errors:
        yield f"python-chess cannot read it: {error}"
    board = written.end().board()
    moves = [move["move"] for move in game["moves"]]
    if [move.uci() for move in board.move_stack] != moves:
        yield "the PGN has other moves than the JSON"
    if written.headers["Result"] != game["result"]:
        yield f"the PGN has {written.headers['Result']}, the JSON {game['result']}"
    yield from _ending(game, board)
    yield from _clocks(game, written)


def _ending(game: Mapping[str, Any], board: chess.Board) -> Iterator[str]:
    """Whether the game ended when and as python-chess says."""
    result, reason = game["result"], game["reason"]
    outcome = board.outcome()
    if outcome is None and reason in BY_RULES - {*DRAWS_BY_HISTORY}:
        yield f"{result} by {reason}, where python-chess sees no end"
    if outcome is not None:
        if outcome.result() != result:
            yield f"{result} by {reason}, where python-chess says {outcome.result()}"
        known = TERMINATIONS.get(outcome.termination)
        if known is not None and known != reason:
            yield f"its end is called {reason}, where python-chess says {known}"
    confirm = DRAWS_BY_HISTORY.get(reason)
    if confirm is not None and not getattr(board, confirm)():
        yield f"python-chess sees no {reason}"
    if reason in DRAWS_BY_HISTORY and result != "1/2-1/2":
        yield f"{result} by {reason}"
    if reason not in BY_RULES | TIME:
        yield f"it ended by {reason}: {game['detail']}"
    before = board.copy()
    while before.move_stack:
        before.pop()
        if before.outcome() is not None:
            yield f"it went on though it was over at ply {before.ply()}"
            return


def _clocks(game: Mapping[str, Any], written: chess.pgn.Game) -> Iterator[str]:
    """Whether each clock is what was left, less what was spent, and what a move adds."""
    base, plus, added = game["control"].partition("+")
    if not plus or not base.replace(".", "", 1).isdecimal():
        return  # no clock, or one whose arithmetic is another
    left = dict.fromkeys(SIDES, round(float(base) * 1000))
    for move, node in zip(game["moves"], written.mainline(), strict=False):
        side = move["side"]
        left[side] += round(float(added) * 1000) - _charged(move)
        if abs(left[side] - move["left_ms"]) > ROUNDED:
            yield f"ply {move['ply']}: {move['left_ms']} ms are left, not {left[side]}"
            return
        if left[side] < 0:
            yield f"ply {move['ply']} was made {-left[side]} ms after the time was over"
        clock = node.clock()
        if clock is None or abs(clock * 1000 - move["left_ms"]) > 1:
            yield f"ply {move['ply']}: the PGN's clock is {clock} s, not {move['left_ms']} ms"
            return
        left[side] = move["left_ms"]


def _charged(move: Mapping[str, Any]) -> int:
    """ms that the clock pays for: what was spent, without what was given back for the network and
    for the server's own delays."""
    return move["spent_ms"] - move["lag_ms"] - move["stall_ms"]


class _Timed:
    """What the engines' stopwatches say: one block a game of each."""

    def __init__(self, logs: Iterable[Path]) -> None:
        self._blocks: list[list[dict[int, tuple[str, float]]]] = []
        for log in logs:
            games: dict[str, dict[int, tuple[str, float]]] = {}
            for line in log.read_text().splitlines() if log.exists() else ():
                number, ply, move, spent = line.split()
                thought = math.inf if move == "-" else int(spent) / 1000
                games.setdefault(number, {})[int(ply)] = (move, thought)
            self._blocks.append([*games.values()])

    def of(self, moves: Sequence[str]) -> dict[int, float]:
        """ms of each ply of this game that was timed, infinite if the engine never answered; a
        block is used once."""
        found: dict[int, float] = {}
        for blocks in self._blocks:
            for at, block in enumerate(blocks):
                made = {ply: move for ply, (move, _) in block.items() if ply < len(moves)}
                if made and all(moves[ply] == move for ply, move in made.items()):
                    del blocks[: at + 1]
                    found |= {ply: spent for ply, (_, spent) in block.items()}
                    break
        return found


def _measure(verdict: Verdict, game: Mapping[str, Any], timed: _Timed) -> None:
    moves = game["moves"]
    thought = timed.of([move["move"] for move in moves])
    for ply, move in enumerate(moves):
        if move["left_ms"] is None:
            continue
        verdict.clocked += 1
        if ply in thought:
            verdict.thought.append(thought[ply])
            verdict.beyond.append(_charged(move) - thought[ply])
    if game["reason"] in TIME:
        verdict.flags += 1
        before = moves[-2]["left_ms"] if len(moves) > 1 else None
        if before is not None and thought.get(len(moves), 0.0) > before:
            verdict.oversteps += 1

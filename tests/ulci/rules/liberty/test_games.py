"""Games recorded with the programs of Liberty Chess's author: the same moves, the same end."""

from pathlib import Path
from typing import NamedTuple

import pytest

from ulci.rules import Illegal, Legal, Outcome, Over, Reason, Side
from ulci.rules.liberty import LIBERTY_CHESS, read_lfen, write_lfen

FILE = Path(__file__).parents[3] / "data" / "liberty_games.tsv"

ENDINGS = {
    "Checkmate(true)": Outcome(Side.WHITE, Reason.CHECKMATE),
    "Checkmate(false)": Outcome(Side.BLACK, Reason.CHECKMATE),
    "Elimination(true)": Outcome(Side.WHITE, Reason.ELIMINATION),
    "Elimination(false)": Outcome(Side.BLACK, Reason.ELIMINATION),
    "FiftyMove": Outcome(None, Reason.FIFTY_MOVES),
    "Material": Outcome(None, Reason.MATERIAL),
    "Repetition": Outcome(None, Reason.REPETITION),
    "Stalemate": Outcome(None, Reason.STALEMATE),
    "InProgress": None,
}


class Recorded(NamedTuple):
    start: str
    moves: list[str]
    state: str
    final: str


def games() -> list[Recorded]:
    lines = FILE.read_text(encoding="utf-8").splitlines()[1:]
    split = [line.split("\t") for line in lines]
    return [Recorded(start, moves.split(), state, final) for start, moves, state, final in split]


GAMES = [pytest.param(game, id=f"{n}-{game.state}") for n, game in enumerate(games(), start=1)]


@pytest.mark.parametrize("game", GAMES)
def test_a_recorded_game_ends_as_it_did(game: Recorded):
    position = LIBERTY_CHESS.new(game.start)
    for number, move in enumerate(game.moves, start=1):
        assert position.outcome() is None, number
        verdict = position.play_untrusted(move)
        assert not isinstance(verdict, Illegal), (number, verdict)
        assert verdict.move == move
    ended = ENDINGS[game.state]
    assert position.outcome() == ended
    if game.moves:
        spelled = game.moves[-1]
        assert verdict == (Legal(spelled) if ended is None else Over(spelled, ended))
    # The recording program writes columns of castling from 0, in the last of the first seven.
    assert position.fen().split()[:6] == game.final.split()[:6]
    assert write_lfen(read_lfen(position.fen())) == position.fen()

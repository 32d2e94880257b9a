"""What is asked of this end about the game."""

from tests.support.terminal import to_move, told
from ulci_client.terminal.model import Model


def answer(model: Model, text: str) -> list[str]:
    return told(model.typed(text, 0.0))


def test_the_board_is_turned_round() -> None:
    model = to_move()
    assert answer(model, "flip") == ["ok flipped"]
    assert answer(model, "board")[1].startswith(" 1 R N B K")


def test_the_game_is_told_in_lines() -> None:
    model = to_move("e2e4", "e7e5")
    assert answer(model, "moves") == ["Moves", "1. e4 e5"]
    assert answer(model, "clock") == ["clock white 5:00 black 5:00 running white"]
    [fen] = answer(model, "fen")
    assert fen.startswith("fen rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w")
    assert len(answer(model, "board")) == 10

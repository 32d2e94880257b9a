import pytest

from tests.support.terminal import introduced, to_move
from ulci.rules import GAMES, Illegal, Position
from ulci_client.terminal.model.move_entry import finish_game, looks_like_move, read_result, why_not
from ulci_client.terminal.model.phrases import Result

TWO_KNIGHTS = "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1"
PROMOTION = "7k/P7/8/8/8/8/8/4K3 w - - 0 1"
IN_CHECK = "4k3/8/8/8/8/8/4r3/R3K2R w KQ - 0 1"


# Thirty files.
WIDE = f"{'r' * 29}k/{'p' * 30}/30/30/{'P' * 30}/{'R' * 29}K w - - 0 1"


def position(start: str | None = None) -> Position:
    return GAMES["chess"].new(start)


@pytest.mark.parametrize(
    "text",
    ["e4", "Nf3", "nf3", "exd5", "e2e4", "e7e8q", "e8=Q", "e8q", "O-O", "0-0-0", "Qh5#", "Nbd2!"],
)
def test_what_people_write_for_a_move_looks_like_one(text: str) -> None:
    assert looks_like_move(text)


@pytest.mark.parametrize("text", ["", "help", "hello world", "resign", "e", "44", "Pe", "N"])
def test_other_words_do_not(text: str) -> None:
    assert not looks_like_move(text)


@pytest.mark.parametrize(
    ("start", "text", "why"),
    [
        (TWO_KNIGHTS, "Nd2", "Nd2 is not exact: say Nfd2 or Nbd2"),
        (TWO_KNIGHTS, "nd2", "nd2 is not exact: say Nfd2 or Nbd2"),
        (PROMOTION, "a8", "say what the pawn becomes: a8=Q+, a8=R+, a8=B or a8=N"),
        (None, "Qh5", "no queen of yours can go to h5"),
        (None, "e5", "no pawn of yours can go to e5"),
        (IN_CHECK, "Ra2", "no rook of yours can go to a2: you are in check"),
        (IN_CHECK, "O-O", "castling is not possible now: you are in check"),
        (None, "0-0", "castling is not possible now"),
        (None, "xyzzy", "xyzzy is not a move that can be made here"),
    ],
)
def test_the_reason_is_said_in_words(start: str | None, text: str, why: str) -> None:
    assert why_not(position(start), text) == why


@pytest.mark.parametrize(
    ("game", "start", "text", "why"),
    [
        ("liberty", "mini", "Ba4", "no bishop of yours can go to a4"),
        ("liberty", "liberty", "Zk9", "no zebra of yours can go to k9"),
        ("liberty", "liberty", "d11", "no pawn of yours can go to d11"),
        ("liberty", WIDE, "Qad4", "no queen of yours can go to ad4"),
        ("liberty", WIDE, "ad2", "no pawn of yours can go to ad2"),
    ],
)
def test_the_reason_is_said_on_every_board(game: str, start: str, text: str, why: str) -> None:
    assert looks_like_move(text)
    assert why_not(GAMES[game].new(start), text) == why


@pytest.mark.parametrize(
    ("game", "text"), [("crazyhouse", "N@f3"), ("crazyhouse", "@e4"), ("tictactoe", "d4")]
)
def test_drops_and_stones_are_explained_by_the_rules(game: str, text: str) -> None:
    assert looks_like_move(text)
    said = text.replace("@", "P@") if text.startswith("@") else text
    verdict = GAMES[game].new().play_untrusted(said)
    assert isinstance(verdict, Illegal)
    assert why_not(GAMES[game].new(), text) == verdict.why


def test_a_move_from_square_to_square_is_explained_by_the_rules() -> None:
    assert why_not(position(), "e2e5") == GAMES["chess"].new().play_untrusted("e2e5").why  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("result 1-0 reason checkmate", Result("1-0", "checkmate")),
        ("result 1/2-1/2 reason fifty-moves", Result("1/2-1/2", "fifty-moves")),
        ("result *", Result("*", "unknown")),
        ("result 0-1  reason time and more", Result("0-1", "time")),
        ("the result 1-0", None),
        ("result 2-0", None),
        ("results 1-0", None),
    ],
)
def test_a_result_is_read_from_its_line(text: str, result: Result | None) -> None:
    assert read_result(text) == result


def test_without_a_game_nothing_ends() -> None:
    assert [*finish_game(introduced().state, Result("1-0", "time"), 0.0)] == []


def test_the_end_answers_open_questions() -> None:
    client = to_move()
    client.typed("resign", 0.0)
    assert client.state.question is not None
    assert len([*finish_game(client.state, Result("1-0", "time"), 0.0)]) == 2
    assert client.state.question is None
    assert client.state.last_rival == "Bob"

"""Requirements on every row of the registry."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.effort import instructions
from tests.support.long_games import long_game
from ulci.rules import (
    GAME_TABLE,
    GAMES,
    Illegal,
    Legal,
    Outcome,
    Over,
    Position,
    Rules,
    Side,
    game_title,
)

ROWS = [pytest.param(rules, id=name) for name, rules in GAMES.items()]


def play_at_random(position: Position, rng: random.Random, plies: int) -> None:
    for _ in range(plies):
        if position.outcome() is not None:
            return
        position.play_untrusted(rng.choice(position.legal_moves()))


def random_start(rules: Rules, rng: random.Random) -> str | None:
    return rules.starts[rng.randrange(len(rules.starts))]


def test_a_row_is_found_by_its_own_name():
    assert {name: rules.name for name, rules in GAMES.items()} == {name: name for name in GAMES}


def test_every_game_has_a_title_of_its_own_and_a_referees_game_is_called_by_its_word():
    assert len({game_title(name) for name in GAMES}) == len(GAMES)
    assert game_title("kingofthehill") == "King of the Hill"
    assert game_title("nim") == "nim"


@pytest.mark.parametrize("name", GAMES)
def test_games_of_stones_are_those_whose_moves_are_squares(name: str):
    position = GAMES[name].new()
    squares = all(position.san(move) == move for move in position.legal_moves())
    assert squares is GAME_TABLE[name].stones


def test_nobody_can_change_the_registry():
    with pytest.raises(TypeError):
        GAMES["chess"] = GAMES["chess960"]  # type: ignore[index]


@pytest.mark.parametrize("rules", ROWS)
def test_the_first_player_begins(rules: Rules):
    assert rules.new().turn is Side.WHITE
    assert list(rules.new().moves) == []


@pytest.mark.parametrize("rules", ROWS)
def test_every_legal_move_is_played_and_keeps_its_spelling(rules: Rules):
    rng = random.Random(1)
    for _ in range(10):
        position = rules.new(random_start(rules, rng))
        while position.outcome() is None and len(position.moves) < 60:
            move = rng.choice(position.legal_moves())
            verdict = position.play_untrusted(move)
            assert isinstance(verdict, (Legal, Over)), (position.fen(), verdict)
            assert verdict.move == move == position.moves[-1]


@pytest.mark.parametrize("rules", ROWS)
def test_start_and_moves_lead_to_the_same_position_again(rules: Rules):
    rng = random.Random(2)
    for _ in range(10):
        position = rules.new(random_start(rules, rng))
        play_at_random(position, rng, 30)
        again = rules.new(position.start)
        for move in position.moves:
            again.play_untrusted(move)
        assert again.fen() == position.fen()
        assert again.legal_moves() == position.legal_moves()
        assert (again.turn, again.outcome()) == (position.turn, position.outcome())


@pytest.mark.parametrize("rules", ROWS)
def test_a_position_can_be_started_from_its_own_fen(rules: Rules):
    rng = random.Random(3)
    for _ in range(10):
        position = rules.new(random_start(rules, rng))
        play_at_random(position, rng, 30)
        again = rules.new(position.fen())
        assert again.fen() == position.fen()
        assert again.squares() == position.squares()
        assert again.checked() == position.checked()


@pytest.mark.parametrize("rules", ROWS)
def test_every_legal_move_can_be_read_as_people_write_it(rules: Rules):
    rng = random.Random(4)
    for _ in range(10):
        position = rules.new(random_start(rules, rng))
        play_at_random(position, rng, rng.randrange(60))
        for move in position.legal_moves():
            assert position.parse_untrusted(move) == move
            assert position.parse_untrusted(position.san(move)) == move


@pytest.mark.parametrize("rules", ROWS)
def test_no_move_is_made_once_the_game_is_over(rules: Rules):
    rng = random.Random(5)
    position = rules.new(random_start(rules, rng))
    moves: list[str] = []
    while position.outcome() is None:
        moves = position.legal_moves()
        position.play_untrusted(rng.choice(moves))
    played = len(position.moves)
    assert isinstance(position.outcome(), Outcome)
    assert position.legal_moves() == []
    assert all(isinstance(position.play_untrusted(move), Illegal) for move in moves)
    assert len(position.moves) == played


@pytest.mark.parametrize("rules", ROWS)
def test_a_move_is_legal_if_it_would_be_played(rules: Rules):
    rng = random.Random(6)
    legal: list[str] = []
    for _ in range(10):
        position = rules.new(random_start(rules, rng))
        play_at_random(position, rng, rng.randrange(80))
        others, legal = legal, position.legal_moves()
        for move in {*legal, *others, "0000", "K@e4", ""}:
            assert position.is_legal_untrusted(move) is (move in legal), move


@pytest.mark.parametrize("rules", ROWS)
def test_moves_that_are_taken_back_were_never_made(rules: Rules):
    rng = random.Random(7)
    for _ in range(5):
        position = rules.new(random_start(rules, rng), claims=True)
        for _ in range(3):
            play_at_random(position, rng, rng.randint(1, 90))
            position.take_back(rng.randint(1, len(position.moves)))
            again = rules.new(position.start, claims=True)
            for move in position.moves:
                again.play_untrusted(move)
            assert position.fen() == again.fen()
            assert position.turn is again.turn
            assert position.outcome() == again.outcome()
            assert position.claim() == again.claim()
            assert position.legal_moves() == again.legal_moves()
            assert position.checked() == again.checked()


@pytest.mark.parametrize("name", ["chess", "crazyhouse", "liberty"])
@pytest.mark.parametrize("plies", [1, 3, 40])
def test_a_position_that_was_taken_back_counts_no_more_than_those_that_stand(name: str, plies: int):
    shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"]
    position = GAMES[name].new()
    for move in shuffle + shuffle[:3]:
        assert isinstance(position.play_untrusted(move), Legal)
    for _ in range(plies):
        assert isinstance(position.play_untrusted("f6g8"), Over)  # for the third time
        position.take_back(1)
        assert position.outcome() is None
    position.take_back(4)
    assert [isinstance(position.play_untrusted(move), Over) for move in ["f6g8", *shuffle]] == [
        *(False, False, False, False, True)
    ]


@pytest.mark.parametrize("name", ["chess", "crazyhouse", "liberty"])
def test_the_cost_of_a_takeback_is_independent_of_length_and_distance(name: str):
    def cost(plies: int, back: int) -> int:
        position = long_game(name, plies)
        return instructions(lambda: position.take_back(back))

    # At the worst place there is: one ply before the next copy of the position would be kept.
    early, late, far = cost(32, 1), cost(256, 1), cost(256, 225)
    print(f"{name}: {early} instructions at ply 32, {late} at ply 256, {far} from there to ply 31")
    assert max(late, far) < 2 * early


@pytest.mark.parametrize("rules", ROWS)
def test_san_of_what_is_no_legal_move_is_an_error(rules: Rules):
    with pytest.raises(ValueError, match="not a move"):
        rules.new().san("nonsense")


@pytest.mark.parametrize("rules", ROWS)
@given(text=st.one_of(st.text(), st.from_regex(r"[a-hA-H0-9x=+#NBRQKOo-]{1,7}", fullmatch=True)))
def test_no_text_makes_a_position_fail(rules: Rules, text: str):
    position = rules.new()
    before = position.fen()
    parsed = position.parse_untrusted(text)
    assert parsed is None or parsed in position.legal_moves()
    verdict = position.play_untrusted(text)
    if isinstance(verdict, Illegal):
        assert position.fen() == before
        assert verdict.why
        assert verdict.why.isprintable()
        assert not verdict.why.endswith(".")

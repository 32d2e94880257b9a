"""What a player asks for, and how much that may cost."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest

from tests.support.effort import instructions
from ulci.protocol.messages import Option, OptionType, Terms
from ulci.rules import GAMES, Needs, Position, Rules, Size
from ulci_server.game.time_control import Controls
from ulci_server.lobby import BoardLimits, Lobby, Pool, Profile
from ulci_server.lobby.seeks import StandingSeek
from ulci_server.lobby.terms import Refusal, seek_from_terms

LIBERTY = GAMES["liberty"]
CONTROL = Controls.parse("180+2")

KNOWS_ALL = Profile("Ada", "Ada", pieces=frozenset("kmqcaehuriwbznxlop"), version=1)
KNOWS_CHESS = Profile("Fish", "Fish")

HUGE = "/".join([*["K" * 28 + "228"] * 240, *["k255"] * 16]) + " w"
"""256x256 squares and 6720 kings, in a line that a client may send."""


def asked(
    start: str, who: Profile = KNOWS_ALL, rules: Rules = LIBERTY, limits: BoardLimits | None = None
) -> StandingSeek:
    pool = Pool("pool", rules, CONTROL, (None,))
    limits = limits or BoardLimits()
    return seek_from_terms(1, who, Terms(start=start), [pool], {rules.name: pool}, limits)


def refusal(*args: object, **kwargs: object) -> str:
    with pytest.raises(Refusal) as caught:
        asked(*args, **kwargs)  # type: ignore[arg-type]
    return " ".join(caught.value.line.words)


@dataclass
class Watched:
    """Liberty Chess that remembers which boards were set up."""

    name: str = "liberty"
    starts: tuple[str | None, ...] = (None,)
    named: Mapping[str, str] = field(default_factory=dict)
    made: list[str | None] = field(default_factory=list)

    def new(self, start: str | None = None, *, claims: bool = False) -> Position:
        self.made.append(start)
        return LIBERTY.new(start, claims=claims)

    def to_play(self, start: str) -> Position:
        return self.new(start)

    def size(self, start: str | None) -> Size:
        return LIBERTY.size(start)

    def needs(self, start: str | None) -> Needs:
        return LIBERTY.needs(start)


def test_a_board_that_is_too_large_is_refused_and_the_limit_named() -> None:
    assert len(HUGE) < 8192
    assert refusal(HUGE) == (
        "error too-large the start has 65536 squares, and this server allows players 1024"
    )


@pytest.mark.parametrize(
    ("game", "start", "why"),
    [
        ("chess", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "won by white (checkmate)"),
        ("chess", "7k/8/6QK/8/8/8/8/8 b - - 0 1", "drawn (stalemate)"),
        ("chess", "7k/8/8/8/8/8/8/K7 w - - 0 1", "drawn (material)"),
        ("chess", "7k/7p/8/8/8/8/P7/K7 w - - 100 90", "drawn (fifty-moves)"),
        ("antichess", "8/p7/P7/8/8/8/8/8 w - - 0 1", "won by white (game-rule)"),
        ("kingofthehill", "7k/8/8/8/3K4/8/8/8 b - - 0 1", "won by white (game-rule)"),
        ("tictactoe", "xxx/oo1/3 o 3", "won by white (game-rule)"),
        ("liberty", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "won by white (checkmate)"),
    ],
)
def test_no_game_is_sought_from_where_it_is_over_already(game: str, start: str, why: str) -> None:
    options = {"uci_variant": Option("UCI_Variant", OptionType.STRING)}
    said = refusal(start, replace(KNOWS_ALL, options=options), GAMES[game])
    assert said == f"error bad-start the game is over there already: {why}"


def test_no_game_is_sought_with_more_promoted_men_than_engines_can_play() -> None:
    options = {"uci_variant": Option("UCI_Variant", OptionType.STRING)}
    start = "4k3/8/8/8/8/QQQQQQQ1/QQQ5/4K3 b - - 0 1"
    said = refusal(start, replace(KNOWS_ALL, options=options), GAMES["kingofthehill"])
    assert said.startswith("error bad-start White has 0 pawns and 9 pieces")


def test_too_many_kings_are_refused() -> None:
    assert refusal("k7/8/8/KKKKK3/8/8/8/8 w", limits=BoardLimits(64, 4)) == (
        "error too-large the start has 5 kings of one side, and this server allows players 4"
    )


@pytest.mark.parametrize(("start", "who"), [(HUGE, KNOWS_ALL), ("k8/9/9/9/9/K8 w", KNOWS_CHESS)])
def test_a_board_is_not_set_up_that_is_too_large_or_that_its_player_does_not_know(
    start: str, who: Profile
) -> None:
    rules = Watched()
    with pytest.raises(Refusal):
        asked(start, who, rules)
    assert rules.made == []


def test_what_a_program_lacks_is_told() -> None:
    assert refusal("k8/9/9/9/9/K8 w", KNOWS_CHESS) == (
        "error cannot-play Fish does not have the features boardsize castling"
    )


def test_to_refuse_a_huge_board_costs_little_more_than_to_refuse_a_board_of_chess() -> None:
    huge = instructions(lambda: refusal(HUGE))
    small = instructions(lambda: refusal("9/8/8/8/8/8/8/8 w"))
    print(f"{huge} instructions for 256x256 squares, {small} for 8x8")
    assert huge < 5 * small


@pytest.mark.parametrize(
    "start",
    [
        f"{'r' * 26}/{'p' * 26}/{'/'.join(['26'] * 22)}/{'P' * 26}/{'R' * 26} w",
        f"{'k' * 26}/{'/'.join(['p' * 26] * 12)}/{'/'.join(['P' * 26] * 12)}/{'K' * 26} w",
        "k254r/256/256/K254R w KQ - 0 1",
        "k29rnbq26/p58p/P58P/K29RNBQ26 w - - 0 1",
    ],
)
def test_boards_of_26_by_26_and_those_that_programs_know_are_possible(start: str) -> None:
    assert asked(start).starts


def test_every_start_with_a_name_is_possible() -> None:
    for name in LIBERTY.named:
        assert asked(name).starts


def test_what_a_pool_begins_with_is_not_limited() -> None:
    large = LIBERTY.new("k39/" + "40/" * 38 + "K38R w").start
    pool = Pool("large", LIBERTY, CONTROL, (large,))
    lobby = Lobby([pool], lambda _: 0, {"liberty": LIBERTY}, BoardLimits())
    for name in ("Ada", "Bob"):
        handle = lobby.enter(Profile(name, name, version=1)).handle
        effects = lobby.wait(handle, "large")
    assert "Pair" in {type(effect).__name__ for effect in effects}

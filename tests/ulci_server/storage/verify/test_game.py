"""A record that agrees with itself, and each way in which it may not."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.support.facts import ADA, BOB, finished, happened, played
from tests.support.games import keep, moves
from tests.support.tampering import forget, tamper
from ulci.rules import Reason, Side
from ulci_server.game import EventKind, GameFinished, Happened, MovePlayed
from ulci_server.storage import Database, Games, MemoryDatabase
from ulci_server.storage.verify import DisagreementError, verify_game

W, B = Side
FOOLS_MATE = "f2f3 e7e5 g2g4 d8h4"
SHUFFLE = "g1f3 g8f6 f3g1 f6g8 " * 2
STALEMATE = "7k/8/8/6Q1/8/8/8/K7 w - - 0 1"
BARE = "7k/8/8/8/8/1Q6/8/K7 w - - 0 1"


def verified(database: Database) -> int:
    (game,) = database.games.find()
    return verify_game(database, game)


def said_of(*steps: MovePlayed | Happened, end: GameFinished | None = None, **start: Any) -> str:
    """What is found in such a game."""
    database = MemoryDatabase()
    keep(database, steps, end, **start)
    with pytest.raises(DisagreementError) as found:
        verified(database)
    return str(found.value)


def happening(seq: int, what: EventKind, **changes: Any) -> Happened:
    return happened(1, seq, what, **({"ply": seq - 1} | changes))


BOOK = ("f2f3", "e7e5")


def test_a_game_with_an_opening_agrees_and_its_own_moves_are_counted(database: Database) -> None:
    keep(database, moves("g2g4 d8h4", book=2), finished(1, B), opening=BOOK)

    assert verified(database) == 2
    assert database.games.history(1)[-1].fact.ply == 4


def test_a_game_that_ends_before_the_first_move_ends_after_its_opening(database: Database) -> None:
    keep(database, [], finished(1, None, Reason.SERVER), opening=BOOK)

    assert verified(database) == 0
    [end] = database.games.history(1)
    assert end.fact.ply == 2


@pytest.mark.parametrize(
    ("opening", "why"),
    [
        ("f2f3 e7e6 b8a6", "ply 3 of the opening, b8a6, is illegal: "),
        ("f2f3 e2e4", "ply 2 of the opening, e2e4, is illegal: "),
        ("f2f3", "ply 3, g2g4: 1 plies were made before it"),
        ("f2f3 e7e5 b2b3", "ply 3, g2g4: 3 plies were made before it"),
        (None, "ply 3, g2g4: 0 plies were made before it"),
        ("f2f3 a7a6", "ply 4, d8h4 is illegal: "),
        ("e2e3 e7e5", "the rules do not end the game there"),
        ("f2f3 e7e5 g2g4 d8h4", "the opening ends the game at ply 4, d8h4: won by black"),
    ],
)
def test_an_opening_that_was_changed_is_found(
    opening: str | None, why: str, database: Database
) -> None:
    keep(database, moves("g2g4 d8h4", book=2), finished(1, B), opening=BOOK)
    tamper(database, "games", {"opening": opening})

    with pytest.raises(DisagreementError) as found:
        verified(database)
    assert why in str(found.value)


def test_a_game_that_agrees_is_counted(database: Database) -> None:
    keep(database, moves(FOOLS_MATE), finished(1, B))

    assert verified(database) == 4


def with_takeback(gain: int) -> list[MovePlayed | Happened]:
    """White's second move is taken back, and another one made: its clock then shows so much more
    than after the first."""
    first = moves("e2e4 e7e5 g1f3")
    taken_back = happening(4, EventKind.TAKEN_BACK, side=W, amount=1)
    third = replace(first[2], seq=5, left=first[2].left + gain, move="b1c3")
    return [*first, taken_back, third]


OLD_RULE, NEW_RULE = 3000 - 1957, -1957


@pytest.mark.parametrize(("undo_clocks", "gain"), [(True, NEW_RULE), (False, OLD_RULE)])
def test_a_game_with_a_takeback_agrees(undo_clocks: bool, gain: int, database: Database) -> None:
    resigned = finished(1, B, Reason.RESIGNATION, "White (Ada) resigned")
    keep(database, with_takeback(gain), resigned, undo_clocks=undo_clocks)

    assert verified(database) == 4


@pytest.mark.parametrize(("undo_clocks", "gain"), [(True, OLD_RULE), (False, NEW_RULE)])
def test_a_takeback_by_the_other_rule_is_found(undo_clocks: bool, gain: int) -> None:
    found = said_of(*with_takeback(gain), undo_clocks=undo_clocks)

    assert found.startswith("ply 3, b1c3: the clock shows ")


@pytest.mark.parametrize(
    ("text", "winner", "reason", "start"),
    [
        ("e2e4", B, Reason.RESIGNATION, {}),
        ("e2e4", W, Reason.TIME, {}),
        ("", B, Reason.TIME, {}),
        ("e2e4", W, Reason.ILLEGAL_MOVE, {}),
        ("e2e4", W, Reason.DISCONNECT, {}),
        ("e2e4", None, Reason.DISCONNECT, {}),
        ("e2e4", None, Reason.ABORTED, {}),
        ("e2e4", None, Reason.SERVER, {}),
        ("e2e4", None, Reason.AGREEMENT, {}),
        (SHUFFLE, None, Reason.REPETITION, {}),
        (SHUFFLE, None, Reason.REPETITION, {"claims": True}),
        (SHUFFLE, None, Reason.REPETITION, {"claims": False}),
        ("g5g6", None, Reason.STALEMATE, {"start": STALEMATE}),
        ("", None, Reason.TIME_INSUFFICIENT, {"start": BARE}),
        ("anything goes", W, Reason.GAME_RULE, {"rules": "nim"}),
        ("a1 b2", None, Reason.ABORTED, {"rules": "tictactoe"}),
    ],
)
def test_every_way_to_end_is_known_of_games_whose_end_is_not_in_their_history(
    text: str, winner: Side | None, reason: Reason, start: dict[str, Any]
) -> None:
    database = MemoryDatabase()
    keep(database, moves(text), finished(1, winner, reason), **start)
    forget(database, len(text.split()) + 1)

    assert verified(database) == len(text.split())


@pytest.mark.parametrize("claims", [None, True])
def test_a_game_may_go_on_after_a_repetition_that_had_to_be_claimed(claims: bool | None) -> None:
    database = MemoryDatabase()
    keep(database, moves(f"{SHUFFLE} e2e4"), claims=claims)

    assert verified(database) == 9


def test_a_game_that_went_on_after_a_repetition_that_ended_it_is_found() -> None:
    found = said_of(*moves(f"{SHUFFLE} e2e4"), claims=False)

    assert found == "ply 9, e2e4: the game was over"


def test_a_game_that_runs_is_checked_as_far_as_it_is() -> None:
    database = MemoryDatabase()
    keep(database, moves("e2e4"))

    assert verified(database) == 1


def test_a_result_that_the_rules_contradict_is_found() -> None:
    mate = moves(FOOLS_MATE)

    assert "after ply 4: the rules ended it by 0-1 (checkmate)" in said_of(
        *mate, end=finished(1, W, Reason.RESIGNATION)
    )


@pytest.mark.parametrize(
    ("winner", "reason", "why"),
    [
        (W, Reason.CHECKMATE, "the rules do not end the game there"),
        (None, Reason.MATERIAL, "the rules do not end the game there"),
        (None, Reason.REPETITION, "neither end the game there nor let the draw be claimed"),
        (None, Reason.RESIGNATION, "that reason goes with 1-0 or 0-1 only"),
        (B, Reason.TIME, "it was black's turn, and who lost so had to be"),
        (None, Reason.TIME_INSUFFICIENT, "white could win: it is no draw"),
        (B, Reason.ILLEGAL_MOVE, "it was black's turn"),
        (W, Reason.AGREEMENT, "nobody had a draw on offer"),
        (W, Reason.SERVER, "that reason goes with * only"),
        (W, Reason.ADJUDICATION, "who decided it is not in the record"),
    ],
)
def test_a_result_that_does_not_follow_is_found(
    winner: Side | None, reason: Reason, why: str
) -> None:
    found = said_of(*moves("e2e4"), end=finished(1, winner, reason))

    assert found.startswith("the result ")
    assert f"({reason.value}) after ply 1: " in found
    assert why in found


def test_a_draw_that_nobody_offered_is_found() -> None:
    away = happening(2, EventKind.AWAY, side=W)

    found = said_of(*moves("e2e4"), away, end=finished(1, None, Reason.AGREEMENT))

    assert "nobody had a draw on offer" in found


def test_a_loss_on_time_without_a_clock_is_found() -> None:
    end = finished(1, B, Reason.TIME)

    assert "the clock of white had no flag" in said_of(end=end, control="depth=5")


def test_a_win_by_a_reason_for_draws_is_found() -> None:
    found = said_of(end=finished(1, B, Reason.TIME_INSUFFICIENT), start=BARE)

    assert "that reason goes with 1/2-1/2 only" in found


def test_a_loss_on_time_to_a_bare_king_is_found() -> None:
    found = said_of(end=finished(1, B, Reason.TIME), start=BARE)

    assert "black could not win any more: it is a draw" in found


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"move": "e7e6"}, "ply 1, e7e6 is illegal"),
        ({"side": B}, "ply 1, e2e4: it is not black's turn"),
        ({"left": 1}, "the clock shows 301043 ms, and 1 ms are recorded"),
        ({"seq": 2}, "step 1 is missing"),
        ({"ply": 2}, "ply 2, e2e4: 0 plies were made before it"),
        ({"stall": 1999}, "more was given back than spent"),
    ],
)
def test_a_move_that_cannot_have_been_is_found(changes: dict[str, Any], why: str) -> None:
    (move,) = moves("e2e4")

    assert why in said_of(replace(move, **changes))


def test_time_given_back_against_the_rule_is_found() -> None:
    found = said_of(*moves("e2e4"), lag="none")

    assert found.startswith("ply 1, e2e4: 40 ms were given back for the network")


@pytest.mark.parametrize(
    ("start", "why"),
    [
        ({"start": "8/8/8/8/8/8/8/8 w - - 0 1"}, "king"),
        ({"control": "soon"}, "soon"),
        ({"lag": "much"}, "no rule for time lost in the network named much"),
    ],
)
def test_a_beginning_that_cannot_have_been_is_found(start: dict[str, Any], why: str) -> None:
    assert why in said_of(**start)


class Forgetful(Games):
    """Loses the last move when asked for the moves that stand."""

    def moves(self, game_id: int) -> list[Any]:
        return super().moves(game_id)[:-1]


def test_moves_that_are_read_otherwise_are_found() -> None:
    database = MemoryDatabase()
    database.games = Forgetful(database.transactions)
    keep(database, moves("e2e4"), finished(1, B, Reason.RESIGNATION))

    with pytest.raises(DisagreementError, match="not those that rebuilding gives"):
        verified(database)


def test_a_game_of_the_first_version_agrees_though_nothing_is_numbered() -> None:
    database = MemoryDatabase()
    steps = [replace(move, seq=0, held=0) for move in moves("e2e4 e7e5", lag=0)]
    keep(database, steps, finished(1, W, Reason.TIME_INSUFFICIENT, ""), lag="none", start=None)
    forget(database, 3)
    assert played(1, 1, "e2e4").seq == 0

    with pytest.raises(DisagreementError, match="black could win: it is no draw"):
        verified(database)


@pytest.mark.parametrize(
    ("seats", "rated", "why"),
    [
        ((replace(ADA, level=3), BOB), False, "white is human, with the level 3"),
        ((ADA, replace(BOB, level=0)), False, "black is engine, with the level 0"),
        ((ADA, replace(BOB, level=3)), True, "it is rated, and black plays at level 3"),
    ],
)
def test_only_an_engine_plays_at_a_level_and_never_for_a_rating(seats, rated, why) -> None:
    assert why in said_of(*moves(FOOLS_MATE), end=finished(1, B), seats=seats, rated=rated)


def test_an_unrated_game_against_a_level_agrees(database: Database) -> None:
    seats = (ADA, replace(BOB, level=3))
    keep(database, moves(FOOLS_MATE), finished(1, B), seats=seats)
    assert verified(database) == 4

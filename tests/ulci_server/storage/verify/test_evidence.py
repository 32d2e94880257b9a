"""How a game ended is borne out by what happened in it, and who changes that is found."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from tests.support.facts import NOON, finished, happened, noted
from tests.support.games import keep, moves
from tests.support.tampering import Changes, forget, tamper
from ulci.rules import Reason, Side
from ulci_server.game import EventKind, GameFinished, Happened, MovePlayed
from ulci_server.storage import Database
from ulci_server.storage.verify import DisagreementError, verify_game

W, B = Side
MATE = "f2f3 e7e5 g2g4 d8h4"
NO_CLOCK = {"control": "inf", "lag": "none"}


def happening(seq: int, what: EventKind, side: Side | None = None, **changes: Any) -> Happened:
    return happened(1, seq, what, **({"ply": 2, "side": side} | changes))


def unclocked(text: str) -> list[MovePlayed]:
    """Moves of a game without a clock."""
    return [replace(move, left=None, lag=0) for move in moves(text)]


@dataclass(frozen=True, slots=True)
class Played:
    """A game after its first two moves."""

    end: GameFinished
    steps: list[Happened] = field(default_factory=list)
    moves: list[MovePlayed] = field(default_factory=lambda: moves("e2e4 e7e5"))
    start: dict[str, Any] = field(default_factory=dict)

    def keep(self, database: Database) -> None:
        keep(database, [*self.moves, *self.steps], self.end, **self.start)


RULING = "White (Ada) won by adjudication: resign rule"
AWAY = "White (Ada) did not come back within 60 s"
DRAWN = "White (Ada) left: quit, and Black (Bob) claimed a draw"
FIRST_FLAG = "the flag of White (Ada) fell at ply 1, after 2000 ms"
NO_CLOCK_DECIDES = "both players were gone and there was no clock to decide"
ENDINGS = {
    "mate": Played(finished(1, B), moves=moves(MATE)),
    "resignation": Played(finished(1, B, Reason.RESIGNATION, "White (Ada) resigned")),
    "time": Played(
        finished(1, B, Reason.TIME, "the flag of White (Ada) fell at ply 3, after 1043 ms"),
        moves=moves("e2e4 e7e5", clock=(3000, 0)),
        start={"control": "3+0"},
    ),
    "illegal move": Played(
        finished(1, B, Reason.ILLEGAL_MOVE, "White (Ada) played 'e2e4' in 8/8/8/8/8/8/8/8: no")
    ),
    "away": Played(
        finished(1, B, Reason.DISCONNECT, AWAY),
        [happening(3, EventKind.AWAY, W)],
    ),
    "left": Played(
        finished(1, B, Reason.DISCONNECT, "White (Ada) left: quit"),
        [happening(3, EventKind.LEFT, W, text="quit")],
    ),
    "not back": Played(
        finished(1, B, Reason.DISCONNECT, AWAY),
        [happening(3, EventKind.RESUMED, W), happening(4, EventKind.BACK, B)],
    ),
    "draw for absence": Played(
        finished(1, None, Reason.DISCONNECT, DRAWN),
        [happening(3, EventKind.LEFT, W, text="quit")],
    ),
    "ruling": Played(
        finished(1, W, Reason.ADJUDICATION, RULING), [happening(3, EventKind.RULED, W, text=RULING)]
    ),
    "ruled abort": Played(
        finished(1, None, Reason.ABORTED, "root aborted it: why not"),
        [happening(3, EventKind.RULED, text="root aborted it: why not")],
    ),
    "abort": Played(
        finished(1, None, Reason.ABORTED, "White (Ada) aborted it"), moves=moves("e2e4")
    ),
    "the first flag": Played(
        finished(1, None, Reason.ABORTED, f"{FIRST_FLAG}, and it had made no move"),
        moves=[],
        start={"control": "2+0"},
    ),
    "both gone": Played(
        finished(1, None, Reason.ABORTED, NO_CLOCK_DECIDES),
        [happening(3, EventKind.AWAY, W), happening(4, EventKind.AWAY, B)],
        unclocked("e2e4 e7e5"),
        NO_CLOCK,
    ),
    "agreement": Played(
        finished(1, None, Reason.AGREEMENT, "White (Ada) offered a draw and Black (Bob) accepted"),
        [happening(3, EventKind.DRAW_OFFERED, W)],
    ),
    "server": Played(finished(1, None, Reason.SERVER, "KeyError in the server")),
}


def verified(database: Database) -> int:
    (game,) = database.games.find()
    return verify_game(database, game)


def ends(ending: str) -> tuple[int, Played]:
    """The number of the end, and the game."""
    played = ENDINGS[ending]
    return len(played.moves) + len(played.steps) + 1, played


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_ending_that_is_borne_out_agrees(ending: str, database: Database) -> None:
    _, played = ends(ending)
    played.keep(database)

    assert verified(database) == len(played.moves)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_game_that_ended_before_ends_were_kept_agrees(ending: str, database: Database) -> None:
    seq, played = ends(ending)
    played.keep(database)
    forget(database, seq)

    assert verified(database) == len(played.moves)


OTHERWISE: dict[str, tuple[str, Changes, str]] = {
    "the ruling's winner": ("ruling", {"result": "0-1"}, "the last that happened is white won"),
    "who resigned": ("resignation", {"result": "1-0"}, "the result is white won (resignation"),
    "by what": ("resignation", {"reason": "time"}, "the result is black won (time: "),
    "that it was decided": (
        "illegal move",
        {"result": "1/2-1/2"},
        "the result is nobody won (illegal",
    ),
    "the evidence": ("resignation", {"detail": "so it was"}, "(resignation: so it was)"),
    "that there was evidence": (
        "illegal move",
        {"detail": ""},
        "the result is black won (illegal-move), and",
    ),
    "when": ("server", {"finished_at": NOON - timedelta(days=1)}, "it ended at 2026-11-19 12:00"),
    "a bit when": ("mate", {"finished_at": NOON}, "and the last happened at 2026-11-20 12:00:15"),
}


@pytest.mark.parametrize(
    ("ending", "fault", "why"),
    [
        ("abort", "white", ""),
        ("abort", "", ""),
        ("abort", "black", "by black: black was there, and the evidence is 'White (Ada) aborted"),
        ("abort", "white black", "by white and black: black was there"),
        ("both gone", "white black", ""),
        ("the first flag", "white", ""),
        ("the first flag", "black", "by black: black was there"),
        ("resignation", "white", "by white: it was not aborted"),
        ("ruled abort", "white", "by white: white was there"),
    ],
)
def test_whose_fault_an_abort_was_is_borne_out(
    ending: str, fault: str, why: str, database: Database
) -> None:
    _, played = ends(ending)
    played.keep(database)

    tamper(database, "games", {"fault": fault})

    if not why:
        assert verified(database) == len(played.moves)
        return
    with pytest.raises(DisagreementError) as found:
        verified(database)
    assert why in str(found.value)


@pytest.mark.parametrize(("ending", "changes", "why"), OTHERWISE.values(), ids=OTHERWISE)
def test_a_game_that_says_otherwise_how_it_ended_is_found(
    ending: str, changes: Changes, why: str, database: Database
) -> None:
    _, played = ends(ending)
    played.keep(database)

    tamper(database, "games", changes)

    with pytest.raises(DisagreementError) as found:
        verified(database)
    assert why in str(found.value)


def test_the_end_of_a_game_that_is_said_to_run_is_found(database: Database) -> None:
    _, played = ends("resignation")
    played.keep(database)

    runs = {"status": "running", "result": None, "reason": None, "finished_at": None}
    tamper(database, "games", runs)

    with pytest.raises(DisagreementError, match="it has ended by what happened in it"):
        verified(database)


def test_a_game_that_ends_between_two_questions_agrees(database: Database) -> None:
    _, played = ends("resignation")
    keep(database, played.moves)
    (running,) = database.games.find()
    played.keep(database)

    assert verify_game(database, running) == 2


def test_an_end_after_another_ply_is_found(database: Database) -> None:
    seq, played = ends("resignation")
    played.keep(database)

    tamper(database, "events", {"ply": 1}, seq)

    with pytest.raises(DisagreementError, match="it ended after ply 2, and not after ply 1"):
        verified(database)


@pytest.mark.parametrize("ending", ["ruling", "away", "agreement"])
def test_what_is_missing_before_the_end_is_found(ending: str, database: Database) -> None:
    seq, played = ends(ending)
    played.keep(database)

    forget(database, seq - 1)

    with pytest.raises(DisagreementError, match=f"step {seq - 1} is missing"):
        verified(database)


def test_what_happened_after_the_end_is_found(database: Database) -> None:
    seq, played = ends("ruling")
    played.keep(database)
    database.save(noted([happening(seq + 1, EventKind.AWAY, W)]))

    with pytest.raises(DisagreementError, match="the game had ended"):
        verified(database)


def both(database: Database, seq: int, result: str, reason: str, detail: str) -> None:
    """Somebody thorough: in the game and in its last event."""
    changes = {"result": result, "reason": reason, "detail": detail}
    tamper(database, "games", changes)
    side = {"1-0": 0, "0-1": 1}.get(result)
    tamper(database, "events", {"side": side, "text": f"{reason}: {detail}"}, seq)


FLAG = "the flag of White (Ada) fell at ply 3, after 301043 ms"
RESIGNED = "White (Ada) resigned"
UNTRUE: dict[str, tuple[str, tuple[str, str, str], str]] = {
    "resigned and won": (
        "resignation",
        ("1-0", "resignation", RESIGNED),
        "the evidence is 'White (Ada) resigned' and not 'Black (Bob) resigned'",
    ),
    "time left": (
        "resignation",
        ("0-1", "time", FLAG),
        "the flag of white is said to have fallen: it had 301043 ms, and 3000 ms had passed",
    ),
    "another flag": (
        "time",
        ("0-1", "time", "the flag of Black (Bob) fell at ply 3, after 1043 ms"),
        "and not 'the flag of White (Ada) fell at ply 3,'",
    ),
    "another ply": (
        "time",
        ("0-1", "time", "the flag of White (Ada) fell at ply 5, after 1043 ms"),
        "and not 'the flag of White (Ada) fell at ply 3,'",
    ),
    "an illegal move of the other": (
        "illegal move",
        ("0-1", "illegal-move", "Black (Bob) played 'e2e4' in 8: no"),
        "and not 'White (Ada) played '",
    ),
    "nobody away": ("resignation", ("0-1", "disconnect", AWAY), "white was not away"),
    "the other away": ("away", ("1-0", "disconnect", AWAY), "black was not away"),
    "nobody away and a draw": (
        "resignation",
        ("1/2-1/2", "disconnect", DRAWN),
        "nobody was away whose opponent claimed a draw",
    ),
    "a draw that nobody claimed": (
        "away",
        ("1/2-1/2", "disconnect", AWAY),
        "nobody was away whose opponent claimed a draw",
    ),
    "the ruling's other": (
        "ruling",
        ("0-1", "adjudication", RULING),
        "it was ruled that white won",
    ),
    "the ruling's draw": (
        "ruling",
        ("1/2-1/2", "adjudication", RULING),
        "it was ruled that white won",
    ),
    "the ruling's words": (
        "ruling",
        ("1-0", "adjudication", "root adjudicated it"),
        f"the ruling was '{RULING}'",
    ),
    "no ruling": (
        "resignation",
        ("0-1", "adjudication", RULING),
        "who decided it is not in the record",
    ),
    "aborted late": (
        "resignation",
        ("*", "aborted", "White (Ada) aborted it"),
        "both had moved, and nobody ruled it",
    ),
    "aborted by the flag of who had moved": (
        "time",
        ("*", "aborted", "the flag of White (Ada) fell at ply 3, after 1043 ms"),
        "white had moved",
    ),
    "aborted by another flag": (
        "the first flag",
        ("*", "aborted", "the flag of Black (Bob) fell at ply 1, after 2000 ms"),
        "and not 'the flag of White (Ada) fell at ply 1,'",
    ),
    "aborted with a clock": (
        "away",
        ("*", "aborted", NO_CLOCK_DECIDES),
        "both had moved, and nobody ruled it",
    ),
    "agreed without an offer": (
        "resignation",
        ("1/2-1/2", "agreement", "White (Ada) offered a draw and Black (Bob) accepted"),
        "nobody had a draw on offer",
    ),
    "another offer": (
        "agreement",
        ("1/2-1/2", "agreement", "Black (Bob) offered a draw and White (Ada) accepted"),
        "and not 'White (Ada) offered a draw and '",
    ),
}


@pytest.mark.parametrize(("ending", "end", "why"), UNTRUE.values(), ids=UNTRUE)
def test_an_end_that_nothing_bears_out_is_found(
    ending: str, end: tuple[str, str, str], why: str, database: Database
) -> None:
    seq, played = ends(ending)
    played.keep(database)

    both(database, seq, *end)

    with pytest.raises(DisagreementError) as found:
        verified(database)
    assert why in str(found.value)


def test_who_came_back_was_not_away(database: Database) -> None:
    steps = [happening(3, EventKind.AWAY, W), happening(4, EventKind.BACK, W)]
    end = finished(1, B, Reason.DISCONNECT, AWAY)
    keep(database, [*moves("e2e4 e7e5"), *steps], end)

    with pytest.raises(DisagreementError, match="white was not away"):
        verified(database)


def test_a_ruling_that_is_not_the_last_before_the_end_is_found(database: Database) -> None:
    steps = [happening(3, EventKind.RULED, W, text=RULING), happening(4, EventKind.AWAY, W)]
    keep(database, [*moves("e2e4 e7e5"), *steps], finished(1, W, Reason.ADJUDICATION, RULING))

    with pytest.raises(DisagreementError, match="who decided it is not the last before it"):
        verified(database)

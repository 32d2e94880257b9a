"""What engines said of moves is known until their game is over: more than is in the record."""

from tests.support.facts import NOON, analysed, played
from ulci.rules import Side
from ulci_server.cli.match import MatchSettings, parse
from ulci_server.cli.match.analyses import Analyses, completed
from ulci_server.storage import MoveRecord

WORDS = "-engine cmd=a -engine cmd=b -each tc=10+0.1"

PRINTED = b"""\
info string eval 3
info depth 1 score mate 2 pv e2e4
info depth 2 score mate 1 pv e2e4
info depth 2 score mate 1 pv e2e4
info depth 3 score mate 9
info string eval 4
bestmove e2e4
"""


def analyses(*more: str) -> Analyses:
    asked = parse([*WORDS.split(), *more], 8)
    assert isinstance(asked, MatchSettings)
    return Analyses(asked)


def heard(kept: Analyses) -> None:
    """White of game 7 searches, and moves."""
    output = kept.listener()
    output("game", "white", 7)
    output("said", b"go wtime 100\n")
    output("heard", PRINTED)
    kept.played(played(7, 1, "e2e4", side=Side.WHITE, info=analysed()))


def test_the_last_line_that_matches_a_pattern_is_quoted() -> None:
    kept = analyses("-pgnout", "match_line=eval", "match_line=^info depth 2", "match_line=nothing")
    assert kept.wants_output
    heard(kept)
    said = kept.take(7)[1]
    assert said.quoted == ["info string eval 4", "info depth 2 score mate 1 pv e2e4"]
    assert said.mates == []


def test_every_line_with_a_mate_is_kept_once_if_mates_are_checked() -> None:
    kept = analyses("-check-mate-pvs")
    assert kept.wants_output
    heard(kept)
    assert kept.take(7)[1].mates == [
        "info depth 1 score mate 2 pv e2e4",
        "info depth 2 score mate 1 pv e2e4",
    ]


def test_an_analysis_is_known_without_what_engines_print() -> None:
    kept = analyses()
    assert not kept.wants_output
    info = analysed(seldepth=20)
    kept.played(played(7, 1, "e2e4", info=info))
    kept.played(played(7, 2, "e7e5"))
    said = kept.take(7)
    assert [said[ply].info for ply in (1, 2)] == [info, None]
    assert kept.take(7) == {}


def test_moves_of_the_record_are_completed_where_more_is_known() -> None:
    stored = [
        MoveRecord(7, ply, Side(ply % 2), "e2e4", 10, None, analysed(nodes=ply), at=NOON)
        for ply in (1, 2)
    ]
    kept = analyses()
    kept.played(played(7, 2, "e2e4", info=analysed(nodes=2, hashfull=9)))
    assert [move.info for move in completed(stored, kept.take(7))] == [
        analysed(nodes=1),
        analysed(nodes=2, hashfull=9),
    ]

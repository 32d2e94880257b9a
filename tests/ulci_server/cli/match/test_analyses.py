"""What engines said of moves is known until their game is over: more than is in the record."""

import pytest

from tests.support.facts import NOON, analysed, played
from ulci.rules import Side
from ulci_server.cli.match import MatchSettings, line_patterns, parse
from ulci_server.cli.match import analyses as module
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


def heard(kept: Analyses, *searches: bytes) -> None:
    """White of game 7 of the record, the third of the match, searches and moves."""
    output = kept.listener()
    output("game", "white", 7)
    for ply, printed in enumerate(searches or (PRINTED,), 1):
        output("said", b"go wtime 100\n")
        output("heard", printed)
        kept.played(3, played(7, ply, "e2e4", side=Side.WHITE, info=analysed()))


def test_the_last_line_that_matches_a_pattern_is_quoted() -> None:
    kept = analyses("-pgnout", "match_line=eval", "match_line=^info depth 2", "match_line=nothing")
    assert kept.wants_output
    heard(kept)
    said = kept.take(3)[1]
    assert said.quoted == ["info string eval 4", "info depth 2 score mate 1 pv e2e4"]
    assert said.mates == []


def test_every_line_with_a_mate_is_kept_once_if_mates_are_checked() -> None:
    kept = analyses("-check-mate-pvs")
    assert kept.wants_output
    heard(kept)
    assert kept.take(3)[1].mates == [
        "info depth 1 score mate 2 pv e2e4",
        "info depth 2 score mate 1 pv e2e4",
    ]


def test_an_analysis_is_known_without_what_engines_print() -> None:
    kept = analyses("-pgnout", "seldepth=true")
    assert not kept.wants_output
    info = analysed(seldepth=20)
    kept.played(3, played(7, 1, "e2e4", info=info))
    kept.played(3, played(7, 2, "e7e5"))
    assert {ply: said.info for ply, said in kept.take(3).items()} == {1: info}
    assert kept.take(3) == {}


@pytest.mark.parametrize("words", ["", "-pgnout", "-pgnout min=true seldepth=true"])
def test_of_what_nobody_will_read_nothing_is_kept(words: str) -> None:
    kept = analyses(*words.split())
    kept.played(3, played(7, 1, "e2e4", info=analysed(seldepth=20, pv=())))
    assert kept.games == 0
    variation = analysed(pv=("e2e4",))  # which is checked in every match
    kept.played(3, played(7, 2, "e2e4", info=variation))
    assert kept.take(3)[2].info == variation


def test_a_game_is_dropped_that_nobody_will_read_of() -> None:
    kept = analyses("-check-mate-pvs")
    heard(kept)
    assert kept.games == 1
    kept.drop(3)
    kept.drop(3)
    assert kept.games == 0
    assert kept.take(3) == {}


def test_of_a_game_so_much_is_kept_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_OF_GAME", 2 * len(PRINTED))
    kept = analyses("-pgnout", "seldepth=true", "match_line=eval")
    heard(kept, PRINTED, PRINTED, PRINTED)
    said = kept.take(3)
    assert [len(said[ply].quoted) for ply in (1, 2, 3)] == [1, 1, 0]
    assert said[3].info == analysed()


SLOW = "(a|aa)+$"
"""It takes ages for so many letters with another one after them."""


def test_a_pattern_that_takes_too_long_is_given_up_once_the_game_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(line_patterns, "MOST_SECONDS", 0.5)
    kept = analyses("-pgnout", f"match_line={SLOW}", "match_line=aab")
    bad = b"a" * 100 + b"b"
    heard(kept, b"aaa\n", bad)  # nothing is searched for yet
    said = kept.take(3)
    assert kept.slow == [SLOW]
    assert [said[ply].quoted for ply in (1, 2)] == [["aaa"], [bad.decode()]]
    heard(kept, b"aaa\n")
    assert kept.take(3)[1].quoted == []
    assert kept.slow == [SLOW]


def test_moves_of_the_record_are_completed_where_more_is_known() -> None:
    stored = [
        MoveRecord(7, ply, Side(ply % 2), "e2e4", 10, None, analysed(nodes=ply), at=NOON)
        for ply in (1, 2)
    ]
    kept = analyses("-pgnout", "hashfull=true")
    kept.played(3, played(7, 2, "e2e4", info=analysed(nodes=2, hashfull=9)))
    assert [move.info for move in completed(stored, kept.take(3))] == [
        analysed(nodes=1),
        analysed(nodes=2, hashfull=9),
    ]

"""Facts are kept, whatever players and programs say of themselves."""

from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.facts import NOON, noted, played, reported, started
from ulci.protocol.messages import Bound, Info, Score
from ulci.rules import Side
from ulci_server.game import MovePlayed
from ulci_server.storage import MemoryDatabase, Noted, open_database
from ulci_server.storage.untrusted import LONGEST_PV, LONGEST_REPORT, analysis_untrusted, text

INTS = st.none() | st.integers(-(2**70), 2**70)
SCORES = st.builds(Score, cp=INTS, mate=INTS, bound=st.none() | st.sampled_from(Bound))
WORDS = st.lists(st.text("abcdefgh12345678", min_size=1, max_size=5), max_size=4).map(tuple)
INFOS = st.builds(
    Info, depth=INTS, nodes=INTS, time=INTS, score=st.none() | SCORES, pv=WORDS, seldepth=INTS
)


@given(INFOS, st.text(min_size=1, max_size=8), st.integers(0, 2**40), st.integers(0, 2**40))
def test_whatever_a_program_says_its_move_is_kept(
    info: Info, move: str, spent: int, left: int
) -> None:
    database = MemoryDatabase()
    fact = MovePlayed(1, 0, Side.WHITE, move, spent, left, info)

    database.save([Noted(started(), NOON), Noted(fact, NOON)])

    (kept,) = database.games.moves(1)
    found = kept.info or Info()
    assert (kept.spent, kept.left, found.pv) == (spent, left, info.pv)
    kept.move.encode()
    for said, column in ((info.depth, found.depth), (info.nodes, found.nodes)):
        assert column in (said, None)
    if found.score is not None:
        assert (found.score.cp is None) is not (found.score.mate is None)
        assert info.score is not None
        assert found.score.bound == info.score.bound


@given(st.text(st.characters(codec=None), max_size=30))
def test_any_name_can_be_written_to_a_database(name: str) -> None:
    written = text(name)

    assert "\0" not in written
    written.encode()
    if name.isprintable() and name.isascii():
        assert written == name


@pytest.mark.parametrize(
    ("pv", "kept"),
    [
        ((), None),
        (("e2e4", "e7e5"), "e2e4 e7e5"),
        (("e2e4",) * 2000, " ".join(("e2e4",) * 40)),
        (("x" * LONGEST_PV,), "x" * LONGEST_PV),
        (("x" * (LONGEST_PV - 3), "ab", "c"), "x" * (LONGEST_PV - 3) + " ab"),
        (("x" * (LONGEST_PV - 1), "y"), "x" * (LONGEST_PV - 1)),
        (("x" * (LONGEST_PV + 1), "e2e4"), None),
    ],
)
def test_of_a_long_variation_the_first_whole_moves_are_kept(
    pv: tuple[str, ...], kept: str | None
) -> None:
    assert analysis_untrusted(Info(pv=pv), LONGEST_PV)[-1] == kept


@pytest.mark.parametrize("kind", ["memory:", "sqlite"])
def test_how_much_of_a_variation_is_kept_is_a_setting(kind: str, tmp_path: Path) -> None:
    url = kind if kind == "memory:" else f"sqlite:///{tmp_path}/games.db"
    with closing(open_database(url, longest_pv=9)) as database:
        info = Info(pv=("e2e4", "e7e5", "g1f3"))
        database.save(noted([started(1), played(1, 0, "e2e4", info=info)]))
        [fact] = [fact for fact, _ in database.games.unfinished([1])[0].history]
    assert fact.info.pv == ("e2e4", "e7e5")


def test_nothing_else_that_a_program_says_with_its_move_is_kept_as_text() -> None:
    endless = "x" * 8000
    info = Info(string=endless, currmove=endless, refutation=(endless,) * 3, depth=3)
    assert analysis_untrusted(info, LONGEST_PV) == (None, None, None, 3, None, None, None)


def test_of_a_long_complaint_the_beginning_is_kept() -> None:
    database = MemoryDatabase()
    database.save(noted([started(), reported(1, "no! " * 2000)]))
    [report] = database.games.reports(1)
    assert report.text == ("no! " * 2000)[:LONGEST_REPORT]

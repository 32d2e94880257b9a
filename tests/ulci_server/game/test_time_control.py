"""The notation of time controls: what is read, what is refused, and how it is written back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci.rules import Side
from ulci_server.game import (
    Bonus,
    ByoYomi,
    Control,
    ControlError,
    Controls,
    Correspondence,
    Hourglass,
    Limit,
    Stage,
    Staged,
)
from ulci_server.game import time_control as notation


def staged(*stages: Stage) -> Staged:
    return Staged(stages)


READ = [
    ("300+3", staged(Stage(300_000, 3_000))),
    ("300", staged(Stage(300_000))),
    ("0.5+0.05", staged(Stage(500, 50))),
    ("40/300+2", staged(Stage(300_000, 2_000, moves=40))),
    (
        "40/5400+30:20/3600+30:900+30",
        staged(
            Stage(5_400_000, 30_000, moves=40),
            Stage(3_600_000, 30_000, moves=20),
            Stage(900_000, 30_000),
        ),
    ),
    ("40/7200:0+30", staged(Stage(7_200_000, moves=40), Stage(0, 30_000))),
    ("40/7200d5:3600d5", staged(
        Stage(7_200_000, 5_000, Bonus.DELAY, 40), Stage(3_600_000, 5_000, Bonus.DELAY)
    )),
    ("60d2", staged(Stage(60_000, 2_000, Bonus.DELAY))),
    ("0d10", staged(Stage(0, 10_000, Bonus.DELAY))),
    ("60b2", staged(Stage(60_000, 2_000, Bonus.BRONSTEIN))),
    ("600/5x30", ByoYomi(600_000, 5, 30_000)),
    ("0/5x30", ByoYomi(0, 5, 30_000)),
    ("60h", Hourglass(60_000)),
    ("3days", Correspondence(3)),
    ("1day", Correspondence(1)),
    ("movetime=1000", Limit("movetime", 1000)),
    ("depth=8", Limit("depth", 8)),
    ("nodes=10000", Limit("nodes", 10_000)),
    ("mate=3", Limit("mate", 3)),
    ("inf", Limit("infinite")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "control"), READ)
def test_every_kind_is_read_and_written_back(text: str, control: Control) -> None:
    assert Controls.parse(text) == Controls(control, control)
    assert str(Controls.parse(text)) == text


def test_odds_are_whites_then_blacks() -> None:
    controls = Controls.parse("300+3|depth=4")
    assert controls[Side.WHITE] == controls.white == staged(Stage(300_000, 3_000))
    assert controls[Side.BLACK] == controls.black == Limit("depth", 4)
    assert str(controls) == "300+3|depth=4"


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("300+0", "300"),
        ("300d0", "300"),
        ("300.000+3.50", "300+3.5"),
        ("007", "7"),
        ("1days", "1day"),
        ("2day", "2days"),
        ("60+1|60+1.0", "60+1"),
    ],
)
def test_what_means_the_same_is_written_the_same(text: str, canonical: str) -> None:
    assert str(Controls.parse(text)) == canonical


@pytest.mark.parametrize(
    ("text", "column", "found", "expected"),
    [
        ("", 1, "", "a time in seconds, a number of moves and '/', inf, or one of movetime="),
        ("blitz", 1, "blitz", "a time in seconds"),
        ("Inf", 1, "Inf", "inf"),
        ("infx", 1, "infx", "inf"),
        ("300+", 5, "", "a time in seconds"),
        ("300+x", 5, "x", "a time in seconds"),
        ("300 + 3", 4, " ", "or the end"),
        ("60\n", 3, "\n", "or the end"),
        ("1e3", 2, "e", "'+', 'd' or 'b' and a time in seconds, "),
        ("40/", 4, "", "a time in seconds"),
        ("0/300", 1, "0", "the moves of a session, a whole number from 1 to 1000"),
        ("40.5/300", 1, "40.5", "the moves of a session, a whole number"),
        ("0", 1, "0", "a time above 0 in seconds from 0.001 to 2073600"),
        ("0+3", 1, "0", "a time above 0"),
        ("0b3", 1, "0", "a time above 0"),
        ("0d0", 1, "0", "a time above 0"),
        ("60.0005", 1, "60.0005", "at most three decimals"),
        ("2073600.001", 1, "2073600.001", "from 0.001 to 2073600"),
        ("60+86400.001", 4, "86400.001", "the time in seconds from 0 to 86400"),
        ("300:60", 4, ":", "only the last stage may be without a number of moves"),
        ("40/300:", 8, "", "the next stage"),
        ("40/300:0", 8, "0", "a time above 0"),
        ("1/1:" * 8 + "1", 32, ":", "at most 8 stages"),
        ("40/5x", 6, "", "the time of a period"),
        ("40/0x5", 4, "0", "the periods, a whole number from 1 to 100"),
        ("40/5x0", 6, "0", "the time of a period in seconds from 0.001 to 86400"),
        ("600/5x30:60", 9, ":", "'|' and Black's control, or the end"),
        ("0h", 1, "0", "the time of an hourglass"),
        ("60hh", 4, "h", "'|' and Black's control, or the end"),
        ("25days", 1, "25", "the days for a move, a whole number from 1 to 24"),
        ("1.5days", 1, "1.5", "the days for a move"),
        ("depth", 6, "", "'=' and a number"),
        ("depth=x", 7, "x", "depth"),
        ("depth=0", 7, "0", "depth, a whole number from 1 to 1000"),
        ("movetime=1.5", 10, "1.5", "movetime in ms, a whole number from 1 to 2073600000"),
        ("60|", 4, "", "a time in seconds"),
        ("60|60|60", 6, "|", "'+', 'd' or 'b' and a time in seconds, or the end"),
        ("60|60+1|60", 8, "|", "the end"),
        ("4+4d", 4, "d", "'|' and Black's control, or the end"),
        ("40/4+4+4", 7, "+", "':' and the next stage, '|' and Black's control, or the end"),
        ("60|60h", 4, "60", "an hourglass for both sides, or for neither"),
        ("60h|60", 5, "60", "an hourglass for both sides, or for neither"),
    ],
)
def test_a_fault_is_named_with_its_column(
    text: str, column: int, found: str, expected: str
) -> None:
    with pytest.raises(ControlError) as caught:
        Controls.parse(text)
    error = caught.value
    assert (error.column, error.found) == (column, found)
    assert expected in error.expected
    assert str(error) == (
        f"time control {text!r}, column {column}: expected {error.expected},"
        f" found {repr(found) if found else 'the end'}"
    )


amounts = st.integers(1, notation.LONGEST_BONUS)
bases = st.integers(1, notation.LONGEST_TIME)
bonuses = st.one_of(st.just((0, Bonus.FISCHER)), st.tuples(amounts, st.sampled_from(Bonus)))
sessions = st.builds(
    lambda base, bonus, moves: Stage(base, *bonus, moves),
    bases, bonuses, st.integers(1, notation.MOST_MOVES),
)  # fmt: skip
rests = st.builds(lambda base, bonus: Stage(base, *bonus), bases, bonuses)
limits = st.sampled_from(sorted(notation.LIMITS)).flatmap(
    lambda name: st.builds(Limit, st.just(name), st.integers(1, notation.LIMITS[name]))
)
upright: st.SearchStrategy[Control] = st.one_of(
    st.builds(
        lambda stages, rest: Staged((*stages, rest)),
        st.lists(sessions, max_size=notation.MOST_STAGES - 1),
        st.one_of(sessions, rests),
    ),
    st.builds(
        ByoYomi,
        st.integers(0, notation.LONGEST_TIME),
        st.integers(1, notation.MOST_PERIODS),
        amounts,
    ),
    st.builds(Correspondence, st.integers(1, 24)),
    limits,
    st.just(Limit("infinite")),
)
controls = st.one_of(
    st.builds(Controls, upright, upright),
    upright.map(lambda control: Controls(control, control)),
    st.builds(Controls, st.builds(Hourglass, bases), st.builds(Hourglass, bases)),
)


@given(controls)
def test_whatever_can_be_agreed_is_read_back_as_it_was_written(agreed: Controls) -> None:
    assert Controls.parse(str(agreed)) == agreed
    assert " " not in str(agreed)


def fault(text: str) -> ControlError | None:
    """Why the text cannot be read; None if it can."""
    try:
        Controls.parse(text)
    except ControlError as error:
        return error
    return None


@given(st.text(alphabet="0123456789./+dbhx:|= aysinfmtevolpk\n", max_size=30) | st.text())
def test_any_text_is_read_or_refused_at_a_column_of_it(text: str) -> None:
    if error := fault(text):
        assert 1 <= error.column <= len(text) + 1
        assert text[error.column - 1 :].startswith(error.found)
    else:
        assert fault(str(Controls.parse(text))) is None

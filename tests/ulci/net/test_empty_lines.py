"""Empty lines to a program: how many, and until it complains."""

from ulci.net.empty_lines import A_SECOND, AT_ONCE, COMPLAINTS, LINES, EmptyLines


def send(lines: EmptyLines, number: int, at: float = 0.0) -> int:
    """How many of so many were sent."""
    return sum(lines.send(at) for _ in range(number))


def complain(lines: EmptyLines, number: int) -> int:
    """How many of so many unknown lines may be complaints."""
    return sum(lines.complained() for _ in range(number))


def test_an_unknown_line_before_the_first_of_them_is_no_complaint() -> None:
    lines = EmptyLines(0.0)
    assert complain(lines, 2 * COMPLAINTS) == 0
    assert send(lines, 1) == 1


def test_who_complains_of_each_gets_no_more() -> None:
    lines = EmptyLines(0.0)
    for _ in range(COMPLAINTS):
        assert send(lines, 1) == 1
        assert complain(lines, 1) == 1
    assert send(lines, 1, at=3600.0) == 0


def test_whose_complaints_come_after_its_search_gets_no_more() -> None:
    lines = EmptyLines(0.0)
    assert send(lines, 40) == 40
    assert complain(lines, 40) == 40
    assert send(lines, 1) == 0


def test_a_stray_unknown_line_now_and_then_changes_nothing() -> None:
    lines = EmptyLines(0.0)
    for _ in range(10):
        assert send(lines, 10) == 10
        assert complain(lines, 1) == 1
    assert send(lines, 1) == 1


def test_a_complaint_may_be_a_help_text_but_is_not_endless() -> None:
    lines = EmptyLines(0.0)
    assert send(lines, 2) == 2
    assert complain(lines, 10 * LINES) == 2 * LINES


def test_a_complaint_that_is_not_recognised_is_not_answered_for_ever() -> None:
    lines = EmptyLines(0.0)
    assert send(lines, 10 * AT_ONCE) == AT_ONCE
    assert send(lines, 10 * A_SECOND, at=1.0) == A_SECOND

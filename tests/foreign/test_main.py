"""The one command for foreign programs leaves nothing out, and says what is wrong with figures."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.foreign import __main__ as command
from tests.foreign.judge import Verdict
from tests.foreign.programs import ENGINES, VARIANTS, WAYS
from tests.variants.reference import KINDS

README = Path(__file__).parents[1] / "README.md"

WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def test_every_engine_line_and_variant_has_a_course():
    names = [course.name for course in command.small_courses()]
    names += [command.PLAIN_COURSE.name, command.BRIDGE_COURSE.name]
    assert len(names) == len({*names})
    assert {f"against {name}" for name in ENGINES if name != "stockfish"} <= {*names}
    assert {*WAYS} - {"socat", "bridge"} <= {*names}
    assert {*VARIANTS} <= {*names}


def test_what_is_said_of_it_claims_no_more_engines_and_variants_than_there_are():
    missing = {*KINDS} - {*VARIANTS, "chess"}
    variants = f"every variant but {' and '.join(sorted(missing))}"
    readme = README.read_text()
    [section] = re.findall(r"-m tests\.foreign.*?```\n(.*?)\n\n##", readme, re.DOTALL)
    said = " ".join(section.split())
    assert f"{WORDS[len(ENGINES)]} engines by plain" in said
    assert variants in said
    assert variants in " ".join(command.__doc__.split())


@pytest.mark.parametrize(
    ("verdict", "told"),
    [
        (Verdict(beyond=[0.5, 1.9, 40.0]), []),
        (Verdict(beyond=[2.5, 2.5, 0.0]), ["x: 2.50 ms a ply are charged beyond thinking"]),
        (Verdict(flags=2, oversteps=2), []),
        (
            Verdict(flags=2, oversteps=1),
            ["x: 1 games were lost on time that the engine had not used"],
        ),
        (Verdict(plies=99, clocked=0), []),
        (Verdict(plies=10, clocked=10, beyond=[0.5] * 10), []),
        (Verdict(plies=10, clocked=10, beyond=[0.5] * 5), ["x: only 5 of 10 plies were timed"]),
        (Verdict(plies=10, clocked=10), ["x: only 0 of 10 plies were timed"]),
    ],
)
def test_what_a_line_costs_is_told_where_it_is_too_much(verdict, told):
    assert [*command.figures("x", verdict)] == told


def run(monkeypatch: pytest.MonkeyPatch, thought: dict[str, float], complaint: str = "") -> str:
    """The command, where each course has that verdict; what it prints, and its exit code."""

    async def play(course, time, games, folder):
        if course.name == complaint:
            raise AssertionError("waited in vain")
        timed = [thought[course.name]] if course.name in thought else []
        return Verdict(games=games, plies=1, clocked=1, thought=timed, beyond=[0.0 for _ in timed])

    monkeypatch.setattr(command, "play", play)
    asked = ["--games", "2", "--only", "plain lines", "--only", "bridges"]
    done = CliRunner().invoke(command.main, asked)
    return f"{done.output.splitlines()[-1]} [{done.exit_code}]"


@pytest.mark.parametrize(
    ("plain", "end"),
    [
        (20.5, "nothing is wrong [0]"),
        (17.0, "plain lines: thinking a ply is 0.850 of the bridges' [1]"),
        (23.0, "plain lines: thinking a ply is 1.150 of the bridges' [1]"),
    ],
)
def test_plain_lines_leave_as_much_time_to_think_as_the_bridge(monkeypatch, plain, end):
    assert run(monkeypatch, {"plain lines": plain, "bridges": 20.0}) == end


def test_a_course_that_does_not_end_is_told_and_the_others_go_on(monkeypatch):
    told = run(monkeypatch, {"plain lines": 20.0, "bridges": 20.0}, complaint="bridges")
    assert told == "bridges: waited in vain [1]"


def test_a_command_whose_stopwatches_saw_nothing_does_not_say_that_nothing_is_wrong(monkeypatch):
    assert run(monkeypatch, {}) == "bridges: only 0 of 1 plies were timed [1]"

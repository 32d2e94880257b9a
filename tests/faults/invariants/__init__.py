"""What must hold after everything that was done to lines, programs and disks.

The evidence is what passed at the server's end of every line (`record`), and what is in SQL.

* `chronicle`: every game as its players and watchers were told of it.
* `history`: the same game as SQL has it, state by state; `places`: who was told of which.
* `case`: the evidence and the rules by which it is judged.
* `moves`, `results`, `clocks`: the invariants of a game. Each is a function of case and story.
  `flags`: the one of losses on time.
* `log`, `leaks`, `verified`: those of a whole run.
"""

from collections.abc import Iterator

from .case import Case, Trouble
from .chronicle import Chronicle, Story, Violation
from .clocks import CLOCKS, charged, moves_cost_what_they_took
from .leaks import Sample, leaks, rows, rows_left, tasks_left
from .log import fenced, loop_was_held, unexpected_errors, untimely_errors
from .moves import MOVES
from .results import RESULTS, given_up, left_in_the_dark
from .verified import disagreements


def judge(case: Case) -> Iterator[Violation]:
    """All that must not have happened in any game."""
    yield from case.chronicle.violations
    for story in case.chronicle.stories.values():
        if story.record is None:
            yield from _not_stored(story)
            continue
        for check in (*MOVES, *RESULTS, *CLOCKS):
            yield from check(case, story)
    yield from moves_cost_what_they_took(case)


def _not_stored(story: Story) -> Iterator[Violation]:
    """That it begins is told at once, but nobody may be asked to play what is not stored."""
    for name in story.told:
        if story.events(name, "go"):
            yield Violation("not stored", story.game, name, "was asked to play")


__all__ = [
    "Case",
    "Chronicle",
    "Sample",
    "Trouble",
    "Violation",
    "charged",
    "disagreements",
    "fenced",
    "given_up",
    "judge",
    "leaks",
    "left_in_the_dark",
    "loop_was_held",
    "rows",
    "rows_left",
    "tasks_left",
    "unexpected_errors",
    "untimely_errors",
]

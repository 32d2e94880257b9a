"""Who plays whom next, and when a match is over. Pure.

* `schedule`: the games of a round robin or gauntlet, by their numbers.
* `progress`: which of them are finished, what is to be played next, and what is known so far.

Nothing here is stored: a schedule follows from its settings, progress from the games' results.
"""

from .progress import Progress
from .schedule import Format, Schedule, ScheduledGame, ScheduleError

__all__ = ["Format", "Progress", "Schedule", "ScheduleError", "ScheduledGame"]

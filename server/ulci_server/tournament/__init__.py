"""Who plays whom next, and when a match is over. Pure.

* `schedule`: the games of a round robin or gauntlet, by their numbers.
* `progress`: which of them are finished, what is to be played next, and what is known so far.
* `course`: how the answer changed as games were played, in so many points at most.
* `standings`: what people are shown; a format of its own gives the same view of itself.

Nothing here is stored: a schedule follows from its settings, progress from the games' results.
"""

from .course import Course, CoursePoint
from .progress import Progress
from .schedule import Encounter, Format, Schedule, ScheduledGame, ScheduleError
from .standings import MatchStandings, RunningTest, Standings, StandingsEntry, StandingsSource

__all__ = [
    "Course",
    "CoursePoint",
    "Encounter",
    "Format",
    "MatchStandings",
    "Progress",
    "RunningTest",
    "Schedule",
    "ScheduleError",
    "ScheduledGame",
    "Standings",
    "StandingsEntry",
    "StandingsSource",
]

"""Who plays whom next, and when a match or tournament is over. Pure.

Of a match, whose games are known from its settings:

* `schedule`: the games of a round robin or gauntlet, by their numbers.
* `progress`: which of them are finished, what is to be played next, and what is known so far.
* `course`: how the answer changed as games were played, in so many points at most.

Of a tournament over the net, whose entrants come and go:

* `settings`: what its TOML text says, and all that is wrong with it. `timetable`: when it begins.
* `records`: what its rows say. `state`: what has happened, from those rows. `counting`: games and
  pairs of games.
* `formats`: who meets whom, a module each. `ties`: the figures that break ties.
* `tournament`: what is due, and who leads.
* `trf`: a report that other pairing programs read.

* `standings`: what people are shown of both; `spreadsheet`: the same as CSV.

Nothing here is stored. A match follows from its settings and its games' results; a tournament from
its settings, its seed, the rows of its entrants and pairings, and its games' results.
"""

from .course import Course, CoursePoint
from .formats import PairingRequest
from .progress import Progress
from .records import Entrant, GameResult, Pairing
from .schedule import Encounter, Format, Schedule, ScheduledGame, ScheduleError
from .settings import (
    EntrantSettings,
    TournamentErrors,
    TournamentFormat,
    TournamentSettings,
    faults_of,
    parse_tournament,
)
from .standings import MatchStandings, RunningTest, Standings, StandingsEntry, StandingsSource
from .timetable import Timetable
from .tournament import Tournament, pair

__all__ = [
    "Course",
    "CoursePoint",
    "Encounter",
    "Entrant",
    "EntrantSettings",
    "Format",
    "GameResult",
    "MatchStandings",
    "Pairing",
    "PairingRequest",
    "Progress",
    "RunningTest",
    "Schedule",
    "ScheduleError",
    "ScheduledGame",
    "Standings",
    "StandingsEntry",
    "StandingsSource",
    "Timetable",
    "Tournament",
    "TournamentErrors",
    "TournamentFormat",
    "TournamentSettings",
    "faults_of",
    "pair",
    "parse_tournament",
]

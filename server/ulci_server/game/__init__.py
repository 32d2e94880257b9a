"""What has happened in one game? Pure: events in, effects out.

`Game.handle(event)` returns the effects in the order in which they are to be performed; it never
asks what time it is, every event carries `at` (seconds on the shell's monotonic clock). Clocks are
whole milliseconds: time spent is rounded down in the player's favour, so that what is left, spent
and added sums up exactly in the record.

    preparing   both get options, ``ucinewgame`` and ``isready``; who is never ready aborts it
    playing     a move is noted, settled (durable), and only then told; then the other clock starts;
                until both have moved nobody loses by time or by leaving: that aborts the game
    over        one `GameFinished`, and nothing more

* `events`: all that can happen and be asked for; `facts`: what storage keeps.
* `control`: the notation of time controls; `halves`: how one side's time runs under each kind;
  `clock`: the two together.
* `lag`: what is given back of the time that the network took.
* `game`: the one face of it all; `preparing` and `playing`: its phases, each a table of what an
  event means in it; `scene`: what both know.
* `play`: who was asked, and what is on offer; `words`: what players agree on, claim and give;
  `absences`: who comes and goes.
* `line`: the moves that stand, which can be taken back; `rebuild`: a game from its facts alone.
* `adjudication`: when a pool's games are decided before they are over.
* `presence`: who is away and until when; `endings`: every way to end; `telling`: the words.
"""

from .clock import Clock, Pressed
from .control import (
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
from .endings import Ending
from .events import (
    AbortSaid,
    Alarm,
    Announce,
    Answered,
    Away,
    Back,
    Cast,
    ClaimSaid,
    ClockStarted,
    Dismiss,
    DrawSaid,
    Effect,
    Event,
    Greet,
    Hindered,
    Left,
    Moved,
    Note,
    Paused,
    Ready,
    Resigned,
    Ruled,
    SentAway,
    ServerFailed,
    Settle,
    Show,
    Stalled,
    StartClock,
    TakebackRuled,
    TakebackSaid,
    Tell,
    TimeGiven,
    TimeRuled,
)
from .facts import (
    Beaten,
    Fact,
    GameFinished,
    GameStarted,
    Happened,
    Kind,
    MovePlayed,
    Reported,
    Seat,
    What,
)
from .game import Game, Phase
from .lag import UNMEASURED, LagQuota, LagRule, RoundTrips
from .line import ContradictionError, Line
from .rebuild import OF_THE_MOVER, Rebuilt, rebuild
from .scene import Patience, Setup

__all__ = [
    "OF_THE_MOVER",
    "UNMEASURED",
    "AbortSaid",
    "Alarm",
    "Announce",
    "Answered",
    "Away",
    "Back",
    "Beaten",
    "Bonus",
    "ByoYomi",
    "Cast",
    "ClaimSaid",
    "Clock",
    "ClockStarted",
    "ContradictionError",
    "Control",
    "ControlError",
    "Controls",
    "Correspondence",
    "Dismiss",
    "DrawSaid",
    "Effect",
    "Ending",
    "Event",
    "Fact",
    "Game",
    "GameFinished",
    "GameStarted",
    "Greet",
    "Happened",
    "Hindered",
    "Hourglass",
    "Kind",
    "LagQuota",
    "LagRule",
    "Left",
    "Limit",
    "Line",
    "MovePlayed",
    "Moved",
    "Note",
    "Patience",
    "Paused",
    "Phase",
    "Pressed",
    "Ready",
    "Rebuilt",
    "Reported",
    "Resigned",
    "RoundTrips",
    "Ruled",
    "Seat",
    "SentAway",
    "ServerFailed",
    "Settle",
    "Setup",
    "Show",
    "Stage",
    "Staged",
    "Stalled",
    "StartClock",
    "TakebackRuled",
    "TakebackSaid",
    "Tell",
    "TimeGiven",
    "TimeRuled",
    "What",
    "rebuild",
]

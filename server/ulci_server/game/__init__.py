"""What has happened in one game? Pure: events in, effects out.

`Game.handle(event)` returns the effects in the order in which they are to be performed; it never
asks what time it is, every event carries `at` (seconds on the shell's monotonic clock). Clocks are
whole milliseconds: time spent is rounded down in the player's favour, so that what is left, spent
and added sums up exactly in the record.

    preparing   both get options, ``ucinewgame`` and ``isready``; who is never ready aborts it
    playing     a move is noted, settled (durable), and only then told; then the other clock starts
    over        one `GameFinished`, and nothing more

* `events`: all that can happen and be asked for; `facts`: what storage keeps.
* `control`: the notation of time controls; `halves`: how one side's time runs under each kind;
  `clock`: the two together.
* `game`: the one face of it all; `preparing` and `playing`: its phases, each a table of what an
  event means in it; `scene`: what both know.
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
    ClockStarted,
    Dismiss,
    DrawSaid,
    Effect,
    Event,
    Left,
    Moved,
    Note,
    Ready,
    Resigned,
    ServerFailed,
    Settle,
    Show,
    Stalled,
    StartClock,
    Tell,
)
from .facts import Fact, GameFinished, GameStarted, Kind, MovePlayed, Reported, Seat
from .game import Game, Phase
from .scene import Patience, Setup

__all__ = [
    "AbortSaid",
    "Alarm",
    "Announce",
    "Answered",
    "Away",
    "Back",
    "Bonus",
    "ByoYomi",
    "Clock",
    "ClockStarted",
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
    "Hourglass",
    "Kind",
    "Left",
    "Limit",
    "MovePlayed",
    "Moved",
    "Note",
    "Patience",
    "Phase",
    "Pressed",
    "Ready",
    "Reported",
    "Resigned",
    "Seat",
    "ServerFailed",
    "Settle",
    "Setup",
    "Show",
    "Stage",
    "Staged",
    "Stalled",
    "StartClock",
    "Tell",
]

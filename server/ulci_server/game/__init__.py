"""The state of one game. Pure: events in, effects out.

`Game.move(answered)` judges an ordinary move in one call and returns one value, a `Turn`: the fact,
whom to ask next, what others are shown; `Game.handed_over` then starts the clock. All else is an
event: `Game.handle(event)` returns the effects in the order in which they are to be performed. The
game never asks what time it is, every event carries `at` (s on the shell's monotonic clock). Clocks
are whole milliseconds: time spent is rounded down in the player's favour, so that what is left,
spent and added sums up exactly in the record.

    preparing     both get options, ``ucinewgame`` and ``isready``; who is never ready aborts it
    in progress   a move is noted, settled (durable), and only then told; then the other clock
                  starts; until both have moved nobody loses by time or by leaving: that aborts it
    over          one `GameFinished`, and nothing more

* `events`: all that can happen and be asked for; `facts`: what storage keeps.
* `control`: the notation of time controls; `side_clock`: how one side's time runs under each kind;
  `clock`: the two together.
* `lag`: what is given back of the time that the network took.
* `game`: the one face of it all; `preparing` and `in_progress`: its phases, each a table of what an
  event means in it; `context`: what both share.
* `offers`: draws, takebacks, claims and gifts of time; `absences`: who leaves and comes back;
  `presence`: who is away and until when.
* `move_list`: the moves that stand, which can be taken back; `rebuild`: a game from its facts.
* `adjudication`: when a pool's games are decided before they are over.
* `endings`: every way to end; `notices`: what players and watchers are told; `scanner`: the reader
  of the notation.
"""

from .clock import Clock, Pressed
from .context import Setup, Timeouts
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
    Dismiss,
    DrawSaid,
    Effect,
    Event,
    Greet,
    Hindered,
    Judged,
    Kicked,
    Left,
    Note,
    Paused,
    Ready,
    Resigned,
    Ruled,
    ServerFailed,
    Settle,
    Show,
    StartClock,
    TakebackRuled,
    TakebackSaid,
    Tell,
    TimeGiven,
    TimeRuled,
    Turn,
)
from .facts import (
    EventKind,
    Fact,
    GameFinished,
    GameStarted,
    Happened,
    Heartbeat,
    Kind,
    MovePlayed,
    Reported,
    Seat,
)
from .game import Game, Phase
from .lag import UNMEASURED, LagQuota, LagRule, RoundTrips
from .move_list import ContradictionError, MoveList
from .rebuild import OF_THE_MOVER, Rebuilt, rebuild

__all__ = [
    "OF_THE_MOVER",
    "UNMEASURED",
    "AbortSaid",
    "Alarm",
    "Announce",
    "Answered",
    "Away",
    "Back",
    "Bonus",
    "ByoYomi",
    "Cast",
    "ClaimSaid",
    "Clock",
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
    "EventKind",
    "Fact",
    "Game",
    "GameFinished",
    "GameStarted",
    "Greet",
    "Happened",
    "Heartbeat",
    "Hindered",
    "Hourglass",
    "Judged",
    "Kicked",
    "Kind",
    "LagQuota",
    "LagRule",
    "Left",
    "Limit",
    "MoveList",
    "MovePlayed",
    "Note",
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
    "ServerFailed",
    "Settle",
    "Setup",
    "Show",
    "Stage",
    "Staged",
    "StartClock",
    "TakebackRuled",
    "TakebackSaid",
    "Tell",
    "TimeGiven",
    "TimeRuled",
    "Timeouts",
    "Turn",
    "rebuild",
]

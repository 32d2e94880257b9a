"""The state of one game. Pure: events in, effects out.

`Game.move(answered)` judges an ordinary move in one call and returns one value, a `Turn`: the fact,
the side to ask next, and what spectators see; `Game.handed_over` then starts the clock. All else is
an event: `Game.handle(event)` returns the effects in the order in which to perform them. The game
never reads a clock: every event carries `at` (s on the shell's monotonic clock). Clocks are whole
milliseconds: time spent is rounded down in the player's favour, so that the times left, spent and
added sum up exactly in the record.

    preparing     both get options, ``ucinewgame`` and ``isready``; no ``readyok`` aborts the game
    in progress   a move is noted, settled (durable), and only then sent; then the other clock
                  starts; until both have moved, a flag or a departure aborts the game: no loss,
                  unless the game's conduct says otherwise
    over          one `GameFinished`, and nothing more

* `events`: events and effects; `facts`: what storage keeps.
* `time_control`: the notation of time controls; `side_clock`: how one side's time runs under each
  kind; `clock`: the two together; `spans`: delays that are given back, each
  moment once.
* `lag`: compensation for time lost in the network.
* `game`: the interface of a game; `preparing` and `in_progress`: its phases, each a table of
  handlers by event; `context`: the state that both share.
* `conduct`: what players may do, and what counts against them.
* `offers`: draws, takebacks, claims and gifts of time; `absence_handlers`: players who leave and
  come back; `played_game`: the interface of a game in progress for both; `presence`: who is away
  and until when; `timeouts`: how long a player may be away, or take to get ready.
* `move_list`: the moves made and not taken back; `rebuild`: a game from its facts.
* `adjudication`: the rules that end a pool's games early.
* `endings`: every way to end; `notices`: lines for players and spectators; `scanner`: the reader of
  the notation; `speed`: kinds of time, for lists.

A new command of players to their game: see `ulci.protocol.lobby`. Its handler is in `offers`, or in
`in_progress` if it ends the game; before the first move it comes too early, unless `preparing` has
a row for it. One that a `Conduct` may forbid is a row of `notices.FORBIDDEN`, too.
"""

from .clock import Clock
from .conduct import Conduct, ConductError
from .events import (
    Answered,
    Away,
    Back,
    Commanded,
    Event,
    Hindered,
    Kicked,
    Left,
    Ready,
    Ruled,
    TakebackRuled,
    TimeRuled,
)
from .facts import (
    WORTH_NOTING,
    WRITES_LATE,
    EncounterBegun,
    EventKind,
    Fact,
    GameFinished,
    GameStarted,
    Happened,
    Heartbeat,
    Kind,
    MovePlayed,
    Released,
    Reported,
    Seat,
)
from .game import Game, Phase
from .lag import LagQuota, LagRule
from .move_list import ContradictionError, MoveList
from .rebuild import OF_THE_MOVER, Rebuilt, rebuild
from .spans import Span, Spans
from .time_control import (
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
from .timeouts import Timeouts

__all__ = [
    "OF_THE_MOVER",
    "WORTH_NOTING",
    "WRITES_LATE",
    "Answered",
    "Away",
    "Back",
    "Bonus",
    "ByoYomi",
    "Clock",
    "Commanded",
    "Conduct",
    "ConductError",
    "ContradictionError",
    "Control",
    "ControlError",
    "Controls",
    "Correspondence",
    "EncounterBegun",
    "Event",
    "EventKind",
    "Fact",
    "Game",
    "GameFinished",
    "GameStarted",
    "Happened",
    "Heartbeat",
    "Hindered",
    "Hourglass",
    "Kicked",
    "Kind",
    "LagQuota",
    "LagRule",
    "Left",
    "Limit",
    "MoveList",
    "MovePlayed",
    "Phase",
    "Ready",
    "Rebuilt",
    "Released",
    "Reported",
    "Ruled",
    "Seat",
    "Span",
    "Spans",
    "Stage",
    "Staged",
    "TakebackRuled",
    "TimeRuled",
    "Timeouts",
    "rebuild",
]

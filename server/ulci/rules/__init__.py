"""What is legal, and who has won? Pure; shared by server and client.

A game is a row of `GAMES`: its `Rules` make `Position`s, a `Position` plays a move or says why not,
knows who is to move, and when the game is over and why. The turn always comes from here, never from
the parity of the move count.

A game whose rules are not here is told by others how it stands: `refereed`.
"""

from .games import GAMES
from .outcome import Outcome, Reason, Side
from .position import Illegal, Legal, Needs, Over, Position, Rules, Size, StartError, Verdict

__all__ = [
    "GAMES",
    "Illegal",
    "Legal",
    "Needs",
    "Outcome",
    "Over",
    "Position",
    "Reason",
    "Rules",
    "Side",
    "Size",
    "StartError",
    "Verdict",
]

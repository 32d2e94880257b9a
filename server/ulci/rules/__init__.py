"""The rules of games: legal moves and outcomes. Pure; shared by server and client.

A game is a row of `GAME_TABLE`: its `Rules` create `Position`s. A `Position` plays a move or
explains why it is illegal; it knows whose turn it is, when the game is over, and why. The turn
always comes from here, never from the parity of the move count.

* `games`: the table of games. `position`: the interface of a game.
* `outcome`: sides, results, and the table of reasons.
* `chess`, `liberty`, `mnk`: games with rules here. `refereed`: games that a referee judges.
* `starts`: starts from which a game can be played.
* `checkpoints`: back to an earlier ply without a replay of the game. `pgn`: a game as PGN.
  `text`: quotes and counts in sentences, moves as people type them.
"""

from .games import GAME_TABLE, GAMES, game_title
from .outcome import UNDECIDED, Evidence, Outcome, Reason, Side, reason_in_english
from .position import Illegal, Legal, Needs, Over, Position, Rules, Size, StartError, Verdict

__all__ = [
    "GAMES",
    "GAME_TABLE",
    "UNDECIDED",
    "Evidence",
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
    "game_title",
    "reason_in_english",
]

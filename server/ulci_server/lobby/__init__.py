"""Who waits for whom? Pure: pools and seeks in, pairings out.

* `player`: what a client declared of itself, and what it can therefore be given.
* `names`: what people take a name for.
* `pools`: the standing offers of the configuration; whoever does nothing else waits in one.
* `starts`: where the games of the pools begin, and what two pools have in common.
* `wish`, `terms`, `book`: what one player would play, said or implied, and which two agree.
* `members`, `challenges`: who is here under what name, and who asked whom for a game.
* `pairing`, `history`: who takes which side; colours alternate, an immediate rematch is avoided
  while someone else waits.
* `lobby`: hears what players say and pairs them; `effects`: what it wants done.
* `lines`: how the lobby says things on the wire.
"""

from . import lines
from .effects import LobbyEffect, Pair, Refused, TellAll, TellList, TellOne, Unmatched
from .lobby import Lobby, LobbyWord
from .player import VARIANT, Introduction, Profile, can_be
from .pools import HouseRules, Meeting, Pool
from .terms import BoardLimits
from .wish import Offer, Wish

__all__ = [
    "VARIANT",
    "BoardLimits",
    "HouseRules",
    "Introduction",
    "Lobby",
    "LobbyEffect",
    "LobbyWord",
    "Meeting",
    "Offer",
    "Pair",
    "Pool",
    "Profile",
    "Refused",
    "TellAll",
    "TellList",
    "TellOne",
    "Unmatched",
    "Wish",
    "can_be",
    "lines",
]

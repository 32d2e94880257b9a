"""The messages: one frozen structure per verb. Others import them from here.

Dialects define the spelling, the conversation defines the order. Times are milliseconds, scores
centipawns, as in the standards. Text fields hold one line with single blanks. Sources: ULCI v1
beta, UCI 2004, UCI 2006, UGI (``query``, ``response``); ``error``, ``clock``, ``perft`` and
``feature`` come from the newer ULCI text; the lobby verbs are this relay's extension.

* `verbs`: those of the standards, and who says which; `analysis`: what follows ``info``.
* The commands of players are the classes of `lobby.player_commands`.
"""

# A new message needs no line here.
from ulci.protocol.lobby.player_commands import *  # noqa: F403
from ulci.protocol.messages.analysis import *  # noqa: F403
from ulci.protocol.messages.verbs import *  # noqa: F403

"""How do servers talk to each other? The bus carries bytes between runs.

A run is one start of a server process, known by its number in the database. `Bus.send` never waits;
what gathers while one publication is under way goes out as the next batch, one frame a run. Frames
are numbered for each pair of runs, so a message arrives once, in order, or the receiver is told
that something is missing (`lost`) before it hears what was sent later. Nothing is sent again: who
loses something asks for the state. The bus knows nothing of games, and it decides nothing: who
lives and who owns what stands in the database.

The modules, from the bottom:

* `frames`: the layout of a batch; `pair`: the numbers of the messages between two runs.
* `hub`: what a bus needs of its medium; `redis_hub`: Redis as one; `hub_url`: its address;
  `open_hub`: opens it; `round_trip`: tests whether it can be used at all.
* `own_pings`: whether the medium delivers; `foreign`: frames that are not for this run.
* `bus`: batches and callbacks; `counters`: its metrics.
"""

from .bus import PING, Bus
from .hub import Hub, HubError, channel_of
from .hub_url import check_hub_url
from .open_hub import open_hub
from .round_trip import round_trip

__all__ = [
    "PING",
    "Bus",
    "Hub",
    "HubError",
    "channel_of",
    "check_hub_url",
    "open_hub",
    "round_trip",
]

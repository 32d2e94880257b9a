"""How do servers talk to each other? The bus carries bytes between runs.

A run is one start of a server process, known by its number in the database. `Bus.send` never waits;
what gathers while one publication is under way goes out as the next batch, one frame a run. Frames
are numbered for each pair of runs, so a message arrives once, in order, or the receiver is told
that something is missing (`lost`) before it hears what was sent later. Nothing is sent again: who
loses something asks for the state. The bus knows nothing of games, and it decides nothing: who
lives and who owns what stands in the database.

From the bottom: `frames` is the layout of a batch, `pair` the numbers of two runs, `hub` what a bus
needs of its medium, `redis_hub` the medium (`hub_url`: where it is; `open_hub` opens it),
`own_pings` whether it delivers at all, `foreign` what is not for this run, `bus` the batching and
the callbacks, `counters` what metrics tell of it, `round_trip` whether a hub can be used at all.
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

"""What a hall does for its hosts: the lobby's, and later those of tournaments."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass

from ulci.protocol.messages import Lobby as Line
from ulci_server.hall.table.interfaces import AnyTable
from ulci_server.lobby import Agreement

from .lists import Lists
from .member import HostedMember
from .timers import Alarms

BeginGame = Callable[
    [int, Agreement, tuple[HostedMember, HostedMember], Callable[[str], object]], None
]
"""Begin the game of that number between these two, White first; the last is called with the reason
if it does not begin."""

Drain = Callable[[str, HostedMember], tuple[Collection[str], Callable[[], object]]]
"""Let the server of that name end as SIGTERM does, or with an empty name that of the member's
connection. Returns words for whoever asked, and what begins it. Raises `Refusal`."""


@dataclass(frozen=True, slots=True)
class HostServices:
    """start: runs a task in the background. begin_game: at a table of this hall, between players
    whose connections are here. announce: tells all members here. find_table: a running game, here
    or at another server; all_tables: all of them. statistics: uptime and task count. connections:
    their number. is_closing: whether nobody may log in any more. drain: lets a server end."""

    alarms: Alarms
    lists: Lists
    start: Callable[[Callable[[], Awaitable[None]]], None]
    begin_game: BeginGame
    announce: Callable[[Line], None]
    find_table: Callable[[int], AnyTable | None]
    all_tables: Callable[[], list[AnyTable]]
    statistics: Callable[[], Mapping[str, int]]
    connections: Callable[[], int]
    is_closing: Callable[[], bool]
    drain: Drain

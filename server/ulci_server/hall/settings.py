"""Settings of the hall."""

from dataclasses import dataclass, field

from ulci_server.hall.login.handshake import ClientTimeouts
from ulci_server.hall.table.settings import TableSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class HallSettings(TableSettings):
    """clients: timeouts. listed: lines of one page of a list; 50 are half a millisecond's work."""

    clients: ClientTimeouts = field(default_factory=ClientTimeouts)
    listed: int = 50

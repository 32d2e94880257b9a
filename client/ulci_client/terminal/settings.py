"""What was asked for on the command line."""

from dataclasses import dataclass

from ulci.protocol import Terms
from ulci_client.dial import Server


@dataclass(frozen=True, slots=True)
class Settings:
    """token: of our account, empty without one. terms: what to seek at once, None to look round
    first. plain: a line in, a line out. ascii: letters and no colours."""

    server: Server
    name: str
    token: str = ""
    terms: Terms | None = None
    plain: bool = False
    ascii: bool = False

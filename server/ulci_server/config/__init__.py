"""What may the operator decide? One TOML file; every setting has a default, so none is needed.

* `tables`: the settings, a class a table of the file, each with its default, unit and bounds.
* `pool`: the tables of pools, with start positions from the file itself or from a book.
* `adjudication`: when a pool's games are decided before they are over.
* `refereed`: games that an engine judges.
* `listener`: where to listen.
* `certificate`: what an encrypted listener shows, read anew when its files change.
* `load`: from a file to a `Config`; whatever is wrong with it is said at once.
* `taped`: those settings that a recorded conversation depends on.
* `faults`: what is wrong, in the words of the file instead of those of the validator.
"""

from .certificate import Certificate
from .faults import ConfigError, Fault, without_password
from .listener import Dialect, Listener
from .load import load, read_settings
from .pool import PoolTable
from .refereed import RefereedGame
from .tables import Clients, Config, Database, LimitsTable, Log, Play, ShutdownTable
from .taped import taped, untaped

__all__ = [
    "Certificate",
    "Clients",
    "Config",
    "ConfigError",
    "Database",
    "Dialect",
    "Fault",
    "LimitsTable",
    "Listener",
    "Log",
    "Play",
    "PoolTable",
    "RefereedGame",
    "ShutdownTable",
    "load",
    "read_settings",
    "taped",
    "untaped",
    "without_password",
]

"""What may the operator decide? One TOML file; every setting has a default, so none is needed.

* `tables`: the settings, a class a table of the file, each with its default, unit and bounds.
* `pool`: the tables of pools, with start positions from the file itself or from a book.
* `refereed`: games that an engine judges.
* `listener`: where to listen, with the certificate if it is encrypted.
* `load`: from a file to a `Config`; whatever is wrong with it is said at once.
* `faults`: what is wrong, in the words of the file instead of those of the validator.
"""

from .faults import ConfigError, Fault, without_password
from .listener import Dialect, Listener
from .load import load
from .pool import PoolTable
from .refereed import RefereedGame
from .tables import Clients, Config, Database, LimitsTable, Log, Play, ShutdownTable

__all__ = [
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
    "without_password",
]

"""The operator's settings: one TOML file, which is optional, as every setting has a default.

* `sections`: the settings, a class a table of the file, each with its default, unit and bounds.
* `pool_table`: the pools, with their adjudication; `start_files`: their start positions, from the
  file itself or from a file of positions; `openings_table`: their books of openings.
* `refereed`: games that an engine judges. `engine_table`: engines that play. `programs`: the
  commands and options of both.
* `listener`: where to listen; `certificate`: the certificate of an encrypted listener, read again
  when its files change.
* `load`: from a file to a `Config`, with all errors at once and their lines.
* `fields`: the field types of all tables.

`ulci.settings` has the parts that the files of all programs share.
"""

from ulci.settings import ConfigError, without_password

from .listener import Dialect, Listener
from .load import load
from .sections import Config, Log

__all__ = [
    "Config",
    "ConfigError",
    "Dialect",
    "Listener",
    "Log",
    "load",
    "without_password",
]

"""Settings are read from a TOML file, and all its errors are reported at once.

    toml_text   from a file to its text and tables, and the line of every setting
    fields      the base class of all tables, and paths beside the file
    errors      what the validator found, in the words of the file and with its line

A program's tables are its own: the server's in `ulci_server.config`, a
bot's in `ulci_client.bot`.
"""

from .errors import (
    ConfigError,
    Fault,
    Known,
    SettingPath,
    Wording,
    known_settings,
    nearest,
    toml,
    toml_path,
    translated,
    without_password,
)
from .fields import BASE, SettingsTable, beside_file, command_beside_file
from .toml_text import NotTomlError, lines_of, nests_deeply, parse, read_file

__all__ = [
    "BASE",
    "ConfigError",
    "Fault",
    "Known",
    "NotTomlError",
    "SettingPath",
    "SettingsTable",
    "Wording",
    "beside_file",
    "command_beside_file",
    "known_settings",
    "lines_of",
    "nearest",
    "nests_deeply",
    "parse",
    "read_file",
    "toml",
    "toml_path",
    "translated",
    "without_password",
]

"""A match between engines: its command line, and the lines that it prints.

Both are those of the match runners that engine testers know, word for word, so that their scripts
and frameworks run unchanged. Only `command`, `run`, `files` and `match_log` print, start engines
and write.

* `parser`: from the words to a `MatchSettings`. `option_table`: all options, a row each;
  `options`: what a row is. `keys`: the ``key=value`` words of each option; `values`: how a value is
  read; `time_control`: clocks as testers write them; `line_patterns`: lines of engines that are
  quoted. `draft`: what has been read so far; `checks`:
  what contradicts itself. `settings`: the result. `help`: the text for people.
* `printer`: which lines are due when; it is told what happens. `lines`: single lines; `report`:
  figures and ranks; `faults`: what is counted of each engine; `status`: a line for people at a
  terminal. Why a game ended is in the words of `storage.export`, as in PGN.
* `engine_watch`: what is seen of engines beside their moves. `analyses`: what they said of running
  games; `variations`: what is wrong with it; `latency`: how late they were; `match_log`: all of it,
  in a file.
* `command`: ``ulci-server match``. `run`: plays what is asked for; `screen`: where lines appear;
  `identity`: what makes two command lines the same match; `book`: its openings, which must stay
  the same; `files`: PGN and EPD.
"""

from . import lines
from .faults import Fault, fault
from .help import help_text
from .parser import Compliance, Question, Request, parse
from .printer import Printer
from .report import Setting
from .settings import (
    ConfigFile,
    Entrant,
    EpdOutput,
    LogOutput,
    MatchSettings,
    PgnOutput,
    Style,
    TablebaseResults,
    Tablebases,
)
from .status import status
from .time_control import label
from .values import MatchError

__all__ = [
    "Compliance",
    "ConfigFile",
    "Entrant",
    "EpdOutput",
    "Fault",
    "LogOutput",
    "MatchError",
    "MatchSettings",
    "PgnOutput",
    "Printer",
    "Question",
    "Request",
    "Setting",
    "Style",
    "TablebaseResults",
    "Tablebases",
    "fault",
    "help_text",
    "label",
    "lines",
    "parse",
    "status",
]

"""The log of the wire: every line sent or received, with its time, in a file.

* `entry`: one line of the file, a JSON object. `wire_log`: the log of one program, and how it
  listens to a peer. `rotating_file`: the file, and those before it.
* `conversation`: reads the files again.

A program that keeps none has nothing of this on the path of a line: what listens takes the place of
a peer's codec when the peer is made.
"""

from .conversation import Spoken, conversation, merged
from .entry import Entry, Event
from .rotating_file import FILES, SIZE, TakenError, WireLogError
from .wire_log import Note, WireLog, listen, split_lines

__all__ = [
    "FILES",
    "SIZE",
    "Entry",
    "Event",
    "Note",
    "Spoken",
    "TakenError",
    "WireLog",
    "WireLogError",
    "conversation",
    "listen",
    "merged",
    "split_lines",
]

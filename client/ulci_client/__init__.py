"""The programs that people run on their machines.

* `terminal`: a person plays (``ulci play``). `bridge`: an engine plays. `bot`: the decisions of a
  bot. `opponent`: a player of the server becomes the engine of a GUI. `doctor`: examines an engine.
  `house_engine`: a small engine of our own. `account`: tokens and passwords.
* `cli`: the command ``ulci``. `server_options`: its options for server and token, of which
  `server_address` is one.
* `server_list`: which server to dial next. `reconnect`: why a server closed a connection, and when
  to dial again.
* `engine_settings`: how the user's engine is started, and which options a server may set.
  `wire_log`: all lines, in a file.
* `recent`: bounded memory of a server's announcements.
* `time_cost`: what a time control costs. `typed_time`: one that people type. `sanitize`: makes text
  safe to show. `standard_streams`: standard input and output as bytes.
"""

from ulci.signals import end_at_interrupt

end_at_interrupt()  # what a program imports takes time

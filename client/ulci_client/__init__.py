"""The programs that people run at their end.

* `terminal`: a person plays (``ulci play``). `bridge`: an engine plays. `bot`: what a bot decides.
  `opponent`: a GUI's engine is somebody at the server. `doctor`: examines an engine.
  `house_engine`: a small engine that is always there. `account`: tokens and passwords.
* `cli`: the command ``ulci``. `server_options`: its options for server and token, of which
  `server_address` is one.
* `server_list`: which server to dial next. `reconnect`: why a server closed a connection, and when
  to dial again.
* `engine_settings`: how an engine of the user is started, and what a server may do to it.
  `wire_log`: what was said, in a file.
* `recent`: as much of what a server tells as is worth keeping.
* `time_cost`: what a time control costs. `typed_time`: one that people type. `sanitize`: makes text
  safe to show. `standard_streams`: standard input and output as bytes.
"""

from ulci.signals import end_at_interrupt

end_at_interrupt()  # what a program imports takes time

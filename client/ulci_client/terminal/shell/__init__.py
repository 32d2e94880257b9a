"""Connects the client with the person, the server and this machine.

* `client`: the interface of the pure parts: events in, effects out.
* `session`: the connection to the server, dialled again when it is lost; `pgn`: a game as text;
  `pgn_file`: files of such games.
* `full_screen`: prompt_toolkit, with Trio inside its loop (`trio_guest`); `plain`: lines in, lines
  out. `run` chooses between them; `command` is ``ulci play``.
"""

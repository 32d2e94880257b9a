"""How does a player of the server become the local engine of any GUI?

    GUI's stdin/stdout  <-->  face  <-->  player  <-->  server's Peer

* `player`: the game that the GUI plays, and the one at the server, brought together. It answers the
  GUI at once, and never lets the server hear what is not the next move of its game.
* `record`: the GUI's list of moves against the server's; where a game begins at the server.
* `asking`: whom to ask for which game, and what the answers of the lobby mean.
* `uci`, `xboard`: the two faces, which read and write the GUI's protocol. UCI has no word for "you
  have lost" or "draw agreed", XBoard's has.
* `settings`: what was asked for, by the command line and by the GUI's options.
* `running`: standard input and output, the connection to the server, which is reestablished, and
  the one alarm. The only module with I/O.
* `command`: ``ulci opponent``; `greeting`: what a GUI must be told before all that is imported.
"""

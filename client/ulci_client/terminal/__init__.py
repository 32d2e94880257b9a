"""A person plays at a terminal (``ulci play``), with a board to look at and a line to type in.

* `model`: the client's state, and how the server's messages change it. Pure.
* `view`: the model as rows of styled text, or as plain lines. Pure.
* `commands`: the effects of a typed line. Pure.
* `shell`: the connection to the server, the screen, the pipe, ``ulci play`` itself.

Each may import those above it, and none below.
"""

"""How does a person play at a terminal? ``ulci play``: a board to look at, a line to type in.

* `model`: what is known, and how what the server says changes it. Pure.
* `view`: the model as rows of styled text, or as plain lines. Pure.
* `commands`: what a line that the person types does. Pure.
* `shell`: the line to the server, the screen, the pipe, ``ulci play`` itself.

Each may import those above it, and none below.
"""

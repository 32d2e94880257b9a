"""What does the person see? The state in, rows of styled text or plain lines out. Pure.

* `screen`: all of it: `game_screen` or `lobby_screen`, the news and the `status_line`.
* `board`, `pictures`, `panel`: the parts of a game; `rows`: how text is cut, filled and joined.
* `theme`: which signs and colours; `plain_lines`: the game without a screen.
"""

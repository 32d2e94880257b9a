"""Programs that speak a dialect on standard input and output, and how they fail.

This room starts, introduces, configures, restarts and ends engines of the bridge, referees and
engines of the server alike.

* `process`: one running engine. `settings`: how it is started. `errors`: why it cannot be used.
* `options`: an engine's options, and the values that are set. `restarts`: the pause before a
program that keeps failing is started again. Both are pure.
"""

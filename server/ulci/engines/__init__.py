"""Programs that speak a dialect on standard input and output, and how they fail.

An engine of the bridge, a referee and an engine of the server are started, introduced, configured,
restarted and ended alike.

* `process`: one running engine. `settings`: how it is started. `errors`: why it cannot be used.
* `options`: what it offers, and the values that are given to it. `restarts`: when one that keeps
  failing is started again. Both are pure.
"""

"""Does an engine keep to its protocol, and if not: where, and what should its author do?

* `runner`: runs the steps of a dialect; an engine that died or hangs is restarted for the next one.
* `suites`: which steps a dialect has, in which order; `checks`: the steps themselves.
* `step_context`: what a step can do: send, search, judge the answer; `engine`: the running
  engine, with every line it sent or was sent.
* `report`: the findings, as lines for people and as JSON; `command`: ``ulci doctor``.
"""

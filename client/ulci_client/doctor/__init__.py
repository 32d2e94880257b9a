"""Checks that an engine keeps to its protocol, with advice for its author.

* `runner`: runs the steps of a dialect; an engine that died or hangs is restarted for the next one.
* `suites`: the steps of each dialect, in order; `checks`: the steps themselves.
* `step_context`: the tools of a step: send, search, judge the answer; `engine`: the running
  engine, with every line it sent or was sent.
* `report`: the findings, as lines for people and as JSON; `command`: ``ulci doctor``.
"""

"""Does an engine keep to its protocol, and if not: where, and what is its author to do?

* `findings`: what is found, and the exchange that shows it.
* `raw`: the dialect of somebody who wants to see every line as it is.
* `reading`: what is wrong with a line, read to the letter.
* `patient`: one running engine, all that is said to it and by it, with times.
* `visit`: what a step can do with an engine: ask, search, judge the answer.
* `steps`: what a row of a course is; `common`, `chess`, `ugi`, `uti`: the steps, and `heard` those
  that judge all that was said; `courses`: which of them a dialect has, in which order.
* `examine`: goes through a course; an engine that died or hangs is started again for the next step.
* `show`: the report for people and for programs; `command`: from the command line to it.
"""

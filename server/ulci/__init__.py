"""What both ends share.

`protocol`: the messages. `rules`: legal moves and results. `net`: how bytes move. `engines`:
programs that speak on standard input and output. `wire_log`: a file of all lines sent and received.
`settings`: how a TOML file is read. `command_group`: a program's commands, each imported
when it is run. `manual`: manual pages and completion of them. `time_control`: times as people type
them. `conduct`: what players may do, for people.
`joiners`: invisible characters that a text may have.
`signals`: what Ctrl-C and a hang-up do beside these.
`system`: what only some operating systems have, and what is done without it.
"""

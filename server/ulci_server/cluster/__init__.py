"""How several halls act as one.

Sessions never move: a player's connection stays at the server that accepted it. Games move: each is
played at one table of one server, its owner, and PostgreSQL says which. One server hosts the lobby
for all: the oldest that lives. Between servers only words and durations travel, never instants,
over the bus.

* `messages`: what servers say to each other, and its bytes; `post`: how the parts below send it;
  `questions`: what is asked and answered;
  `not_understood`: what becomes of a message that a server of another version cannot read.
* `edge`: the connections of this server, whose lobby and tables may be elsewhere.
  `games_elsewhere`: the games of other servers, and what their owners say to connections here;
  `remote_table`: a table at another server, as its players and watchers here know it;
  `lobby_link`: the lobby, as the sessions here know it.
* `owner`: the tables of this server, whose players and watchers may be elsewhere. `remote_player`:
  a player at another server, as its table here knows it; `remote_flag`: when its flag falls;
  `remote_spectators`: those who watch at another server. `admission`: who is seated there;
  `followers`: what other servers hear of these games.
* `clock_fairness`: what servers hold up costs no player time; the two sides of its protocol.
* `lobby_server`: the lobby, if this server hosts it; `lobby_members`: how its members come and go;
  `lobby_games`: which server has which game, as the lobby knows it. `remote_member`: a player at
  another server, as the lobby knows it; `lobby_post`: how it is told something. `lobby_keeper`:
  stores what changes in the lobby, as `lobby_rows` makes of it; `restored_lobby`: the next host
  goes on with it.
* `node`: one server of the cluster, which makes the parts below known to each other; `parts` makes
  those above.
* `server_runs`: its runs, one after the other; `lookout`: beats, who lives, and the fence of those
  who stand still; `cuts`: who is cut off; `election`: which server hosts the lobby, with
  `game_numbers` for new games.
* `claims`: games that nobody owns are taken over, after their `downtime`; `lost_games`: those that
  died with their server end; `releases`: games are given away; `drain`: a server ends.
* `router`: which part hears which message; `post_office`: the bus; `gaps`: what is said again after
  messages were lost.
* `database_queries`: what is asked beside the journal; `nudge`: has a part look before its time.

Four rules keep games safe, whatever a message does: facts of a game are written only by a run that
is not fenced (shut out by another server), in the transaction that checks it; nothing is told
before it is durable; what an older epoch of a game says is not heard; thinking is measured where
the player's line is.
"""

from .node import Node
from .parts import make_parts
from .server_runs import NameTakenError, OtherVersionError

__all__ = ["NameTakenError", "Node", "OtherVersionError", "make_parts"]

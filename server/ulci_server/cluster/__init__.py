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

Four ways through the modules:

* *A move that crosses servers*: a session gives its answer to `remote_table`, whose turn
  (`clock_fairness.TurnAtEdge`) measures the thinking. `post_office` sends it; at the owner `router`
  hands it to `owner`, where `TurnAtOwner` says what it costs, and the table judges it. When the
  move is stored, the opponent is asked by its table, or by `remote_player` as an `Ask`, which
  `games_elsewhere` hands to the connection.
* *A player's return*: `lobby_link` asks the lobby, where `lobby_members` logs the player in and
  tells its server to `TakeSeat`. `edge` seats it: at a table here itself, elsewhere by an `Expect`
  of `remote_table`, on which `admission` seats a `remote_player`. `Back` follows when it is ready.
* *A takeover*: `lookout` fences the dead owner and has `games_elsewhere` wait; `claims` takes its
  games, `downtime` says what its players do not pay for, and `owner` announces them. In
  `remote_table` the players elsewhere come back to the new owner.
* *A change of the lobby's host*: `election` follows the database. The new host is a `lobby_server`,
  which `restored_lobby` fills from `lobby_rows`, and calls the roll; `lobby_link` answers where it
  is wrong. What was said to the last host in vain is refused or said again.

Four rules keep games safe, whatever a message does: facts of a game are written only by a run that
is not fenced (shut out by another server), in the transaction that checks it; nothing is told
before it is durable; what an older epoch of a game says is not heard; thinking is measured where
the player's line is.
"""

from .node import Node
from .parts import make_parts
from .server_runs import NameTakenError, OtherVersionError

__all__ = ["NameTakenError", "Node", "OtherVersionError", "make_parts"]

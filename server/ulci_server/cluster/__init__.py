"""How several halls act as one.

Sessions never move: a player's connection stays at the server that accepted it. Games move: each is
played at one table of one server, its owner, and PostgreSQL records which. One server hosts the
lobby for all: the oldest that lives. Messages between servers go over the bus; the times in them
are durations, never instants.

* `messages`: what servers send to each other, and its bytes; `mirrors`: the messages that are the
  call of a method of a player, a member or a table; `post`: how the parts below send them;
  `questions`: questions and the wait for their answers; `not_understood`: what follows a message
  that a server of another version cannot read.
* `edge`: the connections of this server, whose lobby and tables may be at other servers.
  `games_elsewhere`: the games of other servers, and the messages of their owners;
  `remote_table`: a table at another server, as its players and watchers here know it;
  `lobby_link`: the lobby, as the sessions here know it.
* `owner`: the tables of this server, whose players and watchers may be at other servers.
  `remote_player`: a player at another server, as the table here knows it; `remote_flag`: when its
  flag falls; `remote_spectators`: the watchers at another server. `admission`: which players are
  seated; `followers`: what other servers receive of these games.
* `clock_fairness`: delays between servers cost players no time; the two sides of its protocol.
* `lobby_server`: the lobby, if this server hosts it; `lobby_members`: how its members come and go;
  `lobby_games`: which server has which game, as the lobby knows it. `remote_member`: a member at
  any server, as the lobby knows it; `lobby_post`: messages to members. `lobby_keeper`: stores the
  changes in the lobby as rows, which `lobby_rows` makes; `restored_lobby`: the next host restores
  the lobby from them.
* `node`: one server of the cluster, which connects the parts below; `parts` makes those above.
* `server_runs`: the runs of this server, one after the other; `lookout`: beats in the database,
  sees which servers live, and fences those whose beat stands still; `cuts`: servers that live and
  are cut off; `election`: which server hosts the lobby, with `game_numbers` for new games.
* `claims`: takes over games that nobody owns, with their `downtime`; `lost_games`: ends those that
  died with their server; `releases`: gives games away; `drain`: shuts a server down.
* `router`: which part handles which message; `post_office`: the bus; `gaps`: what is sent again
  after messages were lost.
* `database_queries`: queries besides the journal; `nudge`: wakes a task that polls.

Four ways through the modules:

* *A move that crosses servers*: the session gives its answer to `remote_table`, whose turn
  (`clock_fairness.TurnAtEdge`) knows how long the player thought. `post_office` sends an `Answer`;
  at the owner `router` passes it to `owner`, where `TurnAtOwner` computes the delay that the clock
  gives back, and the table judges the move. When the move is stored, the table asks the opponent:
  directly if the connection is at its server, otherwise by a `remote_player`, whose `Ask` reaches
  the connection by `games_elsewhere` and the `remote_table` there.
* *A player's return*: when the connection broke, the table was told that the player is `Away`, and
  `lobby_link` reported `Left` to the lobby, which keeps the member. The new connection, at any
  server, sends a `LogIn` by `lobby_link`; `lobby_members` replaces the old `remote_member` by a
  new one, which answers with `TakeSeat`. `edge` seats the session: directly at a table here,
  otherwise `remote_table` sends an `Expect`, and at the owner `admission` seats a `remote_player`.
  When the client is ready, its `Back` has the table send it the game, and ask it if it is to move.
* *A takeover*: `lookout` fences a server whose beat stands still. Every server then counts that one
  as gone: the tables in `games_elsewhere` wait without an owner, and `claims` queries at once. One
  server claims each game, `downtime` computes what its players do not pay for, the hall resumes it,
  and `owner` announces it by `Owned`. The `remote_table` of each player elsewhere moves to the new
  owner, and sends it an `Expect` and a `Back`; asked by an `Ask` that it knows, it repeats its
  answer, which the last owner may not have stored.
* *A change of the lobby's host*: `election` follows the database. At the new host it makes a
  `lobby_server`, which `restored_lobby` fills from the stored rows, and which calls the roll of all
  servers. The `lobby_link` of each corrects it, repeats the logins under way, and ends with
  `RollHeard`. `Performed` then refuses the commands that got no answer from the last host.

Four rules keep games safe, whatever a message does: facts of a game are written only by a run that
is not fenced (shut out by another server), in the transaction that checks it; nothing is sent to
players before it is durable; a message with an older epoch of a game is dropped; thinking is
measured at the server of the player's connection.
"""

from .node import Node
from .parts import make_parts
from .server_runs import NameTakenError, OtherVersionError

__all__ = ["NameTakenError", "Node", "OtherVersionError", "make_parts"]

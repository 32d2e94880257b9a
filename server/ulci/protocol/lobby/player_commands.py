"""What players say beside UCI's verbs, in the lobby and during a game: one class a command."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from msgspec import Struct

from ulci.protocol.kinds import Tagged, leaves

Color = Literal["white", "black", "random", "later"]
Against = Literal["any", "human", "engine"]


class Terms(Tagged, frozen=True):
    """The terms of a wanted game; None leaves the choice to the server. `color` later: said by
    `ChooseColor` when the game is to begin. `games`: of a match, accepted once. `level`: the
    strength of an engine of the server, from 1 on; None: its full one. `range`: of the opponent's
    rating, both ends included; None: any, or none."""

    game: str | None = None
    time: str | None = None
    color: Color = "random"
    rated: bool | None = None
    against: Against = "any"
    games: int = 1
    level: int | None = None
    range: tuple[int, int] | None = None
    start: str | None = None


class PlayerCommand(Tagged, frozen=True):
    """What a player says beside UCI's verbs, in the lobby and during a game.

    Its subclasses are the table of commands: a class is a row. `usage` and `pairs` are the template
    by which it is read, written and explained (`lobby.line_template`); with `grouped` the pairs are
    the fields of that class. to_many: everybody gets it, or it lists all that there is, so that it
    costs a server the more the more players it has.
    """

    usage: ClassVar[str]
    pairs: ClassVar[str] = ""
    grouped: ClassVar[type[Struct] | None] = None
    to_many: ClassVar[bool] = False


_TERMS = (
    "[game G] [time TC] [color white|black|random|later] [rated yes|no] [against any|human|engine]"
    " [games N] [level N] [range MIN-MAX] [start F]"
)


class Seek(PlayerCommand, frozen=True):
    """Seek a game, or a match."""

    usage = "seek"
    to_many = True
    pairs = _TERMS
    grouped = Terms

    terms: Terms = Terms()


class Seeks(PlayerCommand, frozen=True):
    """List the open seeks."""

    usage = "seeks"
    to_many = True


class Unseek(PlayerCommand, frozen=True):
    """Withdraw one own seek, or end a match; without a number all of them."""

    usage = "unseek [ID]"
    to_many = True

    id: int | None = None


class Accept(PlayerCommand, frozen=True):
    """Play this seek or challenge."""

    usage = "accept ID"
    to_many = True

    id: int


class Challenge(PlayerCommand, frozen=True):
    """Ask a player for a game, or a match."""

    usage = "challenge NAME"
    pairs = _TERMS
    grouped = Terms

    name: str
    terms: Terms = Terms()


class Decline(PlayerCommand, frozen=True):
    """Refuse a challenge, and tell its maker why; or end a match."""

    usage = "decline ID [TEXT]"

    id: int
    text: str = ""


class Invite(PlayerCommand, frozen=True):
    """Offer a game, or a match, to the first who says `Join` with this token, which the inviting
    client has drawn. A client that reconnects says it again, with the same token."""

    usage = "invite INVITATION"
    pairs = _TERMS
    grouped = Terms

    token: str
    terms: Terms = Terms()


class Join(PlayerCommand, frozen=True):
    """Play the game of the invitation with this token."""

    usage = "join INVITATION"

    token: str


class ChooseColor(PlayerCommand, frozen=True):
    """The own colour in the next game of a match whose colours are chosen later, and its start;
    None leaves the start to the server."""

    usage = "color white|black [F]"

    color: Literal["white", "black"]
    start: str | None = None


class GameCommand(PlayerCommand, frozen=True):
    """A command to the player's own game."""


class Resign(GameCommand, frozen=True):
    """Lose the game."""

    usage = "resign"


class Draw(GameCommand, frozen=True):
    """Offer a draw, accept the opponent's offer, or claim a draw by the rules."""

    usage = "draw"


class Abort(GameCommand, frozen=True):
    """End a game in which a side has not moved yet."""

    usage = "abort"


class Takeback(GameCommand, frozen=True):
    """Ask to take back the last N plies, or accept the opponent's request.

    None: back to the player's own last move.
    """

    usage = "takeback [N]"

    plies: int | None = None


class Claim(GameCommand, frozen=True):
    """End a game whose opponent has been absent for too long, or claim a draw by the rules."""

    usage = "claim win|draw"

    what: Literal["win", "draw"]


class GiveTime(GameCommand, frozen=True):
    """Put time (ms) on the opponent's clock."""

    usage = "givetime SECONDS"

    ms: int


class Berserk(GameCommand, frozen=True):
    """Before the own first move in a game of an arena: play with half the time and no increment,
    for one point more."""

    usage = "berserk"


class Rematch(PlayerCommand, frozen=True):
    """Another game with the same terms and colours swapped, if the opponent agrees."""

    usage = "rematch"


class Games(PlayerCommand, frozen=True):
    """List the running games."""

    usage = "games"
    to_many = True


class Watch(PlayerCommand, frozen=True):
    """Follow this game."""

    usage = "watch ID"

    id: int


class Unwatch(PlayerCommand, frozen=True):
    """Stop to follow it."""

    usage = "unwatch [ID]"

    id: int | None = None


class Who(PlayerCommand, frozen=True):
    """List the players online."""

    usage = "who"
    to_many = True


class Tournaments(PlayerCommand, frozen=True):
    """List the tournaments that are open or being played."""

    usage = "tournaments"
    to_many = True


class Enter(PlayerCommand, frozen=True):
    """Play in that tournament, or be here again for it."""

    usage = "enter NAME"

    name: str


class Withdraw(PlayerCommand, frozen=True):
    """Leave that tournament; a game that is on goes on."""

    usage = "withdraw NAME"

    name: str


class Standings(PlayerCommand, frozen=True):
    """List who leads in that tournament."""

    usage = "standings NAME"
    to_many = True

    name: str


class Ping(PlayerCommand, frozen=True):
    """Answered by ``lobby pong`` at once, whatever else is going on."""

    usage = "ping"


class Say(PlayerCommand, frozen=True):
    """To the opponent, or to the other spectators of the game that one watches."""

    usage = "say TEXT"

    text: str


class TellPlayer(PlayerCommand, frozen=True):
    """To any player online. A name in the lobby is one word."""

    usage = "tell NAME TEXT"

    name: str
    text: str


class Complain(PlayerCommand, frozen=True):
    """Tell the server's administrators what a player did, who is here or was the opponent."""

    usage = "complain NAME TEXT"

    name: str
    text: str


class Ignore(PlayerCommand, frozen=True):
    """Hear nothing more from that player."""

    usage = "ignore NAME"

    name: str


class Unignore(PlayerCommand, frozen=True):
    """Hear that player again."""

    usage = "unignore NAME"

    name: str


class Ignored(PlayerCommand, frozen=True):
    """List the players who are ignored."""

    usage = "ignored"


class Admin(PlayerCommand, frozen=True):
    """Commands of the server's administrators."""

    usage = "admin WORD ..."

    words: tuple[str, ...]


PLAYER_COMMANDS: Sequence[type[PlayerCommand]] = tuple(leaves(PlayerCommand))
"""All commands of players, in the order in which they are listed."""

GAME_COMMANDS: Sequence[type[PlayerCommand]] = tuple(leaves(GameCommand))

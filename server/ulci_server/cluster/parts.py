"""Makes the parts of a server of the cluster, which know each other."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ulci.rules import Rules
from ulci_server.hall import Hall
from ulci_server.hall.lobby_service import LobbyService
from ulci_server.lobby import VARIANT, PoolRules, levels

from .edge import Edge
from .games_elsewhere import GamesElsewhere
from .lobby_link import LobbyLink
from .lobby_server import MakeHost
from .owner import Owner
from .post_office import PostOffice


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts that know the games and the players of a server."""

    hall: Hall
    owner: Owner
    games_elsewhere: GamesElsewhere
    link: LobbyLink
    make_host: MakeHost


MakeHall = Callable[[Callable[[Hall], LobbyService]], Hall]
"""Makes the hall, given what makes its lobby."""


def make_parts(
    post: PostOffice,
    *,
    make_hall: MakeHall,
    make_host: MakeHost,
    games: Mapping[str, Rules],
    pool_rules: Callable[[str], PoolRules],
) -> Parts:
    """games: all that can be played. pool_rules: the rules of each pool, by its name."""

    def lobby(hall: Hall) -> LobbyService:
        return LobbyLink(Edge(hall, post), post, _needed(games), pool_rules)

    hall = make_hall(lobby)
    link = hall.lobby
    assert isinstance(link, LobbyLink)
    owner = Owner(hall, post, games, pool_rules, link.edge)
    return Parts(hall, owner, GamesElsewhere(hall, post, link.edge), link, make_host)


def _needed(games: Mapping[str, Rules]) -> Callable[[str], bool]:
    """Whether the lobby or the table needs an engine's option of that name (lower case): some show
    what a program can play and at which levels, and UCI's own are set before a game."""
    names = {name for rules in games.values() for name in rules.needs(None).options}
    needed = levels.STRENGTH.union(name.lower() for name in {VARIANT, *names})
    return lambda name: name in needed or name.startswith("uci_")

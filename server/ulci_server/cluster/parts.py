"""Makes the parts of a server of the cluster, which know each other."""

from collections.abc import Callable, Mapping
from typing import Protocol

from ulci.net import Peer
from ulci.protocol.messages import Lobby as Line
from ulci.rules import Rules
from ulci_server.hall import Hall, LobbyHost
from ulci_server.hall.lobby_host import BeginGame, LobbyService
from ulci_server.lobby import VARIANT, PoolRules

from .edge import Edge
from .lobby_link import LobbyLink
from .node import Node, Parts
from .owner import Owner

MakeHall = Callable[[Callable[[Hall], LobbyService]], Hall]
"""Given what makes its lobby."""


class MakeHost(Protocol):
    """Makes the lobby, if this server hosts it."""

    def __call__(
        self,
        hall: Hall,
        *,
        number: Callable[[], int],
        begin: BeginGame,
        announce: Callable[[Line], None],
    ) -> LobbyHost: ...


def make_parts(
    node: Node,
    *,
    make_hall: MakeHall,
    make_host: MakeHost,
    games: Mapping[str, Rules],
    pool_rules: Callable[[str], PoolRules],
    nobody: Peer,
) -> Parts:
    """games: all that can be played. pool_rules: the rules of a pool. nobody: a closed
    connection."""
    edges: list[Edge] = []

    def lobby(hall: Hall) -> LobbyService:
        edges.append(Edge(hall, node))
        return LobbyLink(edges[0], node, _needed(games), pool_rules)

    hall = make_hall(lobby)
    [edge] = edges
    link = hall.lobby
    assert isinstance(link, LobbyLink)

    def host(
        number: Callable[[], int], begin: BeginGame, announce: Callable[[Line], None]
    ) -> LobbyHost:
        return make_host(hall, number=number, begin=begin, announce=announce)

    owner = Owner(hall, node, games, pool_rules, edge.sessions.get)
    return Parts(hall, edge, owner, link, host, nobody)


def _needed(games: Mapping[str, Rules]) -> Callable[[str], bool]:
    """Whether the lobby or the table must know of an engine's option of that name, in lower case:
    by some it is judged what a program can play, and UCI's own are set before a game."""
    names = {name for rules in games.values() for name in rules.needs(None).options}
    needed = frozenset(name.lower() for name in {VARIANT, *names})
    return lambda name: name in needed or name.startswith("uci_")

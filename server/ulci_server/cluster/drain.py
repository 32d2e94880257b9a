"""How one server of the cluster shuts down, and how an administrator makes one do so."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import trio

from ulci.protocol.text import quote
from ulci_server.hall import Hall, Table
from ulci_server.hall.member import HostedMember
from ulci_server.hall.table.recovery import cannot_return
from ulci_server.lobby.terms import Refusal
from ulci_server.storage import Journal, RunState

from . import messages as said
from .lookout import Lookout
from .nudge import Nudge
from .post_office import PostOffice
from .releases import Releases
from .remote_member import RemoteMember

HEAR_WHO_DRAINS = 1.5
"""How long a server that shuts down waits (s) until the database says which others do so, too."""

STORE_RELEASES = 6.0
"""Maximum seconds that a server that shuts down waits until its releases are stored. Then it takes
the database to have failed, and goes on."""


class Drain:
    """end: shuts this server down, as the administrator of that name wants. look: has this server
    beat at once."""

    def __init__(
        self,
        hall: Hall,
        post: PostOffice,
        journal: Journal,
        releases: Releases,
        lookout: Lookout,
        look: Nudge,
        end: Callable[[str], object],
    ) -> None:
        self._hall = hall
        self._post = post
        self._journal = journal
        self._releases = releases
        self._lookout = lookout
        self._look = look
        self._end = end

    async def drain(self) -> int:
        """Release all games, and have the lobby move. If no other server goes on with them, games
        of a player who cannot return stay here. Returns how many games were released: 0 if the
        database does not confirm them in time."""
        self._post.draining = True
        self._look.give()
        if any(map(_must_stay, self._hall.tables.values())):
            await self._hear_who_drains()
        tables = [*self._hall.tables.values()]
        if not self._post.membership.has_successor:
            tables = [table for table in tables if not _must_stay(table)]
        await self._releases.release(tables)
        with trio.move_on_after(STORE_RELEASES) as waiting:
            await self._journal.drain()
        return 0 if waiting.cancelled_caught else len(tables)

    async def _hear_who_drains(self) -> None:
        """Wait until the database shows which other servers drain: all may shut down at the same
        moment. A beat that is under way does not report yet that this server drains, and the next
        one may be too early to see it of others."""
        with trio.move_on_after(HEAR_WHO_DRAINS):
            for _ in range(3):
                await self._lookout.looked()

    def hear(self, _: int, message: said.Drain) -> None:
        """An administrator, at any server, shuts this one down."""
        self._end(message.by)

    def order(self, name: str, by: HostedMember) -> tuple[Sequence[str], Callable[[], object]]:
        """As `Drain` of a hall, for the newest run of that name; without a name, for the server of
        the administrator's connection.

        Raises:
            Refusal: no server of that name lives.
        """
        living = self._post.membership.living
        assert isinstance(by, RemoteMember)
        run = _newest(living.values(), name) if name else by.run
        if run not in living:
            names = " ".join(dict.fromkeys(state.node for state in living.values()))
            text = f"no server {quote(name)} lives; there are: {names}"
            raise Refusal("no-such-server", text)
        others = sum(other != run and not state.draining for other, state in living.items())
        send = partial(self._post.send, run, said.Drain(by.handle))
        return ("others", str(others), "server", *living[run].node.split()), send


def _newest(living: Iterable[RunState], name: str) -> int:
    """The newest run of that name; 0 if there is none."""
    return max((state.id for state in living if state.node == name), default=0)


def _must_stay(table: Table) -> bool:
    """Whether a player of it could not return on another server."""
    return bool(cannot_return(table.game.started))

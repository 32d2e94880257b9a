"""How does a hall come to its end, and what becomes of the games that are being played?"""

from collections.abc import Collection

import trio

from ulci.protocol.messages import Blame, Report
from ulci_server.lobby import Lobby

from .guests import Guests
from .returning import cannot_return
from .session import Session
from .tables import Tables


class Closing:
    """Of one hall. connected: everybody whose line is open, whether introduced or not."""

    def __init__(
        self, lobby: Lobby, tables: Tables, guests: Guests, connected: Collection[Session]
    ) -> None:
        self.begun = False
        """No new games."""
        self.ended = False
        """And nobody comes in."""
        self._lobby = lobby
        self._tables = tables
        self._guests = guests
        self._connected = connected
        self._awaited: set[Session] = set()
        self._left = trio.Event()

    async def drain(self, scope: trio.CancelScope, grace: float, why: str, *, keeps: bool) -> int:
        """No new games, and up to `grace` s (or until `scope` is cancelled) for the running ones.
        Then they are paused, if the database `keeps` them until there is a server again and their
        players can come back to them.

        Returns how many were cut short or paused.
        """
        self.begun = True
        self._lobby.close(why)
        for session in self._guests.all:
            session.tell(Report(Blame.SERVER, f"{why}; running games have {grace:g} s"))
        scope.deadline = trio.current_time() + grace
        with scope:
            await self._tables.empty()
        self.ended = True
        left = [*self._tables.standing.values()]
        for table in left:
            lost = cannot_return(table.game.started)
            if keeps and not lost:
                self._awaited.update(s for s in table.seats if isinstance(s, Session))
                table.pause()
            else:
                table.stop(f"{why}, and {lost}" if keeps else why)
        return len(left)

    async def farewell(self, seconds: float) -> None:
        """Say goodbye to everybody, once the last results are told, and let them go by themselves.
        Who is slow is not waited for; whose game is paused is to come back and is not sent away."""
        with trio.move_on_after(seconds):
            await self._tables.empty()
            for session in self._connected:
                if session not in self._awaited:
                    session.say_goodbye()
            while not self._awaited.issuperset(self._connected):
                self._left = trio.Event()
                await self._left.wait()

    def lose(self) -> None:
        """Somebody has gone."""
        self._left.set()

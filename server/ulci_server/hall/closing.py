"""How does a hall come to its end, and what becomes of the games that are being played?"""

from collections.abc import AsyncIterator, Collection, Iterable
from typing import TypeVar

import trio

from ulci.net import Peer
from ulci.protocol.messages import Blame, Report
from ulci_server.lobby import Lobby

from .guests import Guests
from .returning import cannot_return
from .session import Session
from .tables import Tables

AT_A_TIME = 16
"""People told, or games paused, between two chances for everybody else: some ms of work."""

Thing = TypeVar("Thing")


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
        self._why = "the server ends"
        self._awaited: set[Session] = set()
        self._leaving = 0  # who are gone, but have not read our last words
        self._left = trio.Event()

    async def drain(self, scope: trio.CancelScope, grace: float, why: str, *, keeps: bool) -> int:
        """No new games, and up to `grace` s (or until `scope` is cancelled) for the running ones.
        Then they are paused, if the database `keeps` them until there is a server again and their
        players can come back to them.

        Returns how many were cut short or paused.
        """
        self.begun = True
        self._why = why
        self._lobby.close(why)
        async for session in _in_steps(self._guests.all):
            session.tell(Report(Blame.SERVER, f"{why}; running games have {grace:g} s"))
        scope.deadline = trio.current_time() + grace
        with scope:
            await self._tables.empty()
        self.ended = True
        left = [*self._tables.standing.values()]
        async for table in _in_steps(left):
            lost = cannot_return(table.game.started)
            if keeps and not lost:
                self._awaited.update(s for s in table.seats if isinstance(s, Session))
                table.pause()
            else:
                table.stop(f"{why}, and {lost}" if keeps else why)
        return len(left)

    async def farewell(self, seconds: float) -> None:
        """Say goodbye to everybody, once the last results are told, and let them go by themselves;
        only hang up on those who are to come back, as their game is paused. Who is slow is not
        waited for."""
        with trio.move_on_after(seconds):
            await self._tables.empty()
            async for session in _in_steps(self._connected):
                if session in self._awaited:
                    session.hang_up(self._why)
                else:
                    session.say_goodbye(self._why)
            while self._connected or self._leaving:
                self._left = trio.Event()
                await self._left.wait()

    async def see_off(self, peer: Peer) -> None:
        """Its line is over for the hall, but not before it has read why."""
        self._leaving += 1
        try:
            await peer.aclose()
        finally:
            self._leaving -= 1
            self._left.set()

    def lose(self) -> None:
        """Somebody has gone."""
        self._left.set()


async def _in_steps(things: Iterable[Thing]) -> AsyncIterator[Thing]:
    """As they are now, while others get on with theirs."""
    for number, thing in enumerate([*things], 1):
        yield thing
        if number % AT_A_TIME == 0:
            await trio.lowlevel.checkpoint()

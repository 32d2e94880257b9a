"""Shutdown of a hall: running games are finished, paused or ended."""

from collections.abc import Collection
from functools import partial

import trio

from ulci.net import Peer, Steps
from ulci.protocol.messages import Blame, Report
from ulci.rules import Outcome, Reason
from ulci_server.game import Ruled
from ulci_server.hall.session.session import Session
from ulci_server.hall.table.recovery import cannot_return
from ulci_server.hall.table.tables import Tables

from .lobby_service import LobbyService
from .loop_monitor import note_duration

AT_A_TIME = 16
"""Sessions told, or games paused, between two turns of other tasks: some ms of work."""

HAND_OVER_LOOK = 0.25
"""Seconds between two looks for players whose game is over, so that they can go."""

LAST_WORDS = 2.0
"""Seconds for other servers to end the games of those who cannot go there."""


def _steps() -> Steps:
    """Of work that begins now."""
    return Steps(AT_A_TIME, note=partial(note_duration, what="the end of the server"))


class Closing:
    """Shutdown of one hall. connected: all open connections, also those before login."""

    def __init__(
        self,
        lobby: LobbyService,
        tables: Tables,
        connected: Collection[Session],
    ) -> None:
        self.begun = False
        """No new games begin."""
        self.ended = False
        """Nor does anybody log in."""
        self._lobby = lobby
        self._tables = tables
        self._connected = connected
        self._why = "the server is shutting down"
        self._awaited: set[object] = set()
        self._leaving = 0  # peers that have not read their last lines
        self._left = trio.Event()

    async def drain(self, scope: trio.CancelScope, grace: float, why: str, *, keeps: bool) -> int:
        """Begin no new games, and give running ones `grace` s (or until `scope` is cancelled). Then
        pause those whose players can resume them on the next server, if the database `keeps` them,
        and end the others.

        Returns the number of games that were ended or paused.
        """
        self.begun = True
        self._why = why
        steps = _steps()
        for end_match in self._lobby.close(why):
            end_match()
            await steps.done()
        for session in [*self._connected]:
            if session.is_member:
                session.tell(Report(Blame.SERVER, f"{why}; running games have {grace:g} s"))
            await steps.done()
        scope.deadline = trio.current_time() + grace
        with scope:
            await self._tables.empty()
        self.ended = True
        steps.begin()
        left = [*self._tables.running.values()]
        for table in left:
            lost = cannot_return(table.game.started)
            if keeps and not lost:
                self._awaited.update(table.players)
                table.pause()
            else:
                table.stop(f"{why}, and {lost}" if keeps else why)
            await steps.done()
        return len(left)

    async def hand_over(self, scope: trio.CancelScope, grace: float, why: str) -> int:
        """Other servers go on with the games of this one, except those that are still here. Clients
        that can return are disconnected, to reconnect there. Others, and their opponents in games
        that are here, stay until their game is over, for `grace` s at most, or until `scope` is
        cancelled; then it ends without a result. Returns how many had not finished then."""
        self.begun = self.ended = True
        self._why = why
        await self._send_away()
        scope.deadline = trio.current_time() + grace
        with scope:
            while self._playing():
                await trio.sleep(HAND_OVER_LOOK)
                await self._send_away()
        unfinished = self._playing()
        if unfinished:
            await self._stop_rest()
        return unfinished

    async def _send_away(self) -> None:
        """Disconnect those who can return, and those who do not play."""
        steps = _steps()
        for session in [*self._connected]:
            table, can_return = session.table, session.player.can_return
            if table is None or (can_return and table.id not in self._tables.running):
                session.connection.hang_up(self._why)
            await steps.done()

    async def _stop_rest(self) -> None:
        """They do not lose because their server ends."""
        with trio.move_on_after(LAST_WORDS):
            async with trio.open_nursery() as nursery:
                for session in self._connected:
                    if not session.player.can_return:
                        nursery.start_soon(self._stop, session)

    async def _stop(self, session: Session) -> None:
        why = f"{self._why}, and {session.handle} cannot return to this game"
        ruling = Ruled(trio.current_time(), Outcome(None, Reason.SERVER), why)
        while session.table is not None and not session.gone:
            with trio.move_on_after(HAND_OVER_LOOK):  # nobody receives it until the game is claimed
                await session.table.rule(ruling)
            await trio.sleep(HAND_OVER_LOOK)

    def _playing(self) -> int:
        """How many play here who were not disconnected."""
        return sum(s.table is not None and not s.gone for s in self._connected)

    async def say_goodbye(self, seconds: float) -> None:
        """Send ``quit`` to everybody after the last results, and let them leave by themselves.
        Players of paused games are disconnected without it, as they are to reconnect. Waits
        `seconds` at most."""
        with trio.move_on_after(seconds):
            await self._tables.empty()
            steps = _steps()
            for session in [*self._connected]:
                if session.player in self._awaited:
                    session.connection.hang_up(self._why)
                elif not session.gone:  # otherwise it may come back, and has not left for good
                    session.connection.say_goodbye(self._why)
                await steps.done()
            await self._all_left()

    async def send_away(self, why: str, seconds: float) -> None:
        """Disconnect everybody at once, without ``quit``: they are to reconnect, to another server.
        Waits `seconds` at most for them to read why."""
        self.begun = self.ended = True
        with trio.move_on_after(seconds):
            steps = _steps()
            for session in [*self._connected]:
                session.connection.hang_up(why)
                await steps.done()
            await self._all_left()

    async def _all_left(self) -> None:
        while self._connected or self._leaving:
            self._left = trio.Event()
            await self._left.wait()

    async def close_peer(self, peer: Peer) -> None:
        """Close the connection once the peer has read its last lines."""
        self._leaving += 1
        try:
            await peer.aclose()
        finally:
            self._leaving -= 1
            self._left.set()

    def lose(self) -> None:
        """A connection is over."""
        self._left.set()

"""All tournaments of the server, and what the lobby notes for them."""

from collections.abc import Mapping
from functools import partial

import structlog
import trio

from ulci.protocol.messages import PlayerCommand
from ulci_server.lobby import Profile
from ulci_server.lobby.terms import Refusal
from ulci_server.storage import EntrantRecord, StorageError, TournamentState

from .commands import TOURNAMENT_COMMANDS, check_entry, tell_entered
from .director import OVER, Director
from .standings_reader import StandingsReader
from .tools import Tools

LOG = structlog.get_logger("ulci_server.tournament")

SEEN_AT_ONCE = 200
"""Clients that are looked at between two turns of the loop."""

POLL = 1.0
"""Seconds until a tournament that somebody has created or changed is noticed."""


class TournamentHost:
    """It directs no tournament before `run`."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._directors: dict[str, Director] = {}
        self._failed: set[str] = set()
        self._scope = trio.CancelScope()
        self.standings = StandingsReader(tools)

    @property
    def directors(self) -> Mapping[str, Director]:
        """Of the tournaments that are not over, by their names in commands."""
        return self._directors

    @property
    def tools(self) -> Tools:
        return self._tools

    async def run(self) -> None:
        """Look for tournaments and direct them, until `end`."""
        with self._scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self.standings.run)
                while True:
                    await self._look(nursery)
                    await trio.sleep(POLL)

    def end(self) -> None:
        """Another server directs them from now on."""
        self._scope.cancel()

    async def _look(self, nursery: trio.Nursery) -> None:
        overview = partial(self._tools.store.overview, open_only=True)
        try:
            found = await self._tools.in_thread(overview)
        except StorageError as error:
            LOG.warning("tournaments wait", why=str(error))
            return
        gone = self._directors.keys() - {one.word for one in found}
        for word in gone:
            self._directors[word].changed(None)
        for one in found:
            if (director := self._directors.get(one.word)) is not None:
                director.changed(one.changes)
            elif one.word not in self._failed:
                director = Director(one.id, one.word, self._tools, self._gather)
                self._directors[one.word] = director
                nursery.start_soon(self._direct, director)

    async def _direct(self, director: Director) -> None:
        try:
            await director.run()
        except Exception:
            # One tournament must not end the others, and tried again it would fail again.
            LOG.exception("the tournament fails", tournament=director.word)
            self._failed.add(director.word)
        finally:
            self._directors.pop(director.word, None)
        if director.state not in OVER:
            return  # another server directs it
        for seen, profile in enumerate([*self._tools.lobby.profiles()], 1):
            if director.word in profile.enters:
                self._tools.lobby.set_entered(profile.handle, director.word, enters=False)
            if not seen % SEEN_AT_ONCE:
                await trio.lowlevel.checkpoint()

    async def _gather(self, director: Director) -> None:
        """The clients that are here for a tournament that has just been read."""
        for seen, profile in enumerate([*self._tools.lobby.profiles()], 1):
            self.seat_in(director, profile)
            if not seen % SEEN_AT_ONCE:
                await trio.lowlevel.checkpoint()

    def seat_in(self, director: Director, profile: Profile) -> bool:
        """Let the client play for its entrant. Whether there is one."""
        known = director.presence.entrant_of(profile.handle)
        row = director.entrants.played_by(profile)
        if row is None:
            if known is not None:
                director.gone(profile.handle)
            return False
        if known is None:
            free = self._tools.lobby.may_begin(profile.handle)
            director.come(profile.handle, row.number, free=free)
        return True

    # What the lobby notes

    def freed(self, profile: Profile) -> bool:
        """The client has just come, or owes nothing for its last game. Whether it waits for games
        of a tournament alone."""
        held = False
        for director in [*self._directors.values()]:
            if self.seat_in(director, profile):
                director.freed(profile.handle)
                held |= not profile.of_server and director.state is TournamentState.RUNNING
            elif profile.tournament == director.word:
                self._enter_by_name(director, profile)
        if profile.tournament and profile.tournament not in self._directors:
            LOG.info("no such tournament", tournament=profile.tournament, name=profile.name)
        return held or bool(profile.tournament)

    def left(self, handle: str) -> None:
        """The client has left for good."""
        for director in self._directors.values():
            director.gone(handle)

    def began(self, handle: str) -> None:
        """A game of the client begins."""
        for director in self._directors.values():
            director.presence.busy(handle)

    def hear(self, handle: str, command: PlayerCommand) -> None:
        """Perform a command of a client, or answer an error."""
        try:
            TOURNAMENT_COMMANDS[type(command)](self, handle, command)
        except Refusal as refusal:
            self._tools.lobby.tell_client(handle, refusal.line)

    def _enter_by_name(self, director: Director, profile: Profile) -> None:
        """A program at the tournament's listener, which knows no commands, enters by its name."""
        new = EntrantRecord(0, profile.name, remote=profile.name)
        try:
            check_entry(self._tools, director, profile, new)
        except Refusal as refusal:
            LOG.info("not entered", tournament=director.word, name=profile.name, why=str(refusal))
            return
        director.admit(new, partial(self.admitted, director, profile.handle))

    def admitted(self, director: Director, handle: str, row: EntrantRecord) -> None:
        """The client's entrant is stored."""
        tell_entered(self._tools, director, handle, row)
        if (profile := self._tools.lobby.profile_of(handle)) is not None:
            self.seat_in(director, profile)

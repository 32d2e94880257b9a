"""Leads a client into the lobby, back to its seat, or to the admin commands."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import perf_counter

import structlog
import trio

from ulci_server.hall.host_services import HostServices
from ulci_server.hall.loop_monitor import note_duration
from ulci_server.hall.member import HostedMember
from ulci_server.hall.table.interfaces import AnyTable
from ulci_server.lobby import Keeper, Lobby, Profile, lobby_lines
from ulci_server.storage import TICKET

from .authenticator import (
    NOT_ADMIN,
    AccountsUnavailableError,
    Authenticator,
    BannedError,
    LoginRefusedError,
)
from .registry import MemberRegistry

LOG = structlog.get_logger("ulci_server.hall")

PATIENCE = 4.0
"""Seconds for which a login waits for the database."""

RETRY = 0.5
"""Seconds until it is asked again."""


class Login:
    """keeper: stores a login before the client is told of it. secret: makes the secrets by which a
    client takes its seat back after a lost connection. queue: lets a client wait for a game. free:
    notes that a client owes nothing for its last game any more."""

    def __init__(
        self,
        services: HostServices,
        authenticator: Authenticator,
        lobby: Lobby,
        registry: MemberRegistry,
        keeper: Keeper,
        secret: Callable[[], str],
        *,
        queue: Callable[[HostedMember], None],
        free: Callable[[HostedMember], None],
    ) -> None:
        self._services = services
        self._authenticator = authenticator
        self._queue = queue
        self._free = free
        self._lobby = lobby
        self._registry = registry
        self._keeper = keeper
        self._secret = secret
        self.resumes: Counter[str] = Counter()
        """How many clients asked to resume their session, by result."""

    async def introduce(self, session: HostedMember, profile: Profile) -> None:
        """Log the client in after ``uciok``, or disconnect it."""
        if self._services.is_closing():
            # A new secret would replace the stored one, by which the client can return.
            session.disconnect("the server is shutting down; retry-after 5")
            return
        authenticator, host = self._authenticator, session.host
        try:
            if profile.administers:
                self._enter_admin(session, await authenticator.authenticate(profile, host))
                return
            before = self._registry.of_secret(profile.resume)
            if before is None and profile.of_server:
                authenticator.check_bans(host, profile.name)
                if profile.resume:
                    session.give_secret(profile.resume)
            elif before is None:
                profile = await self._authenticate(profile, host)
                before = await self._registry.dead_connection(profile)
            else:
                assert before.profile is not None
                authenticator.check_bans(host, before.profile.name, before.handle)
                session.give_secret(profile.resume)
        except LoginRefusedError as error:
            session.disconnect(str(error), error.blame)
            return
        if session.gone:
            return
        began = perf_counter()
        self._place(session, before, profile)
        note_duration(began, "HelloOk", session.handle)

    def _place(self, session: HostedMember, before: HostedMember | None, profile: Profile) -> None:
        if before is None:
            if profile.resume and not profile.of_server:
                self.resumes["unknown"] += 1
            self._enter(session, profile)
        elif why := _missing_support(profile, before.table):
            self.resumes["refused"] += 1
            session.disconnect(f"this program cannot resume your game: {why}")
        else:
            self.resumes["resumed"] += 1
            self._take_over(session, before, profile)
            if profile.token and not profile.admin:
                self._services.start(partial(self._recheck_admin, session, profile.token))

    # Authentication

    async def _authenticate(self, profile: Profile, host: str) -> Profile:
        """While the database does not answer, tokens of connected clients still count, and others
        wait for `PATIENCE` s: a database is restarted sooner than a client calls again."""
        until = trio.current_time() + PATIENCE
        while True:
            try:
                return await self._authenticator.authenticate(profile, host)
            except AccountsUnavailableError:
                known = self._registry.of_token(profile.token)
                if known is not None:
                    self._authenticator.check_bans(host, known.name)
                    return replace(
                        profile, name=known.name, account=known.account, ratings=known.ratings
                    )
                if trio.current_time() > until:
                    raise
            await trio.sleep(RETRY)

    def _enter_admin(self, session: HostedMember, profile: Profile) -> None:
        """An admin connection is not in the lobby and takes no seat, not even its own."""
        if not profile.admin:
            session.disconnect(NOT_ADMIN)
            return
        session.introduce(replace(profile, handle=lobby_lines.word(profile.name)))
        LOG.info("admin logged in", client=session.handle, peer=session.label)

    async def _recheck_admin(self, session: HostedMember, token: str) -> None:
        """Check bans and admin rights after a resume. The seat is given back before that, as the
        clock may run; the secret proves neither."""
        known = session.profile
        assert known is not None
        asking = replace(known, token=token)
        try:
            is_admin = await self._authenticator.recheck_admin(asking, session.host)
        except BannedError as error:
            if not session.gone:
                session.disconnect(str(error))
            return
        session.introduce(replace(session.profile or known, admin=is_admin))

    # Entering

    def _enter(self, session: HostedMember, profile: Profile) -> None:
        profile = self._lobby.enter(profile)
        session.introduce(profile)
        if profile.lobby and not session.secret:
            session.give_secret(self._secret())
        self._registry.enter(session)
        LOG.info("joined", client=profile.handle, kind=profile.kind, peer=session.label)
        self._keeper.when_kept(partial(self._entered, session, profile))

    def _entered(self, session: HostedMember, profile: Profile) -> None:
        """The login is stored, so the next host of the lobby knows the client: now tell it."""
        if session.gone or session not in self._registry:
            return
        if profile.lobby:
            session.follow_announcements()
            self._welcome(session)
            session.tell_missed(self._registry.take_missed(profile.resume))
            session.tell(*self._registry.elsewhere(profile))
        else:
            self._queue(session)

    def _welcome(self, session: HostedMember) -> None:
        assert session.profile is not None
        if not session.secret:
            session.give_secret(self._secret())
        self._registry.add_key(session)
        session.tell(lobby_lines.welcome(session.profile, session.secret))

    def go_on(self, session: HostedMember, before: HostedMember, profile: Profile) -> None:
        """Log in a client that an earlier host has logged in as `before`, if its answer was
        lost."""
        if profile.resume and self._registry.of_secret(profile.resume) is before:
            session.give_secret(profile.resume)
        self._take_over(session, before, profile)

    def _take_over(self, session: HostedMember, before: HostedMember, profile: Profile) -> None:
        """Move the player to the new connection, and close the old one if it is still open."""
        known = before.profile
        assert known is not None
        profile = replace(
            profile,
            name=known.name,
            handle=known.handle,
            kind=known.kind,
            author=known.author,
            account=known.account,
            admin=profile.admin,
            ignores=known.ignores,
            tournament=known.tournament,
            enters=known.enters,
            ratings=known.ratings,
            token="" if profile.token.startswith(TICKET) else profile.token,
        )
        session.introduce(profile)
        self._lobby.renew(profile)
        session.succeed(before)
        table, side, in_game = before.table, before.side, before.is_playing
        self._registry.replace(before, session)
        before.leave_announcements()
        if profile.lobby:
            session.follow_announcements()
        before.lose_seat()
        if not before.gone:
            before.disconnect("you reconnected elsewhere; retry-after 5")
        if profile.lobby or session.secret:
            self._welcome(session)
        LOG.info("resumed", client=session.handle, peer=session.label)
        match = self._lobby.match_of(session.handle, in_game=in_game)
        if match is not None:
            session.tell(match)
        if table is not None:
            session.take_seat(table, side)
            return
        session.tell_missed(before.missed)
        if before.draining:
            self._free(session)


def _missing_support(profile: Profile, table: AnyTable | None) -> str | None:
    """Why the program cannot play the game of that table; None if it can."""
    if table is None:
        return None
    return profile.lacks(table.needs())

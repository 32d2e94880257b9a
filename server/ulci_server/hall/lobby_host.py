"""The lobby at work: which players are logged in, and what their commands do.

The pure `Lobby` decides; the host logs players in, performs what the lobby decides, and begins the
games of its pairs. It knows a player by `HostedMember`: the player's connection may be at another
server.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any

import structlog
import trio

from ulci.protocol.messages import Admin, Challenge, Complain, PlayerCommand, TellPlayer
from ulci.protocol.messages import Lobby as Line
from ulci.protocol.text import quote
from ulci_server.hall.login.authenticator import Authenticator
from ulci_server.hall.login.login import Login
from ulci_server.hall.login.registry import MemberRegistry
from ulci_server.hall.tournament import TOURNAMENT_COMMANDS, LobbyAccess, TournamentHost
from ulci_server.lobby import (
    LOBBY_COMMANDS,
    Agreement,
    Freed,
    Hold,
    Keeper,
    KeptMatch,
    KeptSeek,
    Lobby,
    LobbyEffect,
    Pair,
    PoolRules,
    Profile,
    Refused,
    Release,
    SetIgnored,
    TellAll,
    TellList,
    TellOne,
    TellWhenKept,
    Unmatched,
    lobby_lines,
)
from ulci_server.storage import Complaints

from .admin import AdminContext, run_admin_command
from .complaint_desk import ComplaintDesk
from .host_services import BeginGame, HostServices
from .lobby_service import MOST_LISTED, Roster, RosterEntry
from .member import HostedMember
from .rating_refresh import RatingRefresh, Ratings
from .strangers import Strangers
from .timers import Alarm

LOG = structlog.get_logger("ulci_server.hall")


class LobbyHost:
    """The one lobby and its members. number: draws a number for a new game. secret: makes the
    secrets by which a client takes its seat back after a lost connection. begin: begins games,
    otherwise at tables of this hall. announce: sends a line to all members, otherwise to those of
    this hall. keeper: that of `lobby`, which notes what has changed. tournaments: makes the
    tournaments of the server; None: there are none. complaints: where complaints are stored; None:
    none are taken. now: the time of a complaint."""

    def __init__(
        self,
        services: HostServices,
        lobby: Lobby,
        authenticator: Authenticator,
        *,
        number: Callable[[], int],
        secret: Callable[[], str],
        begin: BeginGame | None = None,
        announce: Callable[[Line], None] | None = None,
        keeper: Keeper | None = None,
        tournaments: Callable[[LobbyAccess], TournamentHost] | None = None,
        complaints: Complaints | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        keeper = keeper or Keeper()
        self._alarms = services.alarms
        self._lobby = lobby
        self._begin = begin or services.begin_game
        self._announce = announce or services.announce
        self._number = number
        self._keeper = keeper
        self._registry = MemberRegistry(keeper)
        self._login = Login(
            services,
            authenticator,
            lobby,
            self._registry,
            keeper,
            secret,
            queue=self.queue,
            free=self.free,
        )
        self._complaints = ComplaintDesk(services.start, complaints, self.find, now)
        self._admin = AdminContext(
            services,
            authenticator,
            self._registry.all,
            self.find,
            self._announce,
            self._complaints,
        )
        access = LobbyAccess(lobby, self._registry, keeper, self._begin_between, self._announce)
        self.tournaments = None if tournaments is None else tournaments(access)
        """None: this server plays no tournaments."""
        self._ratings = RatingRefresh(services.start, authenticator.ratings_of, self._rate)
        self._strangers = Strangers()
        self._held: dict[int, Alarm] = {}  # by the number of each match or seek that waits

    @property
    def lobby(self) -> Lobby:
        """The lobby that decides. Calling it directly performs no effects here."""
        return self._lobby

    @property
    def registry(self) -> MemberRegistry:
        """All members who are logged in, by handle, secret and account."""
        return self._registry

    @property
    def present(self) -> Collection[HostedMember]:
        """All members who are logged in, including those that are disconnected and may return."""
        return self._registry.all

    @property
    def resumes(self) -> Counter[str]:
        """How many clients asked to resume their session, by result."""
        return self._login.resumes

    @property
    def reachable(self) -> bool:
        """Always True: the lobby is here."""
        return True

    async def players(self) -> Roster:
        """At most `MOST_LISTED` of those who are logged in."""
        await trio.lowlevel.checkpoint()
        return self.roster()

    def roster(self) -> Roster:
        """At most `MOST_LISTED` of those who are logged in."""
        players = tuple(
            RosterEntry(
                member.handle,
                member.profile.kind,
                None if member.table is None else member.table.id,
                not member.gone,
                member.profile.levels,
                "" if (known := member.profile.best_known) is None else str(known),
            )
            for member in islice(self.present, MOST_LISTED)
            if member.profile is not None
        )
        return Roster(players, len(self.present))

    def __contains__(self, member: HostedMember) -> bool:
        """False if it never logged in, or was replaced by a newer connection."""
        return member in self._registry

    def find(self, handle: str) -> HostedMember | None:
        """The member of that name, ignoring case."""
        known = self._lobby.find(handle)
        return None if known is None else self._registry.get(known)

    # Coming and going

    async def introduce(self, member: HostedMember, profile: Profile) -> None:
        """Log the client in after ``uciok``, or disconnect it."""
        await self._login.introduce(member, profile)

    def seat(self, absent: HostedMember, profile: Profile) -> None:
        """Add the player of a game that was begun elsewhere, or by an earlier server."""
        absent.introduce(self._lobby.seat(profile))
        self._registry.enter(absent)

    def replace(self, before: HostedMember, member: HostedMember) -> None:
        """Move a player to another connection, without a login."""
        self._registry.replace(before, member)

    def of_secret(self, secret: str) -> HostedMember | None:
        """The member whose session this secret resumes."""
        return self._registry.of_secret(secret)

    def known(self, handle: str) -> HostedMember | None:
        """The member of exactly this name."""
        return self._registry.get(handle)

    def pool_rules_of(self, pool: str) -> PoolRules:
        """The rules of that pool; the default rules if there is none of that name."""
        return self._lobby.pool_rules_of(pool)

    def queue(self, member: HostedMember) -> None:
        """Let the client wait for a game in the pool of its listener."""
        assert member.profile is not None
        if self._waits_for_tournament(member):
            return
        pool, front = member.profile.pool, member.front
        self._perform(self._lobby.wait(member.handle, pool, front=front))

    def left(self, member: HostedMember) -> None:
        """The member's connection has ended."""
        if member not in self._registry:
            return  # never logged in, or replaced by a newer connection
        LOG.info("left", client=member.handle, why=member.why, peer=member.label)
        if member.table is None:
            self.remove(member)

    def remove(self, member: HostedMember) -> None:
        """Remove a member that is gone for good."""
        member.leave_announcements()
        self._strangers.forget(member.handle)
        if self.tournaments is not None:
            self.tournaments.left(member.handle)
        self._registry.leave(member)
        self._perform(self._lobby.leave(member.handle))

    def free(self, member: HostedMember) -> None:
        """A client has left its table and owes nothing: its match goes on, or it waits again,
        unless it seeks."""
        if member not in self._registry:
            return
        if self._lobby.ratings.may_be_new(member.handle):
            assert member.profile is not None
            assert member.profile.account is not None
            self._ratings.want(member.profile.account)
        if member.gone:
            self.remove(member)
            return
        self._perform(self._lobby.free(member.handle))

    def _rate(self, account: int, ratings: Ratings) -> None:
        """Give the members of the account its present ratings."""
        for member in self._registry.of_account(account):
            if member.profile is not None and member.profile.ratings != ratings:
                member.introduce(self._lobby.ratings.renew(member.profile, ratings))
                self._keeper.member(member.handle)

    def goes_on(self, member: HostedMember) -> None:
        """Note that the member is in a game that this lobby did not know."""
        self._perform(self._lobby.goes_on(member.handle))

    def _freed(self, member: HostedMember) -> None:
        assert member.profile is not None
        if member.profile.lobby:
            self._waits_for_tournament(member)
        else:
            self.queue(member)

    def _waits_for_tournament(self, member: HostedMember) -> bool:
        """Whether the client, which is free, waits for games of a tournament alone."""
        assert member.profile is not None
        return self.tournaments is not None and self.tournaments.freed(member.profile)

    def close(self, why: str) -> Iterator[Callable[[], None]]:
        """Begin no new games from now on; `why` is the answer to every seek. Returns steps, each
        for a match that ends so."""
        return (partial(self._perform, effects) for effects in self._lobby.close(why))

    def reopen(self) -> Iterator[Callable[[], None]]:
        """Begin new games again: one step for each player who waits, the longest wait first."""
        return (partial(self._perform, effects) for effects in self._lobby.reopen())

    # Restoring the lobby of an earlier host

    def restore(
        self, member: HostedMember, profile: Profile, keys: Sequence[str], *, playing: bool
    ) -> None:
        """Add a member of an earlier host's lobby, with the hashes of its secrets, the oldest
        first. Of two members with one secret, the last one added keeps it."""
        enter = self._lobby.seat if playing else self._lobby.enter
        member.introduce(enter(profile))
        for other in self._registry.add_keys(member, keys):
            LOG.warning("two members had one secret", kept=member.handle, other=other.handle)
        self._registry.enter(member)

    def stand_again(self, number: int, handle: str, asked: str | None, seek: KeptSeek) -> None:
        """Open a seek or a challenge of an earlier host's lobby again."""
        self._perform(self._lobby.kept.stand_again(number, handle, asked, seek))

    def play_again(self, number: int, match: KeptMatch, white: str) -> None:
        """Go on with a match of an earlier host's lobby. white: the handle of White in the game
        that the two play, or empty."""
        self._perform(self._lobby.kept.play_again(number, match, white))

    def wait_again(self, member: HostedMember) -> None:
        """Queue a client that does not use the lobby, unless it waits or plays already."""
        assert member.profile is not None
        if not member.profile.lobby and self._lobby.state(member.handle) == "idle":
            self.queue(member)

    def go_on(self, member: HostedMember, before: HostedMember, profile: Profile) -> None:
        """Log in a client that an earlier host has logged in as `before`, if its answer was
        lost."""
        self._login.go_on(member, before, profile)
        if member.table is None:
            self.wait_again(member)

    def fail_game(self, member: HostedMember, why: str) -> None:
        """Tell the member, which has no game yet, that its game does not begin."""
        self._game_failed([member], why)

    def end(self) -> None:
        """Stop all timers: another host goes on with the lobby."""
        if self.tournaments is not None:
            self.tournaments.end()
        for alarm in self._held.values():
            alarm.end()
        self._held.clear()

    # Commands

    def hear(self, member: HostedMember, command: PlayerCommand) -> None:
        """Perform a command of a member, or of an administrator who is not one."""
        HOSTED_COMMANDS[type(command)](self, member, command)

    def _administer(self, member: HostedMember, command: Admin) -> None:
        run_admin_command(self._admin, member, command)

    def _pair(self, member: HostedMember, command: PlayerCommand) -> None:
        self._perform(self._lobby.hear(member.handle, command))

    def _challenge(self, member: HostedMember, command: Challenge) -> None:
        if not self._challenges_too_often(member, command):
            self._pair(member, command)

    def _tell(self, member: HostedMember, command: TellPlayer) -> None:
        other = self.find(command.name)
        if other is None or other.gone or other.profile is None:
            text = f"there is no {quote(command.name)} here"
            member.tell(lobby_lines.error("no-such-player", text))
        elif not other.profile.lobby:
            text = f"{other.handle} does not read messages"
            member.tell(lobby_lines.error("not-heard", text))
        elif not other.profile.hears(member.handle):
            member.tell(lobby_lines.error("ignored", f"{other.handle} ignores you"))
        elif not self._is_too_strange(member, other):
            other.tell(lobby_lines.told(member.handle, command.text))

    def _complain(self, member: HostedMember, command: Complain) -> None:
        self._complaints.hear(member, command)

    def _challenges_too_often(self, member: HostedMember, command: Challenge) -> bool:
        """Refuse a challenge to a person who gets too many messages from strangers. A program
        answers challenges by its own rules, or does not receive them. Returns whether it was
        refused."""
        other = self.find(command.name)
        if other is None or other is member or other.profile is None:
            return False
        if other.profile.kind != "human" or not other.profile.lobby:
            return False
        return self._is_too_strange(member, other)

    def _is_too_strange(self, member: HostedMember, other: HostedMember) -> bool:
        """Refuse a message of the member to a player who gets too many from strangers. Returns
        whether it was refused."""
        wait = math.ceil(self._strangers.wait(member.handle, other.handle, trio.current_time()))
        if wait:
            text = f"{other.handle} hears from too many strangers; retry-after {wait}"
            member.tell(lobby_lines.error("too-many-strangers", text))
        return bool(wait)

    # Effects of the lobby

    def _perform(self, effects: Iterable[LobbyEffect]) -> None:
        for effect in effects:
            match effect:
                case TellOne(handle, line):
                    self._registry[handle].tell(line)
                case TellWhenKept(handle, line):
                    self._keeper.when_kept(partial(self._send, handle, line))
                case TellAll(line):
                    self._announce(line)
                case TellList(handle, what):
                    self._registry[handle].tell_list(what, partial(self._lobby.listed, what))
                case Pair():
                    self._begin_pair(effect)
                case SetIgnored(handle, ignores):
                    self._set_ignored(self._registry[handle], ignores)
                case Refused(handle, why):
                    self._registry[handle].refuse(why)
                case Freed(handle):
                    self._freed(self._registry[handle])
                case Hold(number, seconds):
                    self._hold(number, seconds)
                case Release(number):
                    if number in self._held:
                        self._held.pop(number).end()
                case Unmatched(handles, why):
                    LOG.info("cannot be paired", clients=" ".join(handles), why=why)
                    for handle in handles:
                        self._registry[handle].tell_unmatched(why)

    def _send(self, handle: str, line: Line) -> None:
        """Send it to the member of that name, if it has not left meanwhile."""
        if (member := self._registry.get(handle)) is not None:
            member.tell(line)

    def _begin_pair(self, paired: Pair, failed: Callable[[str], object] | None = None) -> None:
        """failed: is called, too, if the game does not begin."""
        pair = self._registry[paired.white], self._registry[paired.black]
        _get_acquainted(self._strangers, *pair)
        if self.tournaments is not None:
            for handle in (paired.white, paired.black):
                self.tournaments.began(handle)

        def not_begun(why: str) -> None:
            if failed is not None:
                failed(why)
            self._game_failed(pair, why)

        self._begin(self._number(), paired.agreement, pair, not_begun)

    def _begin_between(
        self, white: str, black: str, agreement: Agreement, failed: Callable[[str], object]
    ) -> None:
        """Begin a game that a tournament has paired."""
        for effect in self._lobby.play(white, black, agreement):
            if isinstance(effect, Pair):
                self._begin_pair(effect, failed)
            else:
                self._perform([effect])

    def _set_ignored(self, member: HostedMember, ignores: tuple[str, ...]) -> None:
        assert member.profile is not None
        member.introduce(replace(member.profile, ignores=ignores))

    def _hold(self, number: int, seconds: float) -> None:
        if number in self._held:
            self._held.pop(number).end()
        alarm = self._held[number] = self._alarms.new(partial(self._overdue, number))
        alarm.set(trio.current_time() + seconds)

    def _overdue(self, number: int) -> None:
        self._held.pop(number).end()
        self._perform(self._lobby.overdue(number))

    def _game_failed(self, pair: Sequence[HostedMember], why: str) -> None:
        for handle in [member.handle for member in pair]:
            member = self._registry.get(handle)  # by a new connection, perhaps
            if member is not None:
                member.tell(lobby_lines.error("no-game", f"the game cannot begin: {why}"))
                self._perform(self._lobby.call_off(handle))
                if member.table is None:
                    self.free(member)

    def _ask_tournaments(self, member: HostedMember, command: PlayerCommand) -> None:
        if self.tournaments is None:
            text = "this server plays no tournaments"
            member.tell(lobby_lines.error("no-such-tournament", text))
        else:
            self.tournaments.hear(member.handle, command)


def _get_acquainted(strangers: Strangers, white: HostedMember, black: HostedMember) -> None:
    """Players who read lobby lines are no strangers to each other once they have played."""
    for one, other in ((white, black), (black, white)):
        if one.profile is not None and one.profile.lobby:
            strangers.know(one.handle, other.handle)


HOSTED_COMMANDS: Mapping[type[PlayerCommand], Callable[[LobbyHost, HostedMember, Any], None]] = {
    **dict.fromkeys(LOBBY_COMMANDS, LobbyHost._pair),
    Challenge: LobbyHost._challenge,
    TellPlayer: LobbyHost._tell,
    Complain: LobbyHost._complain,
    Admin: LobbyHost._administer,
    **dict.fromkeys(TOURNAMENT_COMMANDS, LobbyHost._ask_tournaments),
}
"""The commands that the lobby's host performs; other servers send them there."""

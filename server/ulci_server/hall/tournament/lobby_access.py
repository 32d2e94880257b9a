"""The lobby, as the tournaments of its server know it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from ulci.protocol.messages import Lobby as Line
from ulci_server.hall.login.registry import MemberRegistry
from ulci_server.hall.member import HostedMember
from ulci_server.lobby import Agreement, Keeper, Lobby, Profile

Begin = Callable[[str, str, Agreement, Callable[[str], object]], None]
"""Begins the game of two clients, by their handles, White first; the last is called with the reason
if it does not begin."""


class LobbyAccess:
    """announce: tells all members. keeper: is told whose profile has changed."""

    def __init__(
        self,
        lobby: Lobby,
        registry: MemberRegistry,
        keeper: Keeper,
        begin: Begin,
        announce: Callable[[Line], None],
    ) -> None:
        self._lobby = lobby
        self._registry = registry
        self._keeper = keeper
        self._begin = begin
        self._announce = announce

    @property
    def closed(self) -> str:
        """Why no game begins now; empty if games begin."""
        return self._lobby.closed

    def profiles(self) -> Iterable[Profile]:
        """Of all clients that are here, or may return to their game."""
        known = (member.profile for member in [*self._registry.all])
        return (profile for profile in known if profile is not None)

    def profile_of(self, handle: str) -> Profile | None:
        """None: it is not here."""
        member = self._registry.get(handle)
        return None if member is None else member.profile

    def may_begin(self, handle: str) -> bool:
        """Whether the client is here, and has no game."""
        member = self._registry.get(handle)
        if member is None or not _is_free(member):
            return False
        return self._lobby.may_begin(handle)

    def begin_between(
        self, white: str, black: str, agreement: Agreement, failed: Callable[[str], object]
    ) -> None:
        """Begin a game of two clients that may begin one. `failed` is called with the reason if it
        does not begin."""
        self._begin(white, black, agreement, failed)

    def tell_client(self, handle: str, line: Line) -> None:
        """Tell the client a line, if it is here and reads the lobby's."""
        member = self._registry.get(handle)
        if member is not None and member.profile is not None and member.profile.lobby:
            member.tell(line)

    def tell_lines(self, handle: str, what: str, lines: Callable[[], list[Line]]) -> None:
        """Tell the client a list, as fast as it reads it. The lines are made when it begins."""

        def begin() -> tuple[int, Iterator[Line]]:
            made = lines()
            return len(made), iter(made)

        member = self._registry.get(handle)
        if member is not None:
            member.tell_list(what, begin)

    def tell_everybody(self, line: Line) -> None:
        """Tell all who read the lobby's lines."""
        self._announce(line)

    def set_entered(self, handle: str, word: str, *, enters: bool) -> None:
        """The client plays in the tournament of that name from now on, or does not any more."""
        member = self._registry.get(handle)
        if member is None or member.profile is None:
            return
        others = tuple(one for one in member.profile.enters if one != word)
        profile = replace(member.profile, enters=(*others, word) if enters else others)
        if profile.enters != member.profile.enters:
            member.introduce(profile)
            self._lobby.renew(profile)
            self._keeper.member(handle)


def _is_free(member: HostedMember) -> bool:
    return not member.gone and not member.draining and member.table is None

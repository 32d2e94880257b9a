"""The stored rows of the lobby of all servers: made from its state, and read by the next host."""

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import msgspec
import trio

from ulci.protocol.lobby.lines import GameOver
from ulci.rules import Side
from ulci_server.hall import LobbyHost
from ulci_server.lobby import KeptMatch, KeptSeek, Profile
from ulci_server.storage import LobbyMatch, LobbyMember, LobbySeek

from .remote_member import RemoteMember

_ENCODER = msgspec.json.Encoder()


def profile_text(profile: Profile) -> str:
    """The profile, without secrets."""
    return _ENCODER.encode(replace(profile, resume="", token="")).decode()


def profile_untrusted(text: str) -> Profile:
    """Raises `msgspec.DecodeError`: it is of another version."""
    return _PROFILE.decode(text)


def seek_untrusted(text: str) -> KeptSeek:
    """Raises `msgspec.DecodeError`: it is of another version."""
    return _SEEK.decode(text)


def match_untrusted(text: str) -> KeptMatch:
    """Raises `msgspec.DecodeError`: it is of another version."""
    return _MATCH.decode(text)


_PROFILE = msgspec.json.Decoder(Profile)
_SEEK = msgspec.json.Decoder(KeptSeek)
_MATCH = msgspec.json.Decoder(KeptMatch)


class LobbyRows:
    """Makes the rows of the lobby of that host. now: the present time, which rows keep."""

    def __init__(self, host: LobbyHost, now: Callable[[], datetime]) -> None:
        self._host = host
        self._now = now

    def member_row(self, handle: str) -> LobbyMember | None:
        member = self._host.known(handle)
        if not isinstance(member, RemoteMember) or member.profile is None:
            return None
        return LobbyMember(
            handle,
            None if member.gone or not member.run else member.run,
            member.link,
            member.host,
            member.label,
            self._host.registry.keys_of(member),
            profile_text(member.profile),
            member.game or member.owes or None,
            Side(member.side),
            self._called_at(member),
            self._host.lobby.kept.is_playing(handle),
        )

    def _called_at(self, member: RemoteMember) -> datetime | None:
        ago = trio.current_time() - member.called_at
        return None if math.isinf(ago) else self._now() - timedelta(seconds=ago)

    def seek_row(self, number: int) -> LobbySeek | None:
        found = self._host.lobby.kept.seek(number)
        if found is None:
            return None
        handle, asked, seek = found
        return LobbySeek(number, handle, asked, _ENCODER.encode(seek).decode())

    def match_row(self, number: int) -> LobbyMatch | None:
        match = self._host.lobby.kept.match(number)
        return None if match is None else LobbyMatch(number, _ENCODER.encode(match).decode())

    def missed_row(self, key: str) -> tuple[int, datetime] | None:
        over = self._host.registry.missed_of(key)
        if over is None or not isinstance(over.line, GameOver):
            return None
        return over.line.id, self._now()

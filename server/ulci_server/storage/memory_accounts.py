"""Keeps accounts, tokens and bans until the program ends."""

import hmac
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from ulci_server.game import Kind

from .accounts import Account, Ban, Banned, Player, Scope, Token, ban_value, fold
from .errors import RefusedError
from .rows import text


@dataclass(slots=True)
class _Drawer:
    """The records, by their numbers."""

    players: dict[int, Player] = field(default_factory=dict)
    tokens: dict[int, Token] = field(default_factory=dict)
    hashes: dict[int, str] = field(default_factory=dict)
    bans: dict[int, Ban] = field(default_factory=dict)
    last: int = 0

    def number(self) -> int:
        self.last += 1
        return self.last


class MemoryAccounts:
    """The `Accounts` of a repository of dictionaries."""

    def __init__(self) -> None:
        self._drawer = _Drawer()
        self._lock = threading.RLock()

    def add_player(self, name: str, kind: Kind, *, at: datetime | None = None) -> Player:
        with self._lock:
            if (kept := self.find_player(name)) is not None:
                raise RefusedError(f"there is an account {kept.name} already")
            player = Player(self._drawer.number(), text(name), kind, _or_now(at))
            self._drawer.players[player.id] = player
            return player

    def players(self) -> list[Player]:
        with self._lock:
            return list(self._drawer.players.values())

    def find_player(self, name: str) -> Player | None:
        folded = fold(text(name))
        return next((one for one in self.players() if fold(one.name) == folded), None)

    def account_names(self, *, after: int = 0) -> frozenset[str]:
        return frozenset(fold(player.name) for player in self.players() if player.id > after)

    def accounts_stamp(self) -> tuple[int, int, datetime | None]:
        with self._lock:
            players = self._drawer.players
            newest = max((player.created_at for player in players.values()), default=None)
            return len(players), max(players, default=0), newest

    def remove_player(self, player: int) -> bool:
        with self._lock:
            for token in self.tokens(player):
                del self._drawer.tokens[token.id], self._drawer.hashes[token.id]
            return self._drawer.players.pop(player, None) is not None

    def add_token(
        self,
        player: int,
        hash_: str,
        scope: Scope,
        label: str = "",
        *,
        at: datetime | None = None,
    ) -> Token:
        with self._lock:
            if player not in self._drawer.players or hash_ in self._drawer.hashes.values():
                raise RefusedError(f"there is no account {player}, or there is such a token")
            token = Token(self._drawer.number(), player, scope, text(label), _or_now(at))
            self._drawer.tokens[token.id] = token
            self._drawer.hashes[token.id] = hash_
            return token

    def tokens(self, player: int | None = None) -> list[Token]:
        with self._lock:
            tokens = self._drawer.tokens.values()
            return [token for token in tokens if player in (None, token.player)]

    def revoke(self, token: int, *, at: datetime | None = None) -> bool:
        with self._lock:
            kept = self._drawer.tokens.get(token)
            if kept is None or kept.revoked_at is not None:
                return False
            self._drawer.tokens[token] = replace(kept, revoked_at=_or_now(at))
            return True

    def revoke_all(self, player: int, *, at: datetime | None = None) -> int:
        with self._lock:
            return sum(self.revoke(token.id, at=at) for token in self.tokens(player))

    def find_token(self, hash_: str) -> Account | None:
        with self._lock:
            for token, kept in self._drawer.hashes.items():
                found = self._drawer.tokens[token]
                if found.revoked_at is None and hmac.compare_digest(kept.encode(), hash_.encode()):
                    player = self._drawer.players[found.player]
                    return Account(player.id, player.name, player.kind, found.scope, token)
        return None

    def tokens_used(self, used: Mapping[int, datetime]) -> None:
        with self._lock:
            for token, at in used.items():
                if (kept := self._drawer.tokens.get(token)) is not None:
                    self._drawer.tokens[token] = replace(kept, last_used_at=at)

    def add_ban(
        self,
        kind: Banned,
        value: str,
        *,
        by: str,
        why: str = "",
        until: datetime | None = None,
        at: datetime | None = None,
    ) -> Ban:
        value = ban_value(kind, text(value))
        with self._lock:
            number = self._drawer.number()
            ban = Ban(number, kind, value, until, text(by), text(why), _or_now(at))
            self._drawer.bans[number] = ban
            return ban

    def lift_ban(self, ban: int, *, at: datetime | None = None) -> bool:
        with self._lock:
            kept = self._drawer.bans.get(ban)
            if kept is None or kept.lifted_at is not None:
                return False
            self._drawer.bans[ban] = replace(kept, lifted_at=_or_now(at))
            return True

    def bans(self, *, lifted: bool = False, after: int = 0) -> list[Ban]:
        with self._lock:
            kept = [ban for ban in self._drawer.bans.values() if ban.id > after]
            return [ban for ban in kept if lifted or ban.lifted_at is None]

    def bans_stamp(self) -> tuple[int, int]:
        with self._lock:
            bans = self._drawer.bans
            return max(bans, default=0), sum(ban.lifted_at is not None for ban in bans.values())

    def ban_numbers(self) -> frozenset[int]:
        with self._lock:
            bans = self._drawer.bans.values()
            return frozenset(ban.id for ban in bans if ban.lifted_at is None)


def _or_now(at: datetime | None) -> datetime:
    return datetime.now(UTC) if at is None else at

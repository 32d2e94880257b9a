"""All members by handle, secret and account, and the results that absent players missed."""

from collections.abc import Collection

from ulci.protocol.messages import Lobby as Line
from ulci_server.hall.member import HostedMember
from ulci_server.lobby import Keeper, Profile, lobby_lines
from ulci_server.storage import secret_hash

ALIVE_TIMEOUT = 5.0
"""Seconds for an old connection to answer ``isready`` when the same account connects again. After
that it counts as dead, and its seat goes to the new connection."""

MAX_KEYS = 8
"""Secrets of one seat: the first one, which is stored, and the newest."""

MAX_MISSED = 2_000
"""Results kept for players who were away at the end and may resume: both of a thousand games that
end while nobody can reach the server. 300 bytes each."""


class MemberRegistry:
    """All members who logged in, including those that are disconnected and may return. keeper:
    notes what has changed."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._by_handle: dict[str, HostedMember] = {}
        self._by_key: dict[str, HostedMember] = {}
        self._keys: dict[HostedMember, list[str]] = {}
        self._missed: dict[str, Line] = {}
        # Sessions by handle, of an account by its number and of a token by its hash.
        self._by_proof: dict[int | str, dict[str, HostedMember]] = {}

    @property
    def all(self) -> Collection[HostedMember]:
        return self._by_handle.values()

    def __getitem__(self, handle: str) -> HostedMember:
        return self._by_handle[handle]

    def get(self, handle: str) -> HostedMember | None:
        return self._by_handle.get(handle)

    def __contains__(self, member: HostedMember) -> bool:
        """False if it never logged in, or was replaced by a newer connection."""
        return self._by_handle.get(member.handle) is member

    def elsewhere(self, profile: Profile) -> list[Line]:
        """Lines that tell a person of their other connections, those in games first. Engines have
        several on purpose and get none."""
        if profile.account is None or profile.kind == "engine":
            return []
        others = [s for s in self._of_account(profile) if s.handle != profile.handle]
        in_game = [(s.handle, s.table.id) for s in others if s.table is not None]
        if in_game:
            return [lobby_lines.elsewhere(handle, game) for handle, game in in_game]
        return [lobby_lines.elsewhere(other.handle) for other in others[:1]]

    # Entering

    def enter(self, member: HostedMember) -> None:
        self._by_handle[member.handle] = member
        self._keeper.member(member.handle)
        for proof in _proofs(member):
            self._by_proof.setdefault(proof, {})[member.handle] = member
        self.add_key(member)

    def add_key(self, member: HostedMember) -> None:
        """Index the member by its secret, if it has one."""
        if not member.key:
            return
        self._by_key[member.key] = member
        self._keeper.member(member.handle)
        keys = self._keys.setdefault(member, [])
        if member.key not in keys:
            keys.append(member.key)
        if len(keys) > MAX_KEYS:
            self._by_key.pop(keys.pop(1), None)

    def add_keys(self, member: HostedMember, keys: Collection[str]) -> list[HostedMember]:
        """Index a member by the keys that it had in an earlier host's lobby, the oldest first.
        Returns the other members that lose one of these keys."""
        others = [self._by_key.get(key) for key in keys]
        self._keys[member] = [*keys]
        self._by_key.update(dict.fromkeys(keys, member))
        return [other for other in others if other is not None and other is not member]

    def keys_of(self, member: HostedMember) -> tuple[str, ...]:
        """The hashes of its secrets, the oldest first."""
        return (*self._keys.get(member, ()),)

    def replace(self, before: HostedMember, member: HostedMember) -> None:
        """Replace a player's old connection. A person's old secret becomes invalid. An engine's
        stays valid: a bridge has many connections, and the first to return may not be the one whose
        engine still thinks about the game."""
        keys = self._forget_keys(before)
        self._forget_proofs(before)
        if member.profile is not None and member.profile.kind == "engine":
            self._keys[member] = keys
            self._by_key.update(dict.fromkeys(keys, member))
        self.enter(member)

    def of_secret(self, secret: str) -> HostedMember | None:
        """The member with this secret."""
        return self._by_key.get(secret_hash(secret)) if secret else None

    def of_key(self, key: str) -> HostedMember | None:
        """The member with the secret of this key."""
        return self._by_key.get(key) if key else None

    def of_token(self, token: str) -> Profile | None:
        """The profile of a member that logged in by this token."""
        proved = self._by_proof.get(secret_hash(token), {}) if token else {}
        return next((member.profile for member in proved.values()), None)

    def of_account(self, account: int) -> list[HostedMember]:
        """The connections of that account."""
        return [*self._by_proof.get(account, {}).values()]

    def _of_account(self, profile: Profile) -> list[HostedMember]:
        """The connections of the same account and kind."""
        if profile.account is None:
            return []
        here = self._by_proof.get(profile.account, {}).values()
        return [member for member in here if member.is_same_account(profile)]

    async def dead_connection(self, profile: Profile) -> HostedMember | None:
        """An older connection of the same account that plays a game and is dead. One that answers
        keeps its game. An engine with a secret takes only the seat of that secret: it is one
        connection of a bridge, and the one that had the game will show its own."""
        if profile.account is None or (profile.kind == "engine" and profile.resume):
            return None
        playing = [s for s in self._of_account(profile) if s.is_playing]
        for member in playing:
            if member.gone:
                return member
        if profile.kind == "engine":
            return None  # an engine plays several games at once, by as many connections
        for member in playing:
            is_alive = await member.prove_alive(ALIVE_TIMEOUT)
            if not is_alive and member in self and member.is_playing:
                return member  # and nobody else has come back as this player meanwhile
        return None

    # Leaving

    def leave(self, member: HostedMember) -> None:
        """Remove the member; a result that it missed is kept until it returns."""
        del self._by_handle[member.handle]
        self._forget_proofs(member)
        if member.missed is not None and member.key:
            self.miss(member.key, member.missed)  # stored first: neither is forgotten
        self._keeper.member(member.handle)
        self._forget_keys(member)

    def miss(self, key: str, over: Line) -> None:
        """Keep a missed result for the player who enters by the secret of this key."""
        self._missed[key] = over
        self._keeper.missed(key)
        if len(self._missed) > MAX_MISSED:
            oldest = next(iter(self._missed))
            del self._missed[oldest]
            self._keeper.missed(oldest)

    def missed_of(self, key: str) -> Line | None:
        """The missed result that is kept for the player with this key."""
        return self._missed.get(key)

    def take_missed(self, secret: str) -> Line | None:
        """Remove and return the missed result of the player with this secret."""
        key = secret_hash(secret)
        over = self._missed.pop(key, None)
        if over is not None:
            self._keeper.missed(key)
        return over

    def _forget_keys(self, member: HostedMember) -> list[str]:
        """Remove and return the hashes of the member's secrets."""
        keys = self._keys.pop(member, [])
        for key in keys:
            if self._by_key.get(key) is member:
                del self._by_key[key]
        return keys

    def _forget_proofs(self, member: HostedMember) -> None:
        for proof in _proofs(member):
            here = self._by_proof.get(proof, {})
            if here.get(member.handle) is member:
                del here[member.handle]
            if not here:
                self._by_proof.pop(proof, None)


def _proofs(member: HostedMember) -> list[int | str]:
    """The account's number and the token's hash."""
    known = member.profile
    if known is None or known.account is None:
        return []
    return [known.account, *([secret_hash(known.token)] if known.token else [])]

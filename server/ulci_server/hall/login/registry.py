"""All sessions by handle, secret and account, and the results that absent players missed."""

from collections.abc import Collection

from ulci.protocol.messages import Lobby as Line
from ulci_server.hall.session.session import Session
from ulci_server.lobby import Profile, lobby_lines
from ulci_server.storage import secret_hash

ALIVE_TIMEOUT = 5.0
"""Seconds for an old connection to answer ``isready`` when the same account connects again. After
that it counts as dead, and its seat goes to the new connection."""

MAX_KEYS = 8
"""Secrets of one seat: the first one, which is stored, and the newest."""

MAX_MISSED = 10_000
"""Results kept for players who were away at the end and may resume."""


class SessionRegistry:
    """All sessions that logged in, also those that are disconnected and may return."""

    def __init__(self) -> None:
        self._by_handle: dict[str, Session] = {}
        self._by_key: dict[str, Session] = {}
        self._keys: dict[Session, list[str]] = {}
        self._missed: dict[str, Line] = {}
        # Sessions by handle, of an account by its number and of a token by its hash.
        self._by_proof: dict[int | str, dict[str, Session]] = {}

    @property
    def all(self) -> Collection[Session]:
        return self._by_handle.values()

    def __getitem__(self, handle: str) -> Session:
        return self._by_handle[handle]

    def get(self, handle: str) -> Session | None:
        return self._by_handle.get(handle)

    def __contains__(self, session: Session) -> bool:
        """False if it never logged in, or was replaced by a newer connection."""
        return self._by_handle.get(session.handle) is session

    def elsewhere(self, profile: Profile) -> list[Line]:
        """Lines that tell a person of their other connections, those in games first. Engines
        have several on purpose and are told nothing."""
        if profile.account is None or profile.kind == "engine":
            return []
        others = [s for s in self._of_account(profile) if s.handle != profile.handle]
        in_game = [(s.handle, s.table.id) for s in others if s.table is not None]
        if in_game:
            return [lobby_lines.elsewhere(handle, game) for handle, game in in_game]
        return [lobby_lines.elsewhere(other.handle) for other in others[:1]]

    # Entering

    def enter(self, session: Session) -> None:
        self._by_handle[session.handle] = session
        for proof in _proofs(session):
            self._by_proof.setdefault(proof, {})[session.handle] = session
        self.add_key(session)

    def add_key(self, session: Session) -> None:
        """Index the session by its secret, if it has one."""
        if not session.key:
            return
        self._by_key[session.key] = session
        keys = self._keys.setdefault(session, [])
        if session.key not in keys:
            keys.append(session.key)
        if len(keys) > MAX_KEYS:
            self._by_key.pop(keys.pop(1), None)

    def replace(self, before: Session, session: Session) -> None:
        """Replace a player's old connection. A person's old secret becomes invalid. An engine's
        stays valid: a bridge has many connections, and the first to return may not be the one whose
        engine still thinks about the game."""
        keys = self._forget_keys(before)
        self._forget_proofs(before)
        if session.profile is not None and session.profile.kind == "engine":
            self._keys[session] = keys
            self._by_key.update(dict.fromkeys(keys, session))
        self.enter(session)

    def of_secret(self, secret: str) -> Session | None:
        """The session with this secret."""
        return self._by_key.get(secret_hash(secret)) if secret else None

    def of_token(self, token: str) -> Profile | None:
        """The profile of a session that logged in by this token."""
        proved = self._by_proof.get(secret_hash(token), {}) if token else {}
        return next((session.profile for session in proved.values()), None)

    def _of_account(self, profile: Profile) -> list[Session]:
        """The connections of the same account and kind."""
        if profile.account is None:
            return []
        here = self._by_proof.get(profile.account, {}).values()
        return [session for session in here if session.is_same_account(profile)]

    async def dead_connection(self, profile: Profile) -> Session | None:
        """An older connection of the same account that plays a game and is dead. One that answers
        keeps its game. An engine with a secret takes only the seat of that secret: it is one
        connection of a bridge, and the one that had the game will show its own."""
        if profile.account is None or (profile.kind == "engine" and profile.resume):
            return None
        playing = [s for s in self._of_account(profile) if s.table is not None]
        for session in playing:
            if session.gone:
                return session
        if profile.kind == "engine":
            return None  # an engine plays several games at once, by as many connections
        for session in playing:
            if not await session.prove_alive(ALIVE_TIMEOUT) and session.table is not None:
                return session
        return None

    # Leaving

    def leave(self, session: Session) -> None:
        """Remove the session; a result that it missed is kept until it returns."""
        del self._by_handle[session.handle]
        self._forget_proofs(session)
        if session.missed is not None and session.key:
            self._missed[session.key] = session.missed
            if len(self._missed) > MAX_MISSED:
                del self._missed[next(iter(self._missed))]
        self._forget_keys(session)

    def take_missed(self, secret: str) -> Line | None:
        """The result that the session with this secret missed, once."""
        return self._missed.pop(secret_hash(secret), None)

    def _forget_keys(self, session: Session) -> list[str]:
        """Remove and return the hashes of the session's secrets."""
        keys = self._keys.pop(session, [])
        for key in keys:
            if self._by_key.get(key) is session:
                del self._by_key[key]
        return keys

    def _forget_proofs(self, session: Session) -> None:
        for proof in _proofs(session):
            here = self._by_proof.get(proof, {})
            if here.get(session.handle) is session:
                del here[session.handle]
            if not here:
                self._by_proof.pop(proof, None)


def _proofs(session: Session) -> list[int | str]:
    """The account's number and the token's hash."""
    known = session.profile
    if known is None or known.account is None:
        return []
    return [known.account, *([secret_hash(known.token)] if known.token else [])]

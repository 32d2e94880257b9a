"""Who is here, by name and by secret, and what have those missed who left?"""

from collections.abc import Collection

from ulci.protocol.messages import Lobby as Line
from ulci_server.lobby import Profile, lines

from .session import Session, key_of

PROOF = 5.0
"""Seconds for an old connection to answer ``isready`` when the same account comes in anew: who does
not is taken for dead, and its seat goes to the new one."""

MOST_KEYS = 8
"""Secrets that lead to one seat: its first one, which the record knows, and the newest."""

MOST_MISSED = 10_000
"""Results of games kept for those who were away at the end and may ask for their seat."""


class Guests:
    """Everybody who was introduced, also those whose line is lost for the moment."""

    def __init__(self) -> None:
        self._by_handle: dict[str, Session] = {}
        self._by_key: dict[str, Session] = {}
        self._keys: dict[Session, list[str]] = {}
        self._missed: dict[str, Line] = {}
        # Of an account, by its number, and of a token, by its hash; by their handles.
        self._proved: dict[int | str, dict[str, Session]] = {}

    @property
    def all(self) -> Collection[Session]:
        return self._by_handle.values()

    def __getitem__(self, handle: str) -> Session:
        return self._by_handle[handle]

    def get(self, handle: str) -> Session | None:
        return self._by_handle.get(handle)

    def __contains__(self, session: Session) -> bool:
        """False of who was never introduced, or replaced by a newer connection."""
        return self._by_handle.get(session.handle) is session

    def elsewhere(self, profile: Profile) -> list[Line]:
        """For a person who came in a second time: as whom they are here already, and which of
        their connections are in a game. An engine's are many on purpose."""
        if profile.account is None or profile.kind == "engine":
            return []
        others = [s for s in self._of_account(profile) if s.handle != profile.handle]
        in_game = [(s.handle, s.table.game.id) for s in others if s.table is not None]
        if in_game:
            return [lines.elsewhere(handle, game) for handle, game in in_game]
        return [lines.elsewhere(other.handle) for other in others[:1]]

    # Coming

    def enter(self, session: Session) -> None:
        self._by_handle[session.handle] = session
        for proof in _proofs(session):
            self._proved.setdefault(proof, {})[session.handle] = session
        self.know(session)

    def know(self, session: Session) -> None:
        """It has a secret now, if it has."""
        if not session.key:
            return
        self._by_key[session.key] = session
        keys = self._keys.setdefault(session, [])
        if session.key not in keys:
            keys.append(session.key)
        if len(keys) > MOST_KEYS:
            self._by_key.pop(keys.pop(1), None)

    def replace(self, before: Session, session: Session) -> None:
        """The same player on a new line. A person's old secret leads nowhere any more. An engine's
        does: a bridge has many lines, and whichever of its account came first may not be the one
        whose engine still thinks about the game."""
        keys = self._forget_keys(before)
        self._forget_proofs(before)
        if session.profile is not None and session.profile.kind == "engine":
            self._keys[session] = keys
            self._by_key.update(dict.fromkeys(keys, session))
        self.enter(session)

    def of_secret(self, secret: str) -> Session | None:
        """Who has the secret is who was here before."""
        return self._by_key.get(key_of(secret)) if secret else None

    def of_token(self, token: str) -> Profile | None:
        """Somebody here who proved an account with it."""
        proved = self._proved.get(key_of(token), {}) if token else {}
        return next((session.profile for session in proved.values()), None)

    def _of_account(self, profile: Profile) -> list[Session]:
        """Its connections that are as much of a program."""
        if profile.account is None:
            return []
        here = self._proved.get(profile.account, {}).values()
        return [session for session in here if session.is_of(profile)]

    async def dead_self(self, profile: Profile) -> Session | None:
        """An older connection of the same account that has a game and is not there any more. One
        that answers keeps what it has: nobody steals a running game, not even from themselves.
        Nor does an engine that has a secret, but not that of the seat: it is another connection of
        a bridge, and the one that had the game will show its own."""
        if profile.account is None or (profile.kind == "engine" and profile.resume):
            return None
        playing = [s for s in self._of_account(profile) if s.table is not None]
        for session in playing:
            if session.gone:
                return session
        if profile.kind == "engine":
            return None  # an engine plays several games at once, by as many connections
        for session in playing:
            if not await session.prove_alive(PROOF) and session.table is not None:
                return session
        return None

    # Going

    def leave(self, session: Session) -> None:
        """What it has missed is kept until it asks."""
        del self._by_handle[session.handle]
        self._forget_proofs(session)
        if session.missed is not None and session.key:
            self._missed[session.key] = session.missed
            if len(self._missed) > MOST_MISSED:
                del self._missed[next(iter(self._missed))]
        self._forget_keys(session)

    def take_missed(self, secret: str) -> Line | None:
        """How the last game of who had that secret ended, if it was not there to hear."""
        return self._missed.pop(key_of(secret), None)

    def _forget_keys(self, session: Session) -> list[str]:
        """Those that led to it."""
        keys = self._keys.pop(session, [])
        for key in keys:
            if self._by_key.get(key) is session:
                del self._by_key[key]
        return keys

    def _forget_proofs(self, session: Session) -> None:
        for proof in _proofs(session):
            here = self._proved.get(proof, {})
            if here.get(session.handle) is session:
                del here[session.handle]
            if not here:
                self._proved.pop(proof, None)


def _proofs(session: Session) -> list[int | str]:
    """By what its account is known."""
    known = session.profile
    if known is None or known.account is None:
        return []
    return [known.account, *([key_of(known.token)] if known.token else [])]

"""Passwords: hashed by Argon2id in worker threads, a few at a time."""

import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import trio
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from ulci_server.web.quotas import TooOften

SHORTEST, LONGEST = 8, 256
"""Characters of a password: NIST SP 800-63B requires at least 8, and no mixture of letters, digits
and signs."""

AT_ONCE = 2
"""Passwords hashed at once: each takes 64 MiB and 0.1 s of a processor."""

PLACES = 22
"""People who may sign in or up at once, from the count of their attempt on: the server refuses one
more, with a Retry-After."""

HASHER = PasswordHasher(time_cost=3, memory_cost=64 * 1024, parallelism=1)
"""The second recommended option of RFC 9106 section 4, with one lane instead of four for a small
server."""

Result = TypeVar("Result")


class Passwords:
    """Hashes and checks passwords. computed: how many hashes it has computed. A check computes a
    hash even for a name without an account, so that its time does not reveal which names have
    one."""

    def __init__(self, hasher: PasswordHasher = HASHER) -> None:
        self._hasher = hasher
        self._places = trio.CapacityLimiter(AT_ONCE)
        self._nobodys = ""
        self._inside = 0
        self.computed = 0

    @contextmanager
    def place(self) -> Iterator[None]:
        """A place for one person, taken before the attempt is counted: people whom the server
        turns away lose no attempt, and cost the database nothing. Raises `TooOften`."""
        if self._inside >= PLACES:
            raise TooOften("too many sign in at this moment", 2, status=503)
        self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1

    async def hash(self, password: str) -> str:
        """The hash of a password, with a salt of its own."""
        return await self._compute(lambda: self._hasher.hash(_normal(password)))

    async def fits(self, hash_: str | None, password: str) -> bool:
        """Whether the password has that hash. None: there is no account, so the answer is False; it
        takes the same time."""
        return await self._compute(lambda: self._fits(hash_, password))

    def _fits(self, hash_: str | None, password: str) -> bool:
        try:
            known = self._hasher.verify(hash_ or self._of_nobody(), _normal(password))
        except (VerificationError, InvalidHashError):
            return False
        return known and hash_ is not None

    def _of_nobody(self) -> str:
        """A hash with the usual parameters, made once. For a worker thread."""
        if not self._nobodys:
            self._nobodys = self._hasher.hash("")
        return self._nobodys

    async def _compute(self, work: Callable[[], Result]) -> Result:
        self.computed += 1
        return await trio.to_thread.run_sync(work, limiter=self._places, abandon_on_cancel=True)


def fault_of(password: str, name: str) -> str | None:
    """Why this cannot be the password of that account; None: it can."""
    normal = _normal(password)
    if not SHORTEST <= len(normal) <= LONGEST:
        return f"a password has {SHORTEST} to {LONGEST} characters"
    if normal.casefold() == name.casefold():
        return "the password is the name"
    return None


def _normal(password: str) -> str:
    """The password in NFKC, so that its spelling in Unicode does not matter."""
    return unicodedata.normalize("NFKC", password)

"""Passwords are hashed in worker threads, a few at a time."""

import threading

import pytest
import trio
import trio.testing
from argon2 import PasswordHasher

from ulci_server.web.accounts.passwords import AT_ONCE, HASHER, PLACES, Passwords, fault_of
from ulci_server.web.quotas import TooOften

CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


async def test_a_password_fits_its_own_hash_only():
    passwords = Passwords(CHEAP)
    hash_ = await passwords.hash("correct horse")
    assert await passwords.fits(hash_, "correct horse")
    assert not await passwords.fits(hash_, "wrong horse")
    assert not await passwords.fits(None, "correct horse")
    assert not await passwords.fits(None, "")  # of which the hash of nobody is
    assert not await passwords.fits("no hash", "correct horse")
    assert await passwords.hash("correct horse") != hash_
    assert passwords.computed == 7


async def test_letters_that_were_typed_another_way_are_the_same():
    passwords = Passwords(CHEAP)
    assert await passwords.fits(await passwords.hash("cafe\u0301 noir"), "caf\u00e9 noir")


def test_what_is_stored_takes_memory_to_compute():
    assert HASHER.hash("x").startswith("$argon2id$v=19$m=65536,t=3,p=1$")


class Held:
    """A hasher that waits until it is let go."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.at_once = self.most = 0
        self._lock = threading.Lock()

    def hash(self, password: str) -> str:
        with self._lock:
            self.at_once += 1
            self.most = max(self.most, self.at_once)
        self.go.wait(60)
        with self._lock:
            self.at_once -= 1
        return password


async def test_few_are_hashed_at_once_and_those_that_are_too_many_come_again():
    held = Held()
    passwords = Passwords(held)  # type: ignore[arg-type]
    hashed, refused = [], []

    async def one(number: int) -> None:
        try:
            with passwords.place():
                hashed.append(await passwords.hash(f"password {number}"))
        except TooOften as refusal:
            refused.append(refusal)

    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            for number in range(PLACES + 3):
                nursery.start_soon(one, number)
            while len(refused) < 3:
                await trio.lowlevel.checkpoint()
            held.go.set()
        with passwords.place():
            hashed.append("")  # all have left
    assert len(hashed) == PLACES + 1
    assert {refusal.status_code for refusal in refused} == {503}
    assert held.most <= AT_ONCE


@pytest.mark.parametrize(
    ("password", "fault"),
    [
        ("x" * 7, "8 to 256"),
        ("x" * 8, None),
        ("x" * 256, None),
        ("x" * 257, "8 to 256"),
        ("ADA-LOVELACE", "the name"),
    ],
)
def test_what_can_be_a_password(password, fault):
    found = fault_of(password, "Ada-Lovelace")
    assert found is None if fault is None else fault in found

"""Accounts of the page at three servers that act as one: what is true at one is true at all."""

import json
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
import sqlalchemy as sa

from tests.support.databases import postgres_url
from tests.support.redis_servers import redis_url
from tests.support.server_clusters import serving_together
from tests.support.servers import PATIENCE, Server
from ulci_server.web.accounts.guesses import OF_BOTH

__all__ = ["postgres_url", "redis_url"]

pytestmark = [pytest.mark.system, pytest.mark.slow]

PASSWORD = "correct horse"

CONFIG = """
[clients]
guests = false
sign_up = "invite"
[limits]
exempt = []
"""


@pytest.fixture
def servers(tmp_path: Path, postgres_url: str, redis_url: str) -> Iterator[list[Server]]:
    with serving_together(tmp_path, postgres_url, redis_url, CONFIG) as together:
        yield together


class Browser:
    """Keeps its cookie, and comes from an address of its own."""

    def __init__(self, number: int) -> None:
        self.address = f"127.0.1.{number}"
        self.cookie = ""

    def post(self, server: Server, act: str, **said: str) -> tuple[int, dict[str, Any]]:
        fields = {"Content-Type": "application/json", "Cookie": self.cookie}
        return self._ask(server, "POST", f"/{act}", json.dumps(said), fields)

    def account(self, server: Server) -> dict[str, Any] | None:
        _, answer = self._ask(server, "GET", "", "", {"Cookie": self.cookie})
        return answer["account"]

    def _ask(
        self, server: Server, method: str, path: str, body: str, fields: dict[str, str]
    ) -> tuple[int, dict[str, Any]]:
        port = server.port("ws")
        line = HTTPConnection("127.0.0.1", port, PATIENCE, source_address=(self.address, 0))
        try:
            line.request(method, f"/api/account{path}", body, fields)
            answer = line.getresponse()
            if given := answer.headers["Set-Cookie"]:
                self.cookie = given.partition(";")[0]
            return answer.status, json.loads(answer.read())
        finally:
            line.close()


def invited(server: Server) -> str:
    return server.run("player", "invite").strip()


def signed_up(server: Server, name: str = "Ada", number: int = 1) -> Browser:
    browser = Browser(number)
    said = {"name": name, "password": PASSWORD, "invite": invited(server)}
    assert browser.post(server, "sign-up", **said)[0] == 201
    return browser


def logs_in(server: Server, token: str) -> bool:
    """Whether a program does with that token."""
    with socket.create_connection(("127.0.0.1", server.port()), PATIENCE) as line:
        line.sendall(b"id username Ada\nid version 1\nid feature lobby\n")
        line.sendall(f"id token {token}\nuciok\n".encode())
        for said in line.makefile():
            if said.startswith("lobby welcome"):
                return True
            if said.startswith("info clienterror"):
                assert "token is not valid" in said
                return False
    raise AssertionError("the server said neither")


def at_once(*works: Callable[[], Any]) -> list[Any]:
    """What they return, all begun together."""
    gate = Barrier(len(works))

    def run(work: Callable[[], Any]) -> Any:
        gate.wait(PATIENCE)
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        return [*pool.map(run, works)]


def test_what_is_done_at_one_server_holds_at_the_others(servers: list[Server]) -> None:
    one, two, three = servers
    ada = signed_up(one)
    assert [ada.account(server)["name"] for server in servers] == ["Ada"] * 3

    token = ada.post(two, "tokens", label="laptop")[1]
    assert logs_in(three, token["token"])
    assert ada.post(one, "tokens/revoke", id=str(token["id"]))[0] == 200
    assert not any(logs_in(server, token["token"]) for server in servers)

    for number in range(5):
        ticket = ada.post(servers[number % 3], "ticket")[1]["ticket"]
        used = at_once(*(partial(logs_in, server, ticket) for server in servers))
        assert sorted(used) == [False, False, True]

    there = Browser(2)
    assert there.post(three, "sign-in", name="ada", password=PASSWORD)[0] == 200
    ticket = there.post(three, "ticket")[1]["ticket"]
    assert ada.post(one, "password", old=PASSWORD, new="battery staple")[0] == 200
    assert [there.account(server) for server in servers] == [None] * 3
    assert not logs_in(three, ticket)
    assert there.post(two, "sign-in", name="Ada", password=PASSWORD)[0] == 401
    assert there.post(two, "sign-in", name="Ada", password="battery staple")[0] == 200

    kept = ada.cookie
    assert ada.post(two, "sign-out")[0] == 200
    ada.cookie = kept
    assert [ada.account(server) for server in servers] == [None] * 3
    assert there.account(one) is not None
    one.run("ban", "add", "--name", "Ada")
    for server in servers:
        assert there.post(server, "ticket")[0] == 403


def attempts(database: str, key: str) -> int:
    """How many there were by this key, the last in an hour: so that whoever has to wait does so,
    however slow this machine is."""
    engine = sa.create_engine(database)
    later = sa.text(
        "UPDATE attempts SET last_at = last_at + interval '1 hour' WHERE key = :key RETURNING count"
    )
    with engine.begin() as connection:
        count: int = connection.execute(later, {"key": key}).scalar_one()
    engine.dispose()
    return count


def test_wrong_passwords_are_counted_by_all_servers_together(servers: list[Server]) -> None:
    ada, eve = signed_up(servers[0]), Browser(2)
    for number in range(OF_BOTH.free):
        wrong = eve.post(servers[number % 3], "sign-in", name="Ada", password="wrong horse")
        assert wrong[0] == 401
    assert attempts(servers[0].database, "both 127.0.1.2 ada") == OF_BOTH.free
    for server in servers:
        refused, _ = eve.post(server, "sign-in", name="Ada", password=PASSWORD)
        assert refused == 429
    ada.cookie = ""
    assert ada.post(servers[1], "sign-in", name="Ada", password=PASSWORD)[0] == 200


def test_an_invitation_is_taken_at_one_of_several_servers(servers: list[Server]) -> None:
    for number in range(3):
        code = invited(servers[0])
        said = {"password": PASSWORD, "invite": code}
        made = at_once(
            *(
                partial(Browser(10 + at).post, server, "sign-up", name=f"Ada{number}{at}", **said)
                for at, server in enumerate(servers)
            )
        )
        assert sorted(status for status, _ in made) == [201, 403, 403]


def test_who_signs_up_while_the_server_dies_has_an_account_or_the_invitation(
    servers: list[Server],
) -> None:
    one, two, _ = servers
    ada, said = Browser(1), {"name": "Ada", "password": PASSWORD}
    code = invited(one)

    def sign_up() -> None:
        try:
            ada.post(one, "sign-up", invite=code, **said)
        except (OSError, HTTPException):
            ada.cookie = ""

    at_once(sign_up, one.kill)
    if ada.cookie:
        assert ada.account(two)["name"] == "Ada"
        return
    again, _ = ada.post(two, "sign-up", invite=code, **said)
    if again == 403:
        again, _ = ada.post(two, "sign-in", **said)
    assert again in (200, 201)
    assert ada.account(two)["name"] == "Ada"

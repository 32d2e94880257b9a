"""The document for authors of clients matches the server: its examples are played."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgpack
import pytest
import trio

import ulci.protocol
from tests.support.hosting import config, hosting
from ulci.net import Address
from ulci.protocol import ULCI, MsgpackCodec, Role
from ulci.protocol.lobby import commands, lines

README = Path(ulci.protocol.__file__).with_name("README.md").read_text()
ANYTHING = "…"


def blocks(kind: str) -> list[list[str]]:
    return [text.splitlines() for text in re.findall(rf"```{kind}\n(.*?)```", README, re.DOTALL)]


# Conversations


class Script:
    """Plays the lines of a conversation: says what the clients say, and hears what they hear."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._streams: dict[str, trio.SocketStream] = {}
        self._heard: dict[str, list[str]] = {}
        self._rest: dict[str, bytes] = {}
        self._loose: set[str] = set()  # who may hear other lines first
        self._secrets: dict[str, str] = {}

    async def play(self, script: Sequence[str]) -> None:
        for line in script:
            if line == ANYTHING:
                self._loose = set(self._streams)
                continue
            name, sign, text = line.split(" ", 2)
            if name in ("White", "Black"):
                name = await self._called(name)
            if sign == "<":
                await self._hear(name, text)
            elif sign == ">":
                for secret, value in self._secrets.items():
                    text = text.replace(secret, value)
                await self._streams[name].send_all(f"{text}\n".encode())
            else:
                assert (sign, text) == ("hangs", "up"), line
                await self._streams.pop(name).aclose()
        for stream in self._streams.values():
            await stream.aclose()

    async def _called(self, color: str) -> str:
        """Who has that color: White is asked first."""
        if color not in self._secrets:
            first, second = self._streams
            with trio.move_on_after(1):
                await self._read(first)
            white, black = (first, second) if self._heard[first] else (second, first)
            self._secrets |= {"White": white, "Black": black}
        return self._secrets[color]

    async def _hear(self, name: str, expected: str) -> None:
        if name not in self._streams:
            stream = await trio.open_tcp_stream(self._address.host, self._address.port)
            self._streams[name] = stream
            self._heard[name], self._rest[name] = [], b""
        parts = [re.escape(part) for part in re.split(rf"{ANYTHING}|\$SECRET", expected)]
        known = "$SECRET" in expected
        pattern = ("(.*)" if known else ".*").join(parts)
        while True:
            while not self._heard[name]:
                await self._read(name)
            line = self._heard[name].pop(0)
            if (found := re.fullmatch(pattern, line)) is not None or name not in self._loose:
                break
        assert found is not None, f"{name} heard {line!r} instead of {expected!r}"
        self._loose.discard(name)
        if known:
            self._secrets["$SECRET"] = found[1]

    async def _read(self, name: str) -> None:
        data = await self._streams[name].receive_some()
        assert data, f"{name} was cut off"
        *whole, self._rest[name] = (self._rest[name] + data).split(b"\n")
        self._heard[name] += [line.decode() for line in whole]


@pytest.mark.parametrize("script", blocks("transcript"), ids=lambda script: script[-1])
async def test_a_conversation_goes_as_it_is_told(script: list[str]) -> None:
    async with hosting(config()) as hosted:
        await Script(hosted.addresses[0]).play(script)
        hosted.shutdown.ask()
        hosted.shutdown.ask()


# Tables


def table(mark: str) -> list[str]:
    _, _, rest = README.partition(f"<!-- {mark} -->\n")
    rows = rest.partition("\n\n")[0].splitlines()[2:]
    return [re.fullmatch(r"\| `(.*)` \| .+ \|", row)[1].replace("\\|", "|") for row in rows]


def test_every_command_is_in_the_document() -> None:
    assert table("commands") == [row.usage for row in commands.ROWS]


def test_every_line_of_the_lobby_is_in_the_document() -> None:
    assert table("lines") == [row.usage for row in lines.ROWS]


# msgpack


@pytest.mark.parametrize(
    ("kind", "reader"), [("msgpack", Role.CLIENT), ("msgpack-commands", Role.SERVER)]
)
def test_a_message_lies_in_msgpack_as_the_document_shows(kind: str, reader: Role) -> None:
    (script,) = blocks(kind)
    dialect, codec = ULCI.with_lobby(), MsgpackCodec()
    shown: list[Any] = []
    for text in script[::2]:
        message = dialect.read_untrusted(text, reader)
        shown.append(msgpack.unpackb(codec.encode(message, dialect)))
    assert shown == [json.loads(text) for text in script[1::2]]

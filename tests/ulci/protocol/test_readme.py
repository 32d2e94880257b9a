"""The document for authors of clients matches the server: its examples are played."""

import ast
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgpack
import pytest
import trio

import ulci.protocol
import ulci_server
from tests.support.hosting import config, hosting
from ulci.conduct import MEANINGS
from ulci.net import Address
from ulci.protocol import ULCI, MsgpackCodec, Role
from ulci.protocol.lobby import commands, lines
from ulci.protocol.messages import Unknown
from ulci.rules import GAME_TABLE, GAMES, Reason, reason_in_english
from ulci.rules.liberty import FEATURES
from ulci.rules.liberty.pieces import KINDS
from ulci_server.lobby.profile import FEATURE_SPELLINGS
from ulci_server.web.service import openapi_text

README = Path(ulci.protocol.__file__).with_name("README.md").read_text()
SERVER = Path(ulci_server.__file__).parent
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


def lines_of(mark: str) -> list[str]:
    """The rows of a table as they are written."""
    _, _, rest = README.partition(f"<!-- {mark} -->\n")
    return rest.partition("\n\n")[0].splitlines()[2:]


def table(mark: str) -> list[str]:
    rows = lines_of(mark)
    return [re.fullmatch(r"\| `(.*)` \| .+ \|", row)[1].replace("\\|", "|") for row in rows]


def test_every_command_is_in_the_document() -> None:
    assert table("commands") == [row.usage for row in commands.ROWS]


def test_every_line_of_the_lobby_is_in_the_document() -> None:
    assert table("lines") == [row.usage for row in lines.ROWS]


def test_every_word_of_a_conduct_is_in_the_document() -> None:
    assert table("conduct") == [*MEANINGS]


@pytest.mark.parametrize(
    ("mark", "reader"), [("server-lines", Role.CLIENT), ("client-lines", Role.SERVER)]
)
def test_the_lines_of_a_game_are_read_and_written_as_the_document_shows(
    mark: str, reader: Role
) -> None:
    dialect = ULCI.with_lobby()
    for line in table(mark):
        message = dialect.read_untrusted(line, reader)
        assert not isinstance(message, Unknown)
        assert dialect.write(message) == line


def cells(mark: str) -> list[list[str]]:
    """What stands in backquotes in each cell of each row of a table."""
    rows = lines_of(mark)
    assert rows
    return [re.findall(r"(?:`[^`]*`|[^|])+", row) for row in rows]


def codes(mark: str) -> list[str]:
    return [re.findall("`(.*)`", row[0])[0] for row in cells(mark)]


_SAY_CODE = {
    "errors": {"Refusal", "error", "_error", "send_lobby_error"},
    "notes": {"note"},
}


@pytest.mark.parametrize("mark", _SAY_CODE)
def test_every_code_that_the_server_may_say_is_in_the_document_and_no_other(mark: str) -> None:
    said = set()
    for path in SERVER.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text())):
            if not isinstance(call, ast.Call) or not call.args:
                continue
            name = getattr(call.func, "attr", getattr(call.func, "id", ""))
            first = call.args[0]
            if name in _SAY_CODE[mark] and isinstance(first, ast.Constant):
                said.add(first.value)
    said = {code for code in said if isinstance(code, str) and re.fullmatch(r"[a-z-]+", code)}
    assert codes(mark) == sorted(said)


def test_every_feature_that_a_client_may_have_is_in_the_document() -> None:
    of_the_server = {"lobby", "pause", "admin"}
    assert {*codes("features")} == of_the_server | {*FEATURES}
    spelled = dict(zip(FEATURE_SPELLINGS.values(), FEATURE_SPELLINGS, strict=True))
    for [feature, meaning, *_] in cells("features"):
        name = feature.strip(" `")
        assert ("also spelled" in meaning) == (name in spelled)
        assert spelled.get(name, "") in meaning


def test_every_man_has_its_letter_in_the_document() -> None:
    told = {
        (letter.strip(" `"), re.match(r" (\w+)", man)[1]) for letter, man, *_ in cells("pieces")
    }
    assert told == {(kind.letter, kind.name) for kind in KINDS}


@pytest.mark.parametrize("row", cells("games"), ids=lambda row: row[0].strip(" `"))
def test_a_start_and_its_moves_are_as_the_document_says(row: list[str]) -> None:
    game, option, start, moves = ([*re.findall("`(.*?)`", cell)] for cell in row[:4])
    rules = GAMES[game[0]]
    for move in moves:
        assert rules.new(start[0]).is_legal_untrusted(move)
    assert rules.new(start[0]).fen() == start[0]
    for line in option:
        offered = ULCI.read_untrusted(line, Role.SERVER)
        [(name, value)] = rules.needs(start[0]).options.items()
        assert offered.name == name
        assert offered.vars == () or value in offered.vars


def test_every_reason_of_a_result_is_in_the_document_and_no_other() -> None:
    assert lines_of("reasons") == [
        f"| `{reason.value}` | {' '.join(f'`{score}`' for score in reason.scores)}"
        f" | {reason_in_english(reason, 'the loser')} |"
        for reason in Reason
    ]


def test_every_game_is_in_the_document_and_no_other() -> None:
    assert lines_of("titles") == [
        f"| `{name}` | {row.title} | {'stones' if row.stones else 'pieces'} |"
        for name, row in GAME_TABLE.items()
    ]


@pytest.mark.parametrize("path", ["/api/games/N/legal", "/api/games/N/parse", "/api/server"])
def test_what_the_document_says_of_http_is_what_the_server_describes(path: str) -> None:
    assert f"GET {path}" in README
    assert path.replace("N", "{id}") in openapi_text().decode()


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

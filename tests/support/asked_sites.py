"""A site asked without a socket."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import trio
import trio.testing
from starlette.applications import Starlette

from tests.support.clients import HANG


class Answer:
    """What came back; `chunks` are the pieces of its body."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()


class Stream:
    """An event stream that is read."""

    def __init__(self, answer: Answer, chunks: trio.MemoryReceiveChannel[bytes]) -> None:
        self.answer = answer
        self.ids: list[int] = []
        self._chunks = chunks
        self._text = b""

    async def event(self) -> tuple[str, dict]:
        """The next event and its document; comments are left out."""
        with trio.fail_after(HANG):
            while True:
                block = await self._block()
                fields = [line.split(": ", 1) for line in block.splitlines() if line[0] != ":"]
                if fields:
                    named = dict(fields)
                    if "id" in named:
                        self.ids.append(int(named["id"]))
                    return named["event"], json.loads(named["data"])

    async def until(self, name: str) -> dict:
        """The next event of that name; those before it are dropped."""
        while True:
            event, document = await self.event()
            if event == name:
                return document

    async def line(self) -> dict:
        """The next object of an NDJSON stream."""
        while b"\n" not in self._text:
            self._text += await self._chunks.receive()
        line, _, self._text = self._text.partition(b"\n")
        return json.loads(line) if line else await self.line()

    async def rest(self) -> bytes:
        """All that comes until it ends."""
        with trio.fail_after(HANG):
            async for chunk in self._chunks:
                self._text += chunk
        return self._text

    async def _block(self) -> str:
        while b"\n\n" not in self._text:
            self._text += await self._chunks.receive()
        block, _, self._text = self._text.partition(b"\n\n")
        return block.decode()


def scope(
    path: str, headers: Mapping[str, str], host: str, method: str, scheme: str = "http"
) -> dict:
    path, _, query = path.partition("?")
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": scheme,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(k.lower().encode(), v.encode()) for k, v in headers.items()],
        "client": (host, 4711),
        "server": ("127.0.0.1", 25566),
    }


class AskedSite:
    """The site `app`; its streams are served by tasks of `nursery`."""

    def __init__(self, app: Starlette, nursery: trio.Nursery) -> None:
        self.app = app
        self._nursery = nursery

    async def ask(
        self,
        path: str,
        headers: Mapping[str, str] | None = None,
        host="192.0.2.1",
        method="GET",
        body: bytes = b"",
        scheme="http",
    ) -> Answer:
        answer = Answer()

        async def receive():
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message):
            if message["type"] == "http.response.start":
                answer.status = message["status"]
                answer.headers = {k.decode(): v.decode() for k, v in message["headers"]}
            else:
                answer.body += message.get("body", b"")

        with trio.fail_after(HANG):
            await self.app(scope(path, headers or {}, host, method, scheme), receive, send)
        return answer

    @asynccontextmanager
    async def stream(
        self, path: str, headers: Mapping[str, str] | None = None, host="192.0.2.1", room=100
    ) -> AsyncIterator[Stream]:
        """`room`: pieces that it takes before it stops reading."""
        answer, gone, began = Answer(), trio.CancelScope(), trio.Event()
        into, chunks = trio.open_memory_channel[bytes](room)

        async def receive():
            await trio.sleep_forever()

        async def send(message):
            if message["type"] == "http.response.start":
                answer.status = message["status"]
                answer.headers = {k.decode(): v.decode() for k, v in message["headers"]}
                began.set()
            elif message.get("body"):
                await into.send(message["body"])

        async def serve():
            async with into:
                with gone:  # as its server does when the peer leaves
                    await self.app(scope(path, headers or {}, host, "GET"), receive, send)

        self._nursery.start_soon(serve)
        with trio.fail_after(HANG):
            await began.wait()
        yield Stream(answer, chunks)
        gone.cancel()
        await trio.testing.wait_all_tasks_blocked()

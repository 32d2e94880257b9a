"""The examples for curl in the READMEs work as they stand there."""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import trio

from tests.support.hosting import config, hosting
from ulci.protocol.messages import BestMove, Resign

ROOT = Path(__file__).parents[3]
READMES = (ROOT / "README.md", ROOT / "server" / "README.md")
HERE = "http://127.0.0.1:25566"
"""The exit code of a curl that was told to stop."""


def examples() -> list[str]:
    """All that ask a server of this machine."""
    blocks = [
        block
        for readme in READMES
        for block in re.findall(r"```sh\n(.*?)```", readme.read_text(), re.DOTALL)
    ]
    lines = [line for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith("curl") and HERE in line]


def test_there_are_examples() -> None:
    assert len(examples()) >= 12


async def beginning(argv: list[str], wanted: bytes, folder: Path) -> tuple[bytes, bytes]:
    """Head and first words of an answer without an end, however late they come."""
    process = await trio.lowlevel.open_process(argv, stdout=subprocess.PIPE, cwd=folder)
    assert process.stdout is not None
    said = b""
    async with process.stdout:
        async for data in process.stdout:
            said += data
            head, ended, body = said.partition(b"\r\n\r\n")
            if ended and len(body) >= len(wanted):
                break
    process.terminate()
    await process.wait()
    return head, body


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
async def test_every_example_answers(tmp_path: Path) -> None:
    listen = [{"address": "ws://127.0.0.1:0"}]
    async with hosting(config(listen=listen, grace=0.0)) as server:
        async with server.game() as (white, black):
            white.say(BestMove("e2e4"))
            await black.be_asked()
            black.say(Resign())
            await white.hear_line("game 1 over")
        async with server.game() as (white, black):
            for line in examples():
                url = f"http://127.0.0.1:{server.addresses[0].port}"
                argv = shlex.split(line.replace(HERE, url))
                endless = "-N" in argv
                if endless:
                    wanted = b"event: game\n" if line.endswith("/2/events") else b""
                    head, body = await beginning([*argv, "-sS", "-i"], wanted, tmp_path)
                    assert b" 200 " in head.splitlines()[0], line
                    assert body.startswith(wanted)
                    continue
                done = await trio.run_process(
                    [*argv, "-sS", "-i"],
                    capture_stdout=True,
                    capture_stderr=True,
                    check=False,
                    cwd=tmp_path,
                )
                assert done.returncode == 0, (line, done.stderr)
                if "-o" not in argv:
                    head, _, body = done.stdout.partition(b"\r\n\r\n")
                    assert b" 200 " in head.splitlines()[0], line
                    if b"application/json" in head:
                        assert "now" in json.loads(body)
            assert '[GameId "1"]' in (tmp_path / "games.pgn").read_text()

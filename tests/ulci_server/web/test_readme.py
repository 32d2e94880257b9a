"""The examples for curl in the READMEs work as they stand there."""

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
import trio

from tests.support.hosting import config, hosting
from ulci.protocol.messages import BestMove, Resign

ROOT = Path(__file__).parents[3]
READMES = (ROOT / "README.md", ROOT / "server" / "README.md")
HERE = "http://127.0.0.1:25566"
TIMED_OUT = 28
"""The exit code of a curl that was told to stop."""


ENOUGH = "5"
"""Seconds in which an answer without an end begins, also on a busy machine."""


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
                done = await trio.run_process(
                    [*argv, "-sS", "-i", *(["--max-time", ENOUGH] if endless else [])],
                    capture_stdout=True,
                    capture_stderr=True,
                    check=False,
                    cwd=tmp_path,
                )
                assert done.returncode == (TIMED_OUT if endless else 0), (line, done.stderr)
                if "-o" not in argv:
                    head, _, body = done.stdout.partition(b"\r\n\r\n")
                    assert b" 200 " in head.splitlines()[0], line
                    if b"application/json" in head:
                        assert "now" in json.loads(body)
                    if line.endswith("/2/events"):
                        assert body.startswith(b"event: game\n")
            assert '[GameId "1"]' in (tmp_path / "games.pgn").read_text()

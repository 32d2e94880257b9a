"""What ``ulci-server match`` says of a match that cannot be played, and its exit code."""

import pytest
import trio

from tests.ulci_server.cli.conftest import Shell
from ulci_server.match import EngineFailedError, OtherMatchError
from ulci_server.openings import BookError

MATCH = ("match", "-engine", "cmd=A", "-engine", "cmd=B", "-each", "st=1")


def failing(monkeypatch: pytest.MonkeyPatch, *errors: Exception) -> None:
    """The match raises these, from tasks of its own."""

    async def play(*_: object) -> int:
        await trio.lowlevel.checkpoint()
        raise ExceptionGroup("match", [ExceptionGroup("boards", errors)])

    monkeypatch.setattr("ulci_server.cli.match.command.play", play)


def test_an_engine_that_fails_at_several_boards_is_told_once(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(monkeypatch, *(EngineFailedError(at, f"no uciok\n  from {at}") for at in (1, 1, 0)))
    result = shell.run(*MATCH)
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-4:] == [
        'Fatal; B engine startup failure: "no uciok"',
        "  from 1",
        'Fatal; A engine startup failure: "no uciok"',
        "  from 0",
    ]


@pytest.mark.parametrize("error", [BookError("no book"), OtherMatchError("another match")])
def test_what_can_be_expected_is_told_in_a_line(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    failing(monkeypatch, error)
    result = shell.run(*MATCH)
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (1, str(error))


def test_a_fault_of_ours_is_not_hidden(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, ZeroDivisionError())
    with pytest.RaisesGroup(ZeroDivisionError, flatten_subgroups=True):
        shell.run(*MATCH)

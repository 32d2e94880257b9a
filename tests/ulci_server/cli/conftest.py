"""The command, run in this process."""

import pytest
from click.testing import CliRunner, Result

from tests.support.facts import analysed, finished, line, noted, played, started
from ulci.rules import Reason, Side
from ulci_server.cli import main
from ulci_server.game import Seat
from ulci_server.storage import Database, migrate


class Shell:
    """Runs ``ulci-server`` in an environment without variables of ours."""

    def run(self, *argv: str, **environ: str) -> Result:
        env: dict[str, str | None] = {"ULCI_DATABASE": None, "ULCI_BUS": None, "COLUMNS": "100"}
        env |= environ
        result = CliRunner().invoke(main, argv, env=env, prog_name="ulci-server")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    def refused(self, *argv: str, code: int = 1) -> str:
        """Run what cannot work; the one line that says why."""
        result = self.run(*argv)
        assert result.exit_code == code, result.output
        *usage, last = result.stderr.rstrip().split("\n")
        assert last.startswith("Error: ")
        if code == 2:
            usage = [text for text in usage if text and not text.startswith(("Usage:", "Try "))]
        assert usage == []
        return last.removeprefix("Error: ")


@pytest.fixture
def shell() -> Shell:
    return Shell()


@pytest.fixture
def games_url(sqlite_url: str) -> str:
    """A database with three games: one won, one running, one by somebody with a hostile name."""
    hostile = Seat("Eve\x1b[2J \u202e黒", "human")
    migrate(sqlite_url)
    database = Database(sqlite_url)
    database.save(
        noted(
            [
                *line(1, "f2f3 e7e5 g2g4"), played(1, 3, "d8h4", info=analysed()),
                finished(1, Side.BLACK),
                *line(2, "e2e4"),
                started(3, seats=(hostile, Seat("Bob", "engine"))),
                finished(3, None, Reason.ABORTED, "Eve was not ready"),
            ]
        )
    )  # fmt: skip
    database.close()
    return sqlite_url

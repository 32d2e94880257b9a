"""How a command fails."""

import pytest

from ulci.net import ListenError, NetError
from ulci.settings import Fault
from ulci_server.app import UnsavedError
from ulci_server.cli.errors import BadConfig, ExitCode, Failure, reporting_errors
from ulci_server.config import ConfigError
from ulci_server.storage import StorageError


@pytest.mark.parametrize("error", [ListenError("a"), StorageError("a"), UnsavedError("a")])
def test_what_is_no_bug_is_told_without_a_traceback(error: Exception) -> None:
    with pytest.raises(Failure) as caught, reporting_errors(NetError, UnsavedError):
        raise error
    assert (caught.value.message, caught.value.exit_code) == ("a", ExitCode.FAILED)


def test_a_wrong_configuration_is_wrong_usage() -> None:
    with pytest.raises(BadConfig, match="it has 1 error") as caught, reporting_errors():
        raise ConfigError("it", [Fault("x", "y")])
    assert caught.value.exit_code == ExitCode.USAGE


def test_of_a_group_every_error_is_told() -> None:
    inner = ExceptionGroup("", [ListenError("b")])
    with pytest.raises(Failure) as caught, reporting_errors(NetError):
        raise ExceptionGroup("", [StorageError("a"), inner])
    assert caught.value.message == "a\nb"


def test_a_bug_stays_a_bug() -> None:
    with pytest.raises(ZeroDivisionError), reporting_errors():
        raise ZeroDivisionError
    with pytest.raises(BrokenPipeError), reporting_errors(NetError):
        raise BrokenPipeError

"""Signals that a program is to ignore, or may not show its own way."""

import signal
import sys

import pytest

from ulci.signals import end_at_interrupt, heed_interrupt, without_nohup


@pytest.fixture(params=[signal.SIGHUP, signal.SIGINT])
def number(request) -> signal.Signals:
    """What this process does about it is put back."""
    before = signal.getsignal(request.param)
    yield request.param
    signal.signal(request.param, before)


def test_only_a_hang_up_is_left_out_and_only_if_it_is_to_be_ignored(number) -> None:
    heard = signal.SIGHUP, signal.SIGINT
    assert (*without_nohup(*heard),) == heard
    signal.signal(number, signal.SIG_IGN)
    assert (*without_nohup(*heard),) == ((signal.SIGINT,) if number == signal.SIGHUP else heard)


@pytest.mark.parametrize("number", [signal.SIGINT], indirect=True)
@pytest.mark.parametrize(
    ("path", "ours"),
    [
        ("/usr/local/bin/ulci", True),
        ("/opt/ulci/.venv/bin/ulci-server", True),
        ("-m", True),
        ("/usr/bin/pytest", False),
        ("/home/ada/simulci", False),
    ],
)
def test_an_interrupt_is_silent_in_our_programs_alone_and_never_where_it_is_ignored(
    number, path: str, ours: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [path])
    for usual, then in (
        (signal.default_int_handler, signal.SIG_DFL if ours else signal.default_int_handler),
        (signal.SIG_IGN, signal.SIG_IGN),
    ):
        signal.signal(number, usual)
        end_at_interrupt()
        assert signal.getsignal(number) is then
        heed_interrupt()
        assert signal.getsignal(number) is usual

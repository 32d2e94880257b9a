"""A certificate that is renewed while the server runs."""

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme
from structlog.testing import capture_logs

from ulci_server.config.certificate import DAY, LOOK_EVERY, Certificate

NEVER = datetime(2100, 1, 1)  # noqa: DTZ001 (trustme wants it so)
LONG_AGO = datetime(2000, 1, 1)  # noqa: DTZ001


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


class Clock:
    """Goes when it is told to."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


class Renewed:
    """A certificate in a folder, and clocks."""

    def __init__(self, folder: Path, authority: trustme.CA) -> None:
        self.authority = authority
        self.certificate, self.key = folder / "cert.pem", folder / "key.pem"
        self.steady, self.machine = Clock(), Clock()
        self.machine.now = time.time()  # or OpenSSL and we would not mean the same now
        self.write()
        self.shown = Certificate(
            self.certificate, self.key, steady=self.steady, machine=self.machine
        )

    def write(self, until: datetime = NEVER) -> trustme.LeafCert:
        """Write new files, ten minutes after the last ones."""
        self.machine.now += 600
        made = self.authority.issue_cert("localhost", not_before=LONG_AGO, not_after=until)
        made.cert_chain_pems[0].write_to_path(self.certificate)
        made.private_key_pem.write_to_path(self.key)
        self.touch()
        return made

    def touch(self) -> None:
        for path in (self.certificate, self.key):
            os.utime(path, (self.machine.now, self.machine.now))

    def later(self, seconds: float = LOOK_EVERY) -> None:
        self.steady.now += seconds
        self.machine.now += seconds


@pytest.fixture
def renewed(tmp_path: Path, authority: trustme.CA) -> Renewed:
    return Renewed(tmp_path, authority)


def test_new_files_are_shown_to_the_next_who_connect(renewed: Renewed) -> None:
    first = renewed.shown()
    assert renewed.shown() is first
    renewed.write(datetime(2099, 1, 1))  # noqa: DTZ001
    assert renewed.shown() is first  # not looked at again yet
    renewed.later()
    with capture_logs() as logs:
        assert renewed.shown() is not first
    assert logs == [
        {
            "event": "certificate",
            "log_level": "info",
            "file": str(renewed.certificate),
            "until": "2099-01-01T00:00:00+00:00",
        }
    ]
    second = renewed.shown()
    renewed.later()
    assert renewed.shown() is second


def test_files_that_were_changed_just_now_may_not_be_whole_yet(renewed: Renewed) -> None:
    first = renewed.shown()
    renewed.later()
    renewed.write()
    assert renewed.shown() is first
    renewed.later()
    assert renewed.shown() is not first


def test_files_that_are_no_good_are_told_once_and_the_old_certificate_stays(
    renewed: Renewed,
) -> None:
    first = renewed.shown()
    renewed.write()
    other = renewed.authority.issue_cert("localhost")
    other.private_key_pem.write_to_path(renewed.key)
    renewed.touch()
    with capture_logs() as logs:
        for _ in range(3):
            renewed.later()
            assert renewed.shown() is first
    (entry,) = logs
    assert entry["log_level"] == "error"
    assert "does not belong to the certificate" in entry["advice"]
    renewed.write()
    renewed.later()
    assert renewed.shown() is not first


def test_files_that_are_gone_are_told_and_the_old_certificate_stays(renewed: Renewed) -> None:
    first = renewed.shown()
    renewed.key.unlink()
    renewed.later()
    with capture_logs() as logs:
        assert renewed.shown() is first
    assert "No such file" in logs[0]["advice"]


def test_a_certificate_that_ends_soon_is_warned_of_every_day(renewed: Renewed) -> None:
    renewed.write(datetime.now() + timedelta(days=9.3))  # noqa: DTZ005
    renewed.later()
    with capture_logs() as logs:
        renewed.shown()
        renewed.later(DAY / 2)
        renewed.shown()
        assert len(logs) == 1
        renewed.later(DAY / 2)
        renewed.shown()
    assert [entry["log_level"] for entry in logs] == ["warning", "warning"]
    assert "it expires in 9 days: renew" in logs[0]["advice"]
    assert "it expires in 8 days" in logs[1]["advice"]


def test_a_certificate_that_has_ended_is_shown_and_warned_of(renewed: Renewed) -> None:
    first = renewed.shown()
    renewed.write(datetime(2001, 1, 1))  # noqa: DTZ001
    renewed.later()
    with capture_logs() as logs:
        assert renewed.shown() is not first
    assert logs[0]["log_level"] == "warning"
    assert "clients that verify will refuse it: certificate has expired" in logs[0]["advice"]


def test_one_file_may_hold_both(tmp_path: Path, authority: trustme.CA) -> None:
    both = tmp_path / "both.pem"
    made = authority.issue_cert("localhost", not_after=NEVER)
    made.private_key_and_cert_chain_pem.write_to_path(both)
    shown = Certificate(both, None)
    assert shown.validity.until == NEVER.replace(tzinfo=UTC)
    assert shown.warning() == ""

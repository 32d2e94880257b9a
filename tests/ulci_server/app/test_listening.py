"""What the log says of a connection that failed."""

import errno

from structlog.testing import capture_logs

from ulci.net import ExhaustedError, HandshakeError
from ulci_server.app.listening import _report


def test_bugs_are_logged_as_errors_and_bad_peers_are_not() -> None:
    with capture_logs() as logs:
        _report("tcp 192.0.2.1:1", HandshakeError("no TLS"))
        _report("tcp 192.0.2.1:2", bug := KeyError("a bug"))
    assert logs == [
        {
            "event": "no connection",
            "log_level": "info",
            "peer": "tcp 192.0.2.1:1",
            "why": "no TLS",
        },
        {
            "event": "connection failed",
            "log_level": "error",
            "peer": "tcp 192.0.2.1:2",
            "exc_info": bug,
        },
    ]


def test_a_shortage_is_one_line_of_the_log() -> None:
    with capture_logs() as logs:
        _report("tcp://127.0.0.1:1", ExhaustedError(errno.EMFILE, "out of file descriptors"))
    (line,) = logs
    assert line["why"] == "out of file descriptors"
    assert "exc_info" not in line

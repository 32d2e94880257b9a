"""Protocol errors: ours and the peer's."""

from ulci.protocol import LocalProtocolError, ProtocolError, RemoteProtocolError


def test_a_fault_of_theirs_is_not_fatal_unless_it_says_so():
    assert not RemoteProtocolError("x").fatal
    assert RemoteProtocolError("x", fatal=True).fatal
    assert str(RemoteProtocolError("what to do instead")) == "what to do instead"


def test_both_errors_share_a_base_and_nothing_else():
    assert issubclass(LocalProtocolError, ProtocolError)
    assert issubclass(RemoteProtocolError, ProtocolError)
    assert not issubclass(RemoteProtocolError, LocalProtocolError)

from ulci.protocol import Blank, Connection, Quit, Role, TextCodec, Unknown
from ulci_client.doctor.raw import Raw


def test_every_line_is_heard_as_it_is_and_at_any_time():
    connection = Connection(Role.SERVER, TextCodec(), Raw())
    connection.receive_data(b"bestmove  e2e4 \nreadyok\n\nhello\n")
    heard = [connection.next_message() for _ in range(5)]
    said = [Unknown("bestmove  e2e4 "), Unknown("readyok"), Blank(), Unknown("hello"), None]
    assert heard == said


def test_every_line_is_said_as_it_is():
    connection = Connection(Role.SERVER, TextCodec(), Raw())
    assert connection.send(Unknown("  isready \t\r"), Unknown("go")) == b"  isready \t\r\ngo\n"
    assert connection.send(Quit()) == b"quit\n"

"""Those who watch a game of this server at another one."""

from types import SimpleNamespace

from ulci.protocol.messages import Clock, Info, Position
from ulci.rules import Side
from ulci_server.cluster import messages as said
from ulci_server.cluster.remote_spectators import RemoteSpectators
from ulci_server.hall.table.state import TableState
from ulci_server.lobby import lobby_lines

STATE = TableState(Clock(1, 2), None, {"white": "here", "black": "here"})

POSITION, THOUGHT, NEWS = Position(None, ("e2e4",)), Info(depth=3), Info(string="news")


class Table:
    """White thinks."""

    id = 7
    spectators = SimpleNamespace(thinker=lambda one: Side.WHITE if one is THOUGHT else None)

    def __init__(self) -> None:
        self.watchers: list[object] = []

    def snapshot(self):
        return (POSITION,)

    def state(self) -> TableState:
        return STATE

    def unwatch(self, watcher) -> None:
        self.watchers.remove(watcher)


def watched():
    sent: list[tuple[int, said.AnyMessage]] = []
    ended: list[bool] = []
    post = SimpleNamespace(send=lambda run, one: sent.append((run, one)), epoch=lambda _: 3)
    table = Table()
    spectators = RemoteSpectators(post, 2, table, lambda: ended.append(True))
    table.watchers.append(spectators)
    return spectators, table, sent, ended


def test_a_new_watcher_is_told_all_and_then_what_is_new() -> None:
    spectators, _, sent, _ = watched()
    spectators.begin()
    spectators.tell(NEWS, THOUGHT)
    spectators.tell()
    assert sent == [
        (2, said.Feed(7, 3, (POSITION,), (), STATE, whole=True)),
        (2, said.Feed(7, 3, (NEWS,), ((Side.WHITE, THOUGHT),), STATE, whole=False)),
    ]


def test_what_a_spectator_says_is_passed_on() -> None:
    spectators, _, sent, _ = watched()
    line = lobby_lines.said("Cy", "hello")
    spectators.hear_chat(line)
    assert sent == [(2, said.Feed(7, 3, (line,), (), STATE, whole=False))]


def test_they_stop_when_their_server_does_or_the_game_goes_on_elsewhere() -> None:
    for stop in (RemoteSpectators.stop_watching, lambda one: one.watch(None)):
        spectators, table, _, ended = watched()
        stop(spectators)
        assert (table.watchers, ended) == ([], [True])

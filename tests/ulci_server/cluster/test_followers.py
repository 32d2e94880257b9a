"""What those hear at other servers who watch games of this one, or wait for their moves."""

from types import SimpleNamespace

import trio

from ulci.rules import Outcome, Reason, Side
from ulci_server.cluster import messages as said
from ulci_server.cluster.followers import LOOK, Followers
from ulci_server.game import notices
from ulci_server.hall.table.spectators import Spectators
from ulci_server.hall.table.state import LatestMove
from ulci_server.lobby import lobby_lines

MOVE = LatestMove(1, Side.WHITE, "e2e4")


class Table:
    id = 7

    def __init__(self) -> None:
        self.spectators = Spectators(lambda _: None)
        self.newest = MOVE
        self.talk = []

    def latest(self) -> LatestMove:
        return self.newest

    def snapshot(self):
        return ()

    def state(self) -> str:
        return "state"

    def watch(self, watcher) -> None:
        self.spectators.join(watcher)

    def unwatch(self, watcher) -> None:
        self.spectators.leave(watcher)

    def chat(self, line) -> None:
        self.talk.append(line)


def followed():
    table, sent, left = Table(), [], []
    hall = SimpleNamespace(tables={7: table})
    post = SimpleNamespace(send=lambda run, one: sent.append((run, one)), epoch=lambda _: 3)
    return Followers(hall, post, left.append), table, sent, left


def test_a_game_is_watched_until_the_last_server_wants_no_more_or_dies() -> None:
    followers, table, sent, left = followed()
    for run in (2, 3):
        followers.hear(run, said.Follow(7, wanted=True))
    followers.hear(2, said.Follow(8, wanted=True))
    assert (followers.is_watched(7), followers.is_watched(8), len(table.spectators)) == (
        True,
        False,
        2,
    )
    assert [(run, one.whole) for run, one in sent] == [(2, True), (3, True)]
    followers.hear(2, said.Follow(7, wanted=False))
    assert (followers.is_watched(7), left) == (True, [7])
    followers.lose(3)
    assert (followers.is_watched(7), left[-1], len(table.spectators)) == (False, 7, 0)


def test_spectators_talk_from_a_server_that_follows_the_game() -> None:
    followers, table, _, _ = followed()
    line = lobby_lines.said("Cy", "hello")
    followers.hear(2, said.Talk(7, line))
    assert table.talk == []
    followers.hear(2, said.Follow(7, wanted=True))
    followers.hear(2, said.Talk(7, line))
    followers.hear(2, said.Talk(8, line))
    followers.hear(2, said.Talk(7, notices.over(7, Outcome(Side.WHITE, Reason.RESIGNATION))))
    assert table.talk == [line]


async def test_new_moves_are_told_once_to_those_who_want_them(nursery, autojump_clock) -> None:
    followers, table, sent, _ = followed()
    nursery.start_soon(followers.tell_moves)
    await trio.sleep(1)
    assert sent == []
    followers.hear(2, said.FollowMoves(wanted=True))
    await trio.sleep(3 * LOOK)
    assert sent == [(2, said.Moves(((7, MOVE),)))]
    table.newest = LatestMove(2, Side.BLACK, "e7e5")
    await trio.sleep(2 * LOOK)
    assert sent[1:] == [(2, said.Moves(((7, table.newest),)))]
    followers.hear(2, said.FollowMoves(wanted=False))
    table.newest = MOVE
    await trio.sleep(2 * LOOK)
    assert len(sent) == 2
    nursery.cancel_scope.cancel()


async def test_a_server_that_wants_new_moves_later_hears_the_newest_of_each_game(
    nursery, autojump_clock
) -> None:
    followers, _, sent, _ = followed()
    nursery.start_soon(followers.tell_moves)
    followers.hear(2, said.FollowMoves(wanted=True))
    await trio.sleep(2 * LOOK)
    followers.hear(3, said.FollowMoves(wanted=True))
    await trio.sleep(2 * LOOK)
    assert (3, said.Moves(((7, MOVE),))) in sent
    nursery.cancel_scope.cancel()

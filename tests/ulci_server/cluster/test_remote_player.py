"""What a table tells a player at another server."""

from types import SimpleNamespace

from tests.support.clock_field import Field, Line, in_field
from ulci.protocol.messages import Go, IsReady, Position
from ulci_server.cluster import messages as said
from ulci_server.cluster.mirrors import kind_of
from ulci_server.cluster.remote_player import MOST_QUERIES, RemotePlayer, RemoteQueries, owned
from ulci_server.hall.table.interfaces import SeatedPlayer

GAME, EPOCH, RUN, LINK = 7, 3, 2, 11


class Post:
    run = 1

    def __init__(self) -> None:
        self.sent: list[tuple[int, said.AnyMessage]] = []

    def send(self, run: int, message: said.AnyMessage) -> None:
        self.sent.append((run, message))

    def epoch(self, _: int) -> int:
        return EPOCH


def seated() -> tuple[Post, RemotePlayer]:
    post = Post()
    link = said.Link(RUN, LINK, Line("bob", LINK, RUN).profile, "key")
    player = RemotePlayer(post, link, RemoteQueries(post))
    game = SimpleNamespace(turn_number=5, thought=lambda _: 1.5, absent=())
    player._table = SimpleNamespace(id=GAME, game=game)
    player._epoch = EPOCH
    player.turn.join(player._table, 1)
    return post, player


def in_a_run(scenario) -> None:
    in_field(lambda _: scenario())


def test_who_said_its_last_move_again_is_told_so_in_its_game() -> None:
    def scenario() -> None:
        post, player = seated()
        player.turn.ask(0.0)
        player.still_asked("e2e4")
        assert post.sent == [(RUN, kind_of(SeatedPlayer.still_asked)(LINK, GAME, EPOCH, "e2e4"))]

    in_a_run(scenario)


def test_a_position_and_go_ask_for_a_move_whatever_was_told_before_them() -> None:
    def scenario() -> None:
        post, player = seated()
        position, go = Position(None, ()), Go(wtime=1)
        player.tell(IsReady(), position, go)
        player.tell(position)
        assert [message for _, message in post.sent] == [
            kind_of(SeatedPlayer.tell)(LINK, GAME, EPOCH, (IsReady(),)),
            said.Ask(LINK, GAME, EPOCH, 5, position, go, 0, 1.5),
            kind_of(SeatedPlayer.tell)(LINK, GAME, EPOCH, (position,)),
        ]

    in_a_run(scenario)


def test_its_end_and_a_look_name_the_game() -> None:
    def scenario() -> None:
        post, player = seated()
        player.dismiss(None, front=True)
        assert post.sent[-1] == (RUN, kind_of(SeatedPlayer.dismiss)(LINK, GAME, EPOCH, None, True))

    in_a_run(scenario)


def test_only_the_newest_queries_wait_for_their_answers() -> None:
    post, heard = Post(), []
    queries = RemoteQueries(post)
    link = SimpleNamespace(run=RUN, link=LINK)
    for number in range(MOST_QUERIES + 1):
        queries.ask(link, ("gameover",), lambda answers, n=number: heard.append((n, answers)))
    assert post.sent[0] == (RUN, said.AskUgi(LINK, 1, ("gameover",)))
    for number in (1, 2, 2):
        queries.hear(said.UgiAnswered(number, ("yes",)))
    assert heard == [(1, ("yes",))]


def test_others_know_of_a_game_where_its_players_are() -> None:
    def scenario(field: Field) -> None:
        known = owned(field.servers[1].post, field.table)
        assert (known.epoch, known.plies, known.players) == (1, 1, (1, 2))

    in_field(scenario)

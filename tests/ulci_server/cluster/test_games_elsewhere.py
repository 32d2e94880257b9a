"""Games of other servers, as this one knows them."""

from types import SimpleNamespace

from tests.support.clock_field import AGREEMENT, Field, Line, in_field
from ulci.protocol.messages import Clock, Go, NewGame, Position, Stop
from ulci.rules import Outcome, Reason, Side
from ulci_server.cluster import games_elsewhere
from ulci_server.cluster import messages as said
from ulci_server.cluster.mirrors import kind_of
from ulci_server.game import Answered, Away, Left, notices
from ulci_server.hall.table.interfaces import SeatedPlayer
from ulci_server.hall.table.state import LatestMove, TableState

OVER = notices.over(1, Outcome(Side.WHITE, Reason.RESIGNATION))


def in_games(scenario) -> None:
    """With the games of server 3, which knows one, of server 1, and what the server sends."""

    def run(field: Field) -> None:
        games, sent = field.servers[3].games, []
        field.send = lambda sender, receiver, one: sent.append((sender, receiver, one))
        scenario(field, games, sent)

    in_field(run)


def test_a_game_that_its_owner_gave_away_is_without_an_owner() -> None:
    def scenario(_, games, __) -> None:
        games.hear(2, said.Released(1, 1))
        assert games.tables[1].owner == 1
        games.hear(1, said.Released(1, 1))
        assert games.tables[1].owner == 0

    in_games(scenario)


def test_an_older_epoch_of_a_game_is_not_heard() -> None:
    def scenario(field, games, _) -> None:
        games.hear(2, said.Owned(field.started, 3))
        games.hear(1, said.Owned(field.started, 2))
        games.hear(1, said.Ended(1, 2, OVER))
        assert (games.tables[1].owner, games.tables[1].epoch) == (2, 3)

    in_games(scenario)


def test_a_game_without_an_owner_is_its_owners_again() -> None:
    def scenario(field, games, _) -> None:
        games.orphan(2)
        assert games.tables[1].owner == 1
        games.orphan(1)
        assert games.tables[1].owner == 0
        games.hear(1, said.Owned(field.started, 1, players=(1, 2)))
        assert (games.tables[1].owner, games.tables[1].players) == (1, (1, 2))
        games.begin_again()
        assert games.tables[1].owner == 0

    in_games(scenario)


def test_a_game_that_its_owner_does_not_name_is_over() -> None:
    def scenario(_, games, __) -> None:
        games.hear(2, said.Owns(()))
        games.hear(1, said.Owns((1,)))
        assert 1 in games.tables
        games.hear(1, said.Owns(()))
        assert 1 not in games.tables

    in_games(scenario)


def test_the_newest_move_is_known_by_its_owner_alone() -> None:
    def scenario(_, games, __) -> None:
        for run, ply in ((2, 9), (1, 5)):
            games.hear(run, said.Moves(((1, LatestMove(ply, Side.WHITE, "e2e4")),)))
        assert (games.tables[1].plies, games.tables[1].latest().ply) == (5, 5)

    in_games(scenario)


def test_servers_are_asked_for_moves_once_and_told_when_nobody_wants_them() -> None:
    def scenario(field, games, sent) -> None:
        for wanted in (True, True, False, False):
            field.servers[3].hall.wants_moves = wanted
            games.follow_moves({1, 2})
        asked = [(receiver, one.wanted) for _, receiver, one in sent]
        assert asked == [(1, True), (2, True), (1, False), (2, False)]

    in_games(scenario)


def test_a_closed_connection_refuses_a_seat_for_good_unless_it_was_seated_before() -> None:
    def scenario(field, games, sent) -> None:
        for again in (False, True):
            games.hear(1, said.Sit(99, 1, 1, field.started, Side.BLACK, again=again))
        events = [one.event for _, _, one in sent if isinstance(one, said.Happening)]
        assert [type(event) for event in events] == [Left, Away]
        assert events[0].why == "the connection was closed"

    in_games(scenario)


def test_a_connection_hears_the_owner_of_its_game_and_no_other_server() -> None:
    def scenario(field: Field) -> None:
        games, heard = field.servers[2].games, len(field.bob.heard)
        again = kind_of(SeatedPlayer.still_asked)(field.bob.link, 1, 1, "e2e4")
        games.hear(3, again)
        games.hear(1, kind_of(SeatedPlayer.still_asked)(field.bob.link, 1, 0, "e2e4"))
        assert len(field.bob.heard) == heard
        games.hear(1, again)
        assert field.bob.heard[heard:] == [("still asked", "e2e4")]

    in_field(scenario)


def test_what_a_player_here_is_told_is_not_untold_to_who_begins_to_watch() -> None:
    def scenario(field: Field) -> None:
        games, link = field.servers[2].games, field.bob.link
        table = games.tables[1]
        before, after = Position(None, ()), Position(None, ("e2e4",))
        here = {"white": "here", "black": "here"}
        feed = said.Feed(1, 1, (before,), (), TableState(Clock(1, 1), None, here), whole=True)
        for told in (
            kind_of(SeatedPlayer.tell)(link, 1, 1, (after, Clock(1, 1))),
            said.Ask(link, 1, 1, 9, after, Go(), thought=0.0),
        ):
            table.watch(object())
            games.hear(1, feed)
            assert before in table.snapshot()
            games.hear(1, told)
            assert table.snapshot() == ()

    in_field(scenario)


def test_an_answer_to_an_earlier_owner_is_forgotten_when_the_game_was_here_since(
    monkeypatch,
) -> None:
    monkeypatch.setattr(games_elsewhere, "LocalSeat", Line)

    def scenario(field: Field) -> None:
        games, bob, game = field.servers[2].games, field.bob, field.table.game
        remote = games.tables[1]
        remote.answered(Answered(Side.BLACK, "b8c6", 0.0), may_repeat=False)
        assert remote.turns[Side.BLACK].answer is not None
        bob.asked = None
        here = SimpleNamespace(
            id=1,
            game=game,
            agreement=AGREEMENT,
            seats=(field.ada, bob),
            spectators=field.table.spectators,
            latest=lambda: None,
            state=field.table.state,
        )
        games.adopt(here, 2)
        assert remote.turns[Side.BLACK].answer is None

    in_field(scenario)


def test_a_player_who_is_set_up_again_stops_and_is_asked_again() -> None:
    """The owner has no answer, and may not have asked it."""

    def scenario(field: Field) -> None:
        games, bob, number = field.servers[2].games, field.bob, field.table.game.turn_number
        assert bob.owes_move
        heard = len(bob.heard)
        games.hear(1, kind_of(SeatedPlayer.tell)(bob.link, 1, 1, (NewGame(),)))
        assert bob.heard[heard:] == [Stop(), NewGame()]
        position = Position(None, ("g1f3",))
        games.hear(1, said.Ask(bob.link, 1, 1, number, position, Go(), thought=0.0))
        assert bob.heard[heard + 2 :] == [position, Go()]

    in_field(scenario)

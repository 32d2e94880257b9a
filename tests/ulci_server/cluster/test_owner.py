"""The tables of a server, as others hear of them and speak to them."""

import trio

from tests.support.clock_field import Field, in_field
from ulci.rules import Outcome, Reason, Side
from ulci_server.cluster import messages as said
from ulci_server.game import Ruled, Seat, notices
from ulci_server.hall import Table

OVER = notices.over(1, Outcome(None, Reason.SERVER))


def in_owner(scenario) -> None:
    """With the owner of the one game, and what it sends."""

    def run(field: Field) -> None:
        sent: list[tuple[int, said.AnyMessage]] = []
        field.send = lambda _, receiver, one: sent.append((receiver, one))
        scenario(field, field.servers[1].owner, sent)

    in_field(run)


def greeted(owner, run: int, sent) -> list[said.AnyMessage]:
    sent.clear()
    for piece in owner.greet(run):
        piece()
    assert {receiver for receiver, _ in sent} == {run}
    return [one for _, one in sent]


def test_a_server_that_missed_something_is_told_of_all_games_and_its_players_of_theirs() -> None:
    def scenario(field, owner, sent) -> None:
        kinds = [type(one) for one in greeted(owner, 2, sent)]
        assert kinds == [said.Owned, said.Sit, said.Owns]
        assert [type(one) for one in greeted(owner, 3, sent)] == [said.Owned, said.Owns]

    in_owner(scenario)


def test_it_is_told_of_games_that_ended_before() -> None:
    def scenario(field, owner, sent) -> None:
        owner.end_unplayable(7, OVER, "why")
        [ended, *_] = greeted(owner, 3, sent)
        assert (ended.game, ended.over, ended.why) == (7, OVER, "why")
        owner.begin_again()
        assert isinstance(greeted(owner, 3, sent)[0], said.Owned)

    in_owner(scenario)


def test_a_game_is_not_over_while_it_is_given_away() -> None:
    def scenario(field, owner, sent) -> None:
        owner.begin_release(8)
        assert greeted(owner, 3, sent)[-1] == said.Owns((1, 8))
        owner.release(8, 2)
        assert greeted(owner, 3, sent)[-2:] == [said.Released(8, 2), said.Owns((1, 8))]
        owner.own(8, 3)
        assert (owner.epoch(8), greeted(owner, 3, sent)[-1]) == (3, said.Owns((1,)))

    in_owner(scenario)


def test_a_new_run_gives_no_game_away() -> None:
    def scenario(field, owner, sent) -> None:
        owner.begin_release(8)
        owner.release(9, 2)
        owner.begin_again()
        assert [*owner.releasing] == []
        kinds = [type(one) for one in greeted(owner, 3, sent)]
        assert said.Released not in kinds
        assert sent[-1] == (3, said.Owns((1,)))

    in_owner(scenario)


def test_one_that_cannot_return_has_left_when_its_server_dies(monkeypatch) -> None:
    monkeypatch.setattr(Table, "seat", lambda *_: Seat("bob", "human"))

    def scenario(field, owner, _) -> None:
        for piece in owner.lose(2, trio.current_time()):
            piece()
        assert "its server died" in field.over.detail

    in_owner(scenario)


def test_a_player_is_heard_from_its_own_server_and_in_the_present_epoch_alone() -> None:
    def scenario(field, owner, _) -> None:
        for run, epoch in ((3, 1), (2, 0), (2, 2)):
            owner.hear(run, said.Answer(1, epoch, Side.BLACK, 1, "b8c6", 0.0))
        assert field.replies == []
        owner.hear(2, said.Answer(1, 1, Side.BLACK, 1, "b8c6", 0.0))
        assert len(field.replies) == 1

    in_owner(scenario)


def test_a_ruling_on_a_game_that_is_elsewhere_is_answered_so() -> None:
    def scenario(field, owner, sent) -> None:
        ruling = Ruled(0.0, Outcome(None, Reason.ABORTED), "why")
        for game, epoch in ((7, 1), (1, 2)):
            owner.hear(3, said.Ruling(game, epoch, ruling, 4))
            assert sent == [(3, said.RulingHeard(game, 4, None))]
            sent.clear()
        owner.hear(3, said.Ruling(1, 1, ruling, 5))
        assert sent[-1] == (3, said.RulingHeard(1, 5, 1))
        assert field.over is not None

    in_owner(scenario)


def test_players_of_a_server_that_has_died_are_away() -> None:
    def scenario(field, owner, _) -> None:
        for piece in owner.lose(2, 0.0):
            piece()
        assert [*field.table.game.absent] == [Side.BLACK]

    in_owner(scenario)

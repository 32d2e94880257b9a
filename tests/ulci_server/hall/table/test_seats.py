"""The seats of a table: who is told what, and when."""

from ulci.protocol.messages import IsReady, NewGame, Stop
from ulci.rules import Side
from ulci_server.hall.table.seats import Seats


class Player:
    """Remembers what it was told, piece by piece."""

    def __init__(self) -> None:
        self.pieces = []

    def tell(self, *messages) -> None:
        self.pieces.append(messages)


def seated() -> tuple[Seats, Player, Player]:
    white, black = Player(), Player()
    return Seats((white, black)), white, black


def test_what_was_gathered_goes_out_in_one_piece_and_once():
    seats, white, black = seated()
    seats.gathered[Side.WHITE].extend([NewGame(), IsReady()])
    seats.flush()
    seats.flush()
    assert white.pieces == [(NewGame(), IsReady())]
    assert black.pieces == []


def test_a_new_connection_hears_nothing_until_it_is_greeted():
    seats, white, _ = seated()
    again = Player()
    seats.expect(Side.WHITE, again)
    seats.tell(Side.WHITE, Stop())
    seats.gathered[Side.WHITE].append(Stop())
    seats.flush()
    assert (white.pieces, again.pieces) == ([], [])
    seats.back(Side.WHITE)
    seats.greet(Side.WHITE)
    seats.tell(Side.WHITE, Stop())
    assert again.pieces == [(Stop(),)]


def test_the_greeting_of_an_older_connection_is_not_for_the_newer_one():
    seats, _, _ = seated()
    older, newer = Player(), Player()
    seats.expect(Side.WHITE, older)
    seats.back(Side.WHITE)
    seats.expect(Side.WHITE, newer)
    seats.greet(Side.WHITE)
    seats.tell(Side.WHITE, Stop())
    assert newer.pieces == []


def test_only_who_is_muted_is_told_at_the_end_what_the_other_has_heard():
    seats, white, black = seated()
    seats.expect(Side.BLACK, again := Player())
    seats.tell_muted(Stop())
    assert (white.pieces, black.pieces, again.pieces) == ([], [], [(Stop(),)])
    assert seats.rise(Side.BLACK) is again
    assert seats.players == [white, None]

"""The moves of one game, told ply by ply in every dialect."""

import pytest

from tests.support.ends import CARRIERS, Ends
from ulci.protocol import (
    DIALECTS,
    UCI,
    UGI,
    ULCI,
    Connection,
    GameMoves,
    LocalProtocolError,
    MsgpackCodec,
    Role,
    State,
    TextCodec,
)
from ulci.protocol.messages import Go, Hello, HelloOk, Position

GAME = ("e2e4", "e7e5", "g1f3", "b8c6", "e1g1")


def grown():
    """Each position of the game, told as it grows."""
    moves = GameMoves()
    yield Position(None, moves.told())
    for move in GAME:
        moves.append(move)
        yield Position(None, moves.told())


@pytest.mark.parametrize("start", [None, "8/8/8/8/8/8/8/K1k5 w - - 0 1"])
@pytest.mark.parametrize("dialect", [ULCI, UCI, UGI], ids=repr)
def test_a_growing_position_is_spelled_as_any_other(dialect, start):
    codec, moves = TextCodec(), GameMoves()
    for ply in range(len(GAME) + 1):
        plain, growing = Position(start, GAME[:ply]), Position(start, moves.told())
        assert codec.encode(growing, dialect) == codec.encode(plain, dialect)
        assert codec.encode_frame(growing, dialect) == codec.encode_frame(plain, dialect)
        if ply < len(GAME):
            moves.append(GAME[ply])


def test_what_was_told_does_not_grow():
    codec, told = TextCodec(), [*grown()]
    for ply, position in enumerate(told):
        plain = Position(None, GAME[:ply])
        assert position == plain
        assert plain == position
        assert hash(position) == hash(plain)
        assert codec.encode(position, ULCI) == codec.encode(plain, ULCI)


def test_two_positions_are_equal_if_their_moves_are_whosever_game_they_are_of():
    games = [GameMoves(GAME[:length]) for length in (0, 1, 2, 2)]
    games += [GameMoves(("e2e4", "c7c5")), GameMoves(("d2d4",))]
    told = [game.told() for game in games]
    for one in told:
        for other in told:
            assert (one == other) == (tuple(one) == tuple(other))
            assert (one == tuple(other)) == (tuple(one) == tuple(other))
    growing = GameMoves(GAME)
    before, again = growing.told(), growing.told()
    growing.append("f8c5")
    assert before == again
    assert before != growing.told()
    assert before != [*GAME], "which could grow"


@pytest.mark.parametrize("carry", CARRIERS.values(), ids=CARRIERS)
@pytest.mark.parametrize("codec", ["text", "msgpack"])
def test_a_growing_position_is_heard_as_it_was_told(codec, carry):
    ends = Ends(codec=codec, carry=carry).bring_to(State.IDLE)
    for ply, position in enumerate(grown()):
        assert ends.server_says(position) == [Position(None, GAME[:ply])]


def test_a_uti_engine_is_asked_about_a_growing_position():
    def said(moves):
        asking = Connection(Role.SERVER, TextCodec(), DIALECTS["uti"](Role.SERVER))
        asking.send(Hello())
        asking.receive_data(b"utiok\nreadyok\n")
        while not isinstance(asking.next_message(), HelloOk):
            pass
        return asking.send(Position(None, moves), Go())

    assert said(GameMoves(["a1", "b2"]).told()) == said(("a1", "b2")) != said(())


def test_msgpack_says_only_what_is_new_also_after_a_takeback():
    speaker, listener = MsgpackCodec(), MsgpackCodec()
    first, again = GameMoves(GAME), GameMoves((*GAME[:3], "b1c3"))
    for position in (Position(None, first.told()), Position(None, again.told())):
        speaker.encode(position, ULCI)
    again.append("d7d5")
    again.append("d2d4")
    more = speaker.encode(Position(None, again.told()), ULCI)
    assert b"more" in more
    assert b"b1c3" not in more
    listener.receive_data(MsgpackCodec().encode(Position(None, again.told()), ULCI))
    heard = listener.next_message(ULCI, Role.CLIENT, defer=False)
    assert heard == Position(None, (*GAME[:3], "b1c3", "d7d5", "d2d4"))


def test_moves_are_indexed_sliced_and_counted_as_in_a_tuple():
    moves = GameMoves(GAME)
    told = moves.told()
    moves.append("f8c5")
    assert (len(told), len(moves)) == (5, 6)
    assert (told[0], told[-1]) == ("e2e4", "e1g1")
    assert told[1:3] == GAME[1:3]
    assert [*told] == [*GAME]
    assert repr(told) == repr(GAME)
    assert told != moves.told()
    assert told != [*GAME]
    assert told == GameMoves(GAME).told()
    with pytest.raises(IndexError):
        told[5]


def test_the_moves_since_an_earlier_position_are_known():
    moves = GameMoves(GAME)
    before = moves.told()
    moves.append("f8c5")
    now = moves.told()
    assert now.after(before) == now.after(GAME) == ("f8c5",)
    assert now.after(()) == (*GAME, "f8c5")
    assert before.after(now) is None
    assert now.after(("d2d4",)) is None


@pytest.mark.parametrize("move", ["", "e2 e4", " e2e4", "e2\x00e4", "e2\ne4"])
def test_a_move_is_one_word(move):
    with pytest.raises(LocalProtocolError):
        GameMoves().append(move)


@pytest.mark.parametrize("move", ["P@e4", "a1+", "\N{BLACK CHESS KING}e1"])
def test_a_move_may_be_any_word(move):
    line = TextCodec().encode(Position(None, GameMoves([move]).told()), UGI)
    assert line == f"position startpos moves {move}\n".encode()

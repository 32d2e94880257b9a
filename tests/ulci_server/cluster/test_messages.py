"""What servers say to each other, there and back."""

from typing import get_args

import msgspec
import pytest

from ulci.protocol import GameMoves
from ulci.protocol.lobby import lines
from ulci.protocol.messages import (
    Blame,
    Go,
    Info,
    Lobby,
    Option,
    OptionType,
    Position,
    Score,
    Seek,
    Takeback,
    Terms,
)
from ulci.rules import Outcome, Reason, Side
from ulci_server.cluster import messages as said
from ulci_server.cluster.mirrors import kind_of, kinds
from ulci_server.game import Away, Back, Commanded, GameStarted, Ruled, Seat
from ulci_server.hall.member import HostedMember
from ulci_server.hall.table.interfaces import AnyTable, SeatedPlayer
from ulci_server.lobby import Profile

STARTED = GameStarted(7, "chess", None, "60+1", (Seat("A", "human", key="k"), Seat("B", "engine")))
PROFILE = Profile(
    "Ada", "Ada", features=frozenset({"lobby"}), options={"hash": Option("Hash", OptionType.SPIN)}
)
OVER = Lobby(lines.GameOver(7, "1-0", "time"))


@pytest.mark.parametrize(
    "message",
    [
        said.Answer(7, 2, Side.WHITE, 3, "e2e4", 0.25, Info(depth=3, score=Score(cp=12))),
        said.Happening(7, 2, Side.BLACK, Away(Side.BLACK, 1.5), 0.5),
        said.Happening(7, 2, Side.BLACK, Back(Side.BLACK, 1.5, (), "key")),
        said.Happening(7, 2, Side.BLACK, Commanded(Side.BLACK, 1.5, Takeback(2))),
        said.Ruling(7, 2, Ruled(1.0, Outcome(Side.WHITE, Reason.ADJUDICATION), "x")),
        said.Sit(4, 7, 1, STARTED, Side.WHITE),
        kind_of(SeatedPlayer.tell)(4, 7, 1, (Go(wtime=1000), OVER)),
        kind_of(SeatedPlayer.dismiss)(4, 7, 1, OVER, front=True),
        said.Owned(STARTED, 3, 12),
        said.LogIn(4, PROFILE, "192.0.2.1", "192.0.2.1:5000"),
        said.Command(4, Seek(Terms(time="3+2"))),
        kind_of(HostedMember.disconnect)(4, "too slow", Blame.SERVER),
        kind_of(HostedMember.tell)(4, (OVER,)),
        kind_of(AnyTable.report)(7, 2, Side.WHITE, "player", "a fault"),
        said.Roll(((1, 0), (2, 7)), 0, 5),
        said.RollHeard(),
    ],
    ids=lambda message: type(message).__name__,
)
def test_it_comes_back_as_it_was(message):
    assert said.decode_untrusted(said.encode(message)) == message


def test_the_moves_of_a_running_game_are_written_out():
    moves = GameMoves(["e2e4", "e7e5"]).told()
    asked = said.decode_untrusted(said.encode(said.Ask(4, 7, 1, 2, Position(None, moves), Go())))
    assert isinstance(asked, said.Ask)
    assert [*asked.position.moves] == ["e2e4", "e7e5"]


def test_every_message_is_one_that_can_be_read():
    known = set(get_args(said.AnyMessage))
    made = {
        kind
        for kind in vars(said).values()
        if isinstance(kind, type) and issubclass(kind, said.Message)
    }
    bases = {said.Message, said.ToTable, said.FromTable, said.ToMember}
    assert {*made, *kinds(said.Message)} - bases == known


@pytest.mark.parametrize(
    "data", [b"", b"\xc1", b"\x80", b"\x81\xa2is\xa5Other", b"\x93\x01\x02\x03"]
)
def test_what_is_no_message_is_refused(data):
    with pytest.raises(msgspec.DecodeError):
        said.decode_untrusted(data)

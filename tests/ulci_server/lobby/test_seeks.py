"""What one player would play, held against another's wish."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci.protocol.messages import Seek, Terms
from ulci.rules import GAMES
from ulci_server.game import Controls
from ulci_server.lobby import Lobby, Pool, Profile, StandingSeek
from ulci_server.lobby.seeks import unwilling

WISHES = st.builds(
    StandingSeek,
    id=st.just(1),
    who=st.builds(
        Profile,
        name=st.sampled_from("AB"),
        handle=st.sampled_from("AB"),
        kind=st.sampled_from(["human", "engine"]),
    ),
    game=st.sampled_from([GAMES["chess"], GAMES["gomoku"]]),
    control=st.sampled_from([Controls.parse("1+1"), Controls.parse("60h")]),
    starts=st.just((None,)),
    pool=st.sampled_from(["one", "two"]),
    color=st.sampled_from(["white", "black", "random"]),
    against=st.sampled_from(["any", "human", "engine"]),
    rated=st.booleans(),
    meet=st.sampled_from(["any", "engines", "humans", "mixed"]),
    self_play=st.booleans(),
    flexible=st.booleans(),
    auto=st.booleans(),
)


@given(WISHES, WISHES)
def test_two_are_willing_whichever_of_them_came_first(a, b):
    assert (unwilling(a, b) is None) == (unwilling(b, a) is None)


@pytest.mark.parametrize("waiting", [300])
def test_a_seek_among_hundreds_is_held_against_all_and_still_met(waiting):
    chess = Pool("chess", GAMES["chess"], Controls.parse("60+1"), (None,))
    lobby = Lobby((chess,), lambda n: 0)
    for number in range(waiting):
        handle = lobby.enter(Profile(f"n{number}", "", "human")).handle
        lobby.hear(handle, Seek(Terms(time=f"{number + 1}+1", color="white")))
    handle = lobby.enter(Profile("Ada", "", "human")).handle
    *_, pair = lobby.hear(handle, Seek(Terms(time=f"{waiting}+1")))
    assert (pair.white, pair.black) == (f"n{waiting - 1}", "Ada")

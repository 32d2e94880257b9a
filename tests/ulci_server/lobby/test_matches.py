"""Matches: games that are accepted once, and colours that are said later."""

import pytest

from ulci.protocol.lobby.lines import write
from ulci.protocol.messages import (
    Accept,
    Challenge,
    ChooseColor,
    Color,
    Decline,
    PlayerCommand,
    Seek,
    Terms,
    Unseek,
)
from ulci.rules import GAMES
from ulci_server.game import Controls
from ulci_server.lobby import (
    Freed,
    Hold,
    Lobby,
    LobbyEffect,
    Pair,
    Pool,
    Profile,
    Release,
    TellOne,
    TellWhenKept,
)
from ulci_server.lobby.matches import CHOICE_TIME, CHOICE_TIME_OF_PROGRAM, MOST_VAIN_WAITS
from ulci_server.lobby.terms import MAX_GAMES

ENDGAME = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
BOOK = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"


class Hall:
    """Ada and Bob in a lobby, and an engine without lobby lines that waits in the pool."""

    def __init__(
        self,
        color: Color = "later",
        games: int = 1,
        start: str | None = None,
        rated: bool | None = None,
    ) -> None:
        pool = Pool("blitz", GAMES["chess"], Controls.parse("60+1"), (None, BOOK))
        self.lobby = Lobby([pool], lambda _: 0)
        for name in ("Ada", "Bob", "Eve"):
            self.lobby.enter(Profile(name, name, "human", features=frozenset({"lobby"})))
        self.lobby.enter(Profile("Fish", "Fish"))
        self.terms = Terms(color=color, games=games, start=start, rated=rated)

    def hear(self, handle: str, word: PlayerCommand) -> list[LobbyEffect]:
        return self.lobby.hear(handle, word)

    def agree(self) -> list[LobbyEffect]:
        """Ada challenges Bob, who accepts."""
        self.hear("Ada", Challenge("Bob", self.terms))
        return self.hear("Bob", Accept(1))

    def free(self) -> list[LobbyEffect]:
        """Both have nothing left to do for their last game."""
        return [*self.lobby.free("Ada"), *self.lobby.free("Bob")]


def games(effects: list[LobbyEffect]) -> list[tuple[str, str]]:
    return [(effect.white, effect.black) for effect in effects if isinstance(effect, Pair)]


def told(effects: list[LobbyEffect], handle: str) -> list[str]:
    lines = [
        e.line for e in effects if isinstance(e, TellOne | TellWhenKept) and e.handle == handle
    ]
    return [write(line.line) for line in lines]


def test_who_asks_says_its_color_when_the_other_has_accepted():
    hall = Hall()
    effects = hall.agree()
    assert games(effects) == []
    waits = "match 1 game 1 of 1 player {} chooser Ada within 180000"
    assert told(effects, "Ada")[-1] == waits.format("Bob")
    assert told(effects, "Bob")[-1] == waits.format("Ada")
    assert Hold(1, CHOICE_TIME) in effects
    effects = hall.hear("Ada", ChooseColor("black"))
    assert games(effects) == [("Bob", "Ada")]
    assert Release(1) in effects


def test_the_start_is_said_with_the_color():
    hall = Hall()
    hall.agree()
    [*_, pair] = hall.hear("Ada", ChooseColor("white", ENDGAME))
    assert isinstance(pair, Pair)
    assert pair.agreement.start == ENDGAME
    # The usual start of the game is said as a position, too.
    hall = Hall()
    hall.agree()
    [*_, pair] = hall.hear("Ada", ChooseColor("white", GAMES["chess"].new().fen()))
    assert isinstance(pair, Pair)
    assert pair.agreement.start is None


@pytest.mark.parametrize(
    ("start", "said", "code"),
    [
        (None, ChooseColor("white", "8/8/8/8/8/8/8/8 w - - 0 1"), "bad-start"),
        (ENDGAME, ChooseColor("white", GAMES["chess"].new().fen()), "bad-start"),
    ],
)
def test_a_start_that_cannot_be_played_or_was_not_agreed_is_refused(start, said, code):
    hall = Hall(start=start)
    hall.agree()
    effects = hall.hear("Ada", said)
    assert games(effects) == []
    assert told(effects, "Ada")[0].startswith(f"error {code} ")
    assert games(hall.hear("Ada", ChooseColor("white", start))) == [("Ada", "Bob")]


def test_only_the_chooser_says_the_color_and_only_between_games():
    hall = Hall(games=2)
    assert told(hall.hear("Ada", ChooseColor("white")), "Ada")[0].startswith("error no-match ")
    hall.agree()
    assert told(hall.hear("Bob", ChooseColor("white")), "Bob")[0].startswith("error no-match ")
    hall.hear("Ada", ChooseColor("white"))
    assert told(hall.hear("Ada", ChooseColor("white")), "Ada")[0].startswith("error busy ")


def test_a_color_said_before_the_other_is_free_waits_for_it():
    hall = Hall(games=2)
    hall.agree()
    hall.hear("Ada", ChooseColor("white"))
    assert hall.lobby.free("Ada") == []
    assert games(hall.hear("Ada", ChooseColor("white"))) == []
    assert games(hall.lobby.free("Bob")) == [("Ada", "Bob")]


def test_in_a_match_the_colors_change_and_nobody_has_to_accept_again():
    hall = Hall("white", games=3)
    effects = hall.agree()
    assert games(effects) == [("Ada", "Bob")]
    assert told(effects, "Bob")[-1] == "match 1 game 1 of 3 player Ada"
    assert games(hall.free()) == [("Bob", "Ada")]
    effects = hall.free()
    assert games(effects) == [("Ada", "Bob")]
    assert told(effects, "Ada") == ["match 1 game 3 of 3 player Bob"]
    effects = hall.lobby.free("Ada")
    assert told(effects, "Bob") == ["match 1 over played 3 reason complete"]
    assert Freed("Ada") in effects
    assert Freed("Bob") not in effects
    assert hall.lobby.free("Bob") == [Freed("Bob")]
    assert hall.lobby.state("Bob") == "idle"


def test_between_two_games_both_are_playing():
    hall = Hall(games=2)
    hall.agree()
    assert hall.lobby.state("Bob") == "playing"
    assert told(hall.hear("Bob", Seek()), "Bob")[0].startswith("error busy ")


@pytest.mark.parametrize("word", [Unseek(), Unseek(1), Decline(1)])
@pytest.mark.parametrize("who", ["Ada", "Bob"])
def test_either_ends_the_match_between_its_games(who, word):
    hall = Hall(games=2)
    hall.agree()
    effects = hall.hear(who, word)
    for player in ("Ada", "Bob"):
        assert told(effects, player) == ["match 1 over played 0 reason ended"]
        assert Freed(player) in effects
        assert hall.lobby.state(player) == "idle"
    assert hall.lobby.overdue(1) == []


def test_a_match_ended_in_a_game_ends_behind_it():
    hall = Hall("random", games=5)
    hall.agree()
    effects = hall.hear("Bob", Unseek(1))
    assert told(effects, "Ada") == ["match 1 over played 1 reason ended"]
    assert hall.lobby.state("Ada") == hall.lobby.state("Bob") == "playing"
    assert games(hall.free()) == []
    assert hall.lobby.state("Ada") == hall.lobby.state("Bob") == "idle"


def test_who_leaves_ends_the_match():
    hall = Hall(games=2)
    hall.agree()
    effects = hall.lobby.leave("Ada")
    assert told(effects, "Bob") == ["match 1 over played 0 reason left"]
    assert Freed("Bob") in effects
    assert Freed("Ada") not in effects


def test_who_has_reconnected_is_told_of_the_game_that_is_on_or_comes_next():
    def again(handle: str, *, in_game: bool) -> str:
        line = hall.lobby.match_of(handle, in_game=in_game)
        return "" if line is None else write(line.line)

    hall = Hall(games=2)
    hall.agree()
    waits = "match 1 game 1 of 2 player Ada chooser Ada"
    assert again("Bob", in_game=False) == waits
    hall.hear("Ada", ChooseColor("white"))
    assert again("Bob", in_game=True) == "match 1 game 1 of 2 player Ada"
    assert again("Bob", in_game=False) == "match 1 game 2 of 2 player Ada"
    assert again("Eve", in_game=True) == ""
    hall.free()
    hall.hear("Ada", ChooseColor("white"))
    assert again("Bob", in_game=False) == ""  # it was the last


def test_nobody_is_kept_by_a_color_that_is_never_said():
    hall = Hall()
    hall.agree()
    effects = hall.lobby.overdue(1)
    assert told(effects, "Bob") == ["match 1 over played 0 reason late"]
    assert Freed("Bob") in effects
    assert told(hall.hear("Ada", ChooseColor("white")), "Ada")[0].startswith("error no-match ")


def test_a_match_that_waits_for_a_color_is_told_that_the_server_closes():
    hall = Hall()
    hall.agree()
    [effects] = hall.lobby.close("the server is about to restart")
    assert Release(1) in effects
    for player in ("Ada", "Bob"):
        assert told(effects, player) == ["match 1 over played 0 reason closed"]
        assert Freed(player) in effects
    assert [*hall.lobby.close("again")] == []


def test_a_match_that_is_over_before_its_turn_is_not_ended_again_by_a_server_that_closes():
    hall = Hall()
    hall.agree()
    steps = hall.lobby.close("the server is about to restart")
    hall.hear("Ada", Unseek())
    assert [*steps] == [[]]


def test_no_game_of_a_match_begins_at_a_server_that_closes():
    hall = Hall("white", games=2)
    hall.agree()
    hall.lobby.close("the server is about to restart")
    effects = hall.free()
    assert games(effects) == []
    assert "match 1 over played 1 reason closed" in told(effects, "Ada")


def test_a_match_has_an_end():
    hall = Hall(games=MAX_GAMES + 1)
    effects = hall.hear("Ada", Challenge("Bob", hall.terms))
    assert told(effects, "Ada") == [f"error too-many-games a match has at most {MAX_GAMES} games"]


def test_a_seek_for_a_match_meets_only_such_a_seek():
    hall = Hall("random", games=2)
    hall.hear("Ada", Seek(hall.terms))
    assert games(hall.hear("Bob", Seek())) == []
    assert len(games(hall.hear("Eve", Seek(hall.terms)))) == 1
    assert len(games([*hall.lobby.free("Ada"), *hall.lobby.free("Eve")])) == 1


def test_colors_that_were_asked_for_do_not_meet_one_that_is_said_later():
    hall = Hall()
    hall.hear("Ada", Seek(hall.terms))
    for color in ("white", "black", "later"):
        hall.hear("Bob", Seek(Terms(color=color)))
        assert hall.lobby.state("Bob") == "waiting"
    effects = hall.hear("Eve", Seek())
    assert told(effects, "Eve")[-1] == "match 1 game 1 of 1 player Ada chooser Ada within 180000"


def test_an_engine_of_the_pool_plays_a_match_without_a_word_of_the_lobby():
    hall = Hall(games=2)
    hall.lobby.wait("Fish", "blitz")
    hall.hear("Ada", Challenge("Fish", Terms(color="later")))
    assert games(hall.hear("Ada", ChooseColor("white"))) == [("Ada", "Fish")]
    effects = [*hall.lobby.free("Ada"), *hall.lobby.free("Fish")]
    assert Freed("Fish") in effects  # it waits in the pool again


def test_who_only_seeks_is_given_no_start_but_its_own():
    hall = Hall()
    hall.hear("Bob", Seek())
    hall.hear("Ada", Seek(hall.terms))
    effects = hall.hear("Ada", ChooseColor("white", ENDGAME))
    assert told(effects, "Ada")[0].startswith("error bad-start Bob did not agree to any start")
    assert games(effects) == []
    usual = GAMES["chess"].new().fen()
    assert games(hall.hear("Ada", ChooseColor("white", usual))) == [("Ada", "Bob")]


def test_who_seeks_is_asked_by_somebody_who_says_color_and_start_later():
    hall = Hall()
    hall.hear("Bob", Seek())
    effects = hall.hear("Ada", Challenge("Bob", hall.terms))
    [asked] = [line for line in told(effects, "Bob") if line.startswith("challenge ")]
    hall.hear("Bob", Accept(int(asked.split()[1])))
    assert games(hall.hear("Ada", ChooseColor("white", ENDGAME))) == [("Ada", "Bob")]


def test_nobody_is_given_a_start_in_a_rated_game_that_only_the_other_has_seen():
    hall = Hall(rated=True)
    hall.agree()
    effects = hall.hear("Ada", ChooseColor("white", ENDGAME))
    assert told(effects, "Ada")[0].startswith("error bad-start a rated game begins from a start")
    assert games(effects) == []
    [*_, pair] = hall.hear("Ada", ChooseColor("white", BOOK))
    assert isinstance(pair, Pair)
    assert (pair.agreement.rated, pair.agreement.start) == (True, BOOK)
    # A start of the challenge has been seen.
    hall = Hall(rated=True, start=ENDGAME)
    hall.agree()
    [*_, pair] = hall.hear("Ada", ChooseColor("white", ENDGAME))
    assert isinstance(pair, Pair)
    assert pair.agreement.start == ENDGAME


@pytest.mark.parametrize("end", ["late", "ended", "left"])
def test_an_engine_without_words_is_not_kept_waiting_for_colors_for_ever(end):
    hall = Hall()
    hall.lobby.wait("Fish", "blitz")
    for count in range(MOST_VAIN_WAITS):
        player = f"Waster{count}"
        hall.lobby.enter(Profile(player, player, "human", features=frozenset({"lobby"})))
        effects = hall.hear(player, Seek(hall.terms))
        [hold] = [effect for effect in effects if isinstance(effect, Hold)]
        assert hold.seconds == CHOICE_TIME_OF_PROGRAM
        assert told(effects, player)[-1].endswith(" within 60000")
        if end == "late":
            hall.lobby.overdue(hold.number)
        elif end == "ended":
            hall.hear(player, Unseek())
        else:
            hall.lobby.leave(player)
        hall.lobby.wait("Fish", "blitz")
    hall.hear("Ada", Seek(hall.terms))
    assert hall.lobby.state("Ada") == "waiting"
    [why] = told(hall.hear("Ada", Challenge("Fish", hall.terms)), "Ada")
    assert why.startswith("error cannot-play Fish was kept waiting for a color")
    # Whoever says a color plays it, and then it waits for colors again.
    hall.hear("Ada", Unseek())
    assert games(hall.hear("Bob", Challenge("Fish", Terms(color="white")))) == [("Bob", "Fish")]
    hall.lobby.free("Fish")
    hall.lobby.wait("Fish", "blitz")
    assert told(hall.hear("Ada", Challenge("Fish", hall.terms)), "Ada")[-1].startswith("match ")


def test_two_who_challenge_each_other_play():
    hall = Hall("white")
    hall.hear("Ada", Challenge("Bob", hall.terms))
    assert games(hall.hear("Bob", Challenge("Ada", hall.terms))) == []  # both want White
    effects = hall.hear("Bob", Challenge("Ada", Terms(color="black")))
    assert games(effects) == [("Ada", "Bob")]
    assert "gone 1" in told(effects, "Ada")

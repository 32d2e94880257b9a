"""Who plays whom, as a conversation with the lobby."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain

import pytest

from ulci.protocol.messages import (
    Accept,
    Challenge,
    Decline,
    Option,
    OptionType,
    Rematch,
    Seek,
    Seeks,
    Terms,
    Unseek,
    Who,
)
from ulci.rules import GAMES
from ulci_server.game import Conduct
from ulci_server.game.time_control import Controls
from ulci_server.lobby import (
    Lobby,
    LobbyEffect,
    Pair,
    Pool,
    PoolRules,
    Profile,
    Refused,
    TellAll,
    TellList,
    TellOne,
    TellWhenKept,
    Unmatched,
)

RULES = GAMES["chess"]
CHESS = Pool("chess", RULES, Controls.parse("180+2"), (None,))
BULLET = Pool("bullet", RULES, Controls.parse("60"), (None,), seeks=False)


def lobby(*pools: Pool) -> Lobby:
    return Lobby(pools or (CHESS, BULLET), choose=lambda n: 0)


def engine(name: str) -> Profile:
    return Profile(name, "")


def person(name: str) -> Profile:
    return Profile(name, "", kind="human", features=frozenset({"lobby"}))


def pairs(effects: Iterable[LobbyEffect]) -> list[tuple[str, str]]:
    return [(effect.white, effect.black) for effect in effects if isinstance(effect, Pair)]


def listed(hall: Lobby, effects: Iterable[LobbyEffect]) -> list[str]:
    """The lines of the list that is to be told."""
    [effect] = effects
    assert isinstance(effect, TellList)
    count, lines = hall.listed(effect.what)
    told = [" ".join(line.words) for line in lines]
    assert len(told) == count
    return told


def heard(effects: Iterable[LobbyEffect], handle: str) -> list[str]:
    return [
        " ".join(effect.line.words)
        for effect in effects
        if isinstance(effect, TellAll)
        or (isinstance(effect, TellOne | TellWhenKept) and effect.handle == handle)
    ]


def challenged(effects: Iterable[LobbyEffect], handle: str) -> int:
    """The number of the challenge that this one is told of."""
    [line] = heard(effects, handle)
    word, number, *_ = line.split()
    assert word == "challenge"
    return int(number)


def join(hall: Lobby, *profiles: Profile) -> list[str]:
    return [hall.enter(profile).handle for profile in profiles]


def test_two_engines_that_say_nothing_play_each_other():
    hall = lobby()
    join(hall, engine("A"), engine("B"))
    assert pairs(hall.wait("A", "chess")) == []
    assert pairs(hall.wait("B", "chess")) == [("A", "B")]


def test_they_play_again_and_change_colours():
    hall = lobby()
    join(hall, engine("A"), engine("B"))
    games = []
    for _ in range(4):
        effects = [*hall.wait("A", "chess"), *hall.wait("B", "chess")]
        games += pairs(effects)
        hall.free("A")
        hall.free("B")
    assert games == [("A", "B"), ("B", "A"), ("A", "B"), ("B", "A")]


def test_a_rematch_is_played_only_when_nobody_else_is_there():
    hall = lobby()
    join(hall, engine("A"), engine("B"), person("Ada"))
    hall.wait("A", "chess")
    hall.wait("B", "chess")
    hall.free("A")
    hall.free("B")
    hall.close("for a moment")
    hall.wait("A", "chess")
    hall.wait("B", "chess")
    hall.wait("Ada", "chess")
    [(white, black)] = pairs(chain(*hall.reopen()))
    assert {white, black} == {"A", "Ada"}


def test_players_of_two_pools_do_not_meet_by_themselves():
    hall = lobby()
    join(hall, engine("A"), engine("B"))
    hall.wait("A", "bullet")
    assert pairs(hall.wait("B", "chess")) == []


def test_another_name_goes_before_ones_own_and_ones_own_before_nobody():
    hall = lobby()
    assert join(hall, engine("A"), engine("A"), engine("B")) == ["A", "A-2", "B"]
    hall.wait("A", "chess")
    [(white, black)] = pairs(hall.wait("A-2", "chess"))
    assert {white, black} == {"A", "A-2"}
    hall = lobby(Pool("chess", RULES, CHESS.control, (None,), self_play=False))
    join(hall, engine("A"), engine("A"), engine("B"))
    hall.wait("A", "chess")
    assert pairs(hall.wait("A-2", "chess")) == []
    [(white, black)] = pairs(hall.wait("B", "chess"))
    assert {white, black} == {"A", "B"}


def test_whoever_lost_a_place_through_no_own_fault_is_served_first():
    hall = lobby(Pool("mixed", RULES, CHESS.control, (None,), meet="mixed"))
    join(hall, engine("A"), engine("B"), person("Ada"))
    hall.wait("A", "mixed")
    hall.wait("B", "mixed", front=True)
    assert pairs(hall.hear("Ada", Seek()))[0] in {("B", "Ada"), ("Ada", "B")}


@pytest.mark.parametrize(
    ("meet", "first", "second", "met"),
    [
        ("any", engine("A"), engine("B"), True),
        ("engines", engine("A"), engine("B"), True),
        ("engines", engine("A"), person("B"), False),
        ("humans", person("A"), person("B"), True),
        ("humans", engine("A"), person("B"), False),
        ("mixed", engine("A"), person("B"), True),
        ("mixed", engine("A"), engine("B"), False),
    ],
)
def test_a_pool_says_who_may_meet_whom(meet, first, second, met):
    hall = lobby(Pool("p", RULES, CHESS.control, (None,), meet=meet))
    join(hall, first, second)
    hall.wait("A", "p")
    assert bool(pairs(hall.wait("B", "p"))) == met


def test_a_seek_is_announced_listed_accepted_and_gone():
    hall = lobby()
    join(hall, person("Ada"), person("Bob"))
    effects = hall.hear("Ada", Seek(Terms(time="300+3", color="white", rated=True)))
    line = "seek 1 player Ada kind human game chess time 300+3 color white rated yes lag none"
    assert heard(effects, "Bob") == heard(effects, "Ada") == [line]
    assert listed(hall, hall.hear("Bob", Seeks())) == [line]
    effects = hall.hear("Bob", Accept(1))
    assert pairs(effects) == [("Ada", "Bob")]
    assert heard(effects, "Bob") == ["gone 1"]
    assert [e.agreement.rated for e in effects if isinstance(e, Pair)] == [True]
    assert listed(hall, hall.hear("Bob", Seeks())) == []


def test_two_seeks_that_agree_meet_and_two_that_do_not_wait():
    hall = lobby()
    join(hall, person("Ada"), person("Bob"), person("Eve"))
    hall.hear("Ada", Seek(Terms(time="300")))
    assert pairs(hall.hear("Bob", Seek(Terms(time="60")))) == []
    assert pairs(hall.hear("Eve", Seek(Terms(time="300", color="white")))) == [("Eve", "Ada")]


def test_two_seeks_of_one_engine_do_not_meet_and_the_second_is_told_why():
    hall = lobby()
    copy = Profile("Fish", "", features=frozenset({"lobby"}))
    join(hall, copy, copy, person("Fish"))
    assert not any("note" in line for line in heard(hall.hear("Fish", Seek()), "Fish"))
    effects = hall.hear("Fish-2", Seek())
    assert pairs(effects) == []
    assert heard(effects, "Fish-2")[-1].startswith("note same-name Fish seeks such a game too")
    hall.hear("Fish-2", Unseek())
    assert heard(hall.hear("Fish-2", Seek(Terms(time="7"))), "Fish-2")[-1].startswith("seek ")


def test_two_people_of_one_name_meet_and_whoever_is_asked_for_by_number():
    hall = lobby()
    join(hall, person("Ada"), person("Ada"), engine("Ada"))
    hall.hear("Ada", Seek())
    [(white, black)] = pairs(hall.hear("Ada-2", Seek()))
    assert {white, black} == {"Ada", "Ada-2"}
    hall.free("Ada")
    hall.wait("Ada-3", "bullet")
    assert len(pairs(hall.hear("Ada", Accept(3)))) == 1


def test_both_want_white_so_neither_plays():
    hall = lobby()
    join(hall, person("Ada"), person("Bob"))
    hall.hear("Ada", Seek(Terms(color="white")))
    assert pairs(hall.hear("Bob", Seek(Terms(color="white")))) == []


def test_a_seek_meets_a_waiting_engine_at_the_seekers_time():
    hall = lobby()
    join(hall, engine("A"), person("Ada"))
    hall.wait("A", "chess")
    effects = hall.hear("Ada", Seek(Terms(time="600+5", color="black")))
    [pair] = [e for e in effects if isinstance(e, Pair)]
    assert (pair.white, pair.black, str(pair.agreement.control)) == ("A", "Ada", "600+5")


def test_a_pool_may_refuse_other_times():
    hall = lobby()
    join(hall, engine("A"), person("Ada"))
    hall.wait("A", "bullet")
    assert pairs(hall.hear("Ada", Seek(Terms(time="600+5")))) == []
    assert pairs(hall.hear("Ada", Seek(Terms(game="bullet")))) != []


LIBERTY = Pool("mini", GAMES["liberty"], Controls.parse("90+1"), (None,))


@pytest.mark.parametrize(
    ("pool", "terms", "sought"),
    [
        ("", Terms(), "game chess time 180+2"),
        ("bullet", Terms(), "game chess time 60"),
        ("bullet", Terms(game="chess"), "game chess time 180+2"),
        ("mini", Terms(), "game liberty time 90+1"),
        ("mini", Terms(game="liberty"), "game liberty time 90+1"),
        ("mini", Terms(game="bullet"), "game chess time 60"),
        ("mini", Terms(game="atomic"), "game atomic time 90+1"),
        ("gone", Terms(), "game chess time 180+2"),
    ],
)
def test_what_a_seek_leaves_unsaid_is_taken_from_the_pool_of_its_listener(pool, terms, sought):
    hall = lobby(CHESS, BULLET, LIBERTY)
    join(hall, replace(person("Ada"), pool=pool))
    [line] = heard(hall.hear("Ada", Seek(terms)), "Ada")
    assert sought in line


def test_of_several_pools_of_a_game_that_of_the_listener_comes_first():
    slow = replace(CHESS, name="slow", control=Controls.parse("600"))
    hall = lobby(BULLET, slow)
    join(hall, replace(person("Ada"), pool="slow"))
    [line] = heard(hall.hear("Ada", Seek(Terms(game="chess"))), "Ada")
    assert "time 600 " in line


def test_against_decides_the_kind_of_opponent():
    hall = lobby()
    join(hall, engine("A"), person("Ada"), person("Bob"))
    hall.wait("A", "chess")
    assert pairs(hall.hear("Ada", Seek(Terms(against="human")))) == []
    [(white, black)] = pairs(hall.hear("Bob", Seek(Terms(against="human"))))
    assert {white, black} == {"Ada", "Bob"}


def test_a_start_position_is_played_by_both():
    fen = "8/8/8/4k3/8/4K3/4P3/8 w - - 0 1"
    hall = lobby()
    join(hall, engine("A"), person("Ada"))
    hall.wait("A", "chess")
    [pair] = [e for e in hall.hear("Ada", Seek(Terms(start=fen))) if isinstance(e, Pair)]
    assert pair.agreement.start == fen


def test_chess960_is_only_for_those_who_offer_it():
    options = {"uci_chess960": Option("UCI_Chess960", OptionType.CHECK, "false")}
    able = Profile("Able", "", features=frozenset({"lobby"}), options=options)
    hall = lobby()
    join(hall, person("Ada"), able, Profile("B", "", options=options))
    [refusal] = heard(hall.hear("Ada", Seek(Terms(game="chess960"))), "Ada")
    assert refusal.startswith("error cannot-play")
    assert "UCI_Chess960" in refusal
    hall.hear("Able", Seek(Terms(game="chess960")))
    assert "UCI_Chess960" in heard(hall.hear("Ada", Accept(2)), "Ada")[0]


@pytest.mark.parametrize(
    ("word", "code"),
    [
        (Seek(Terms(game="go")), "no-such-game"),
        (Seek(Terms(time="soon")), "bad-time"),
        (Seek(Terms(start="8/8 w")), "bad-start"),
        (Accept(99), "no-such-seek"),
        (Unseek(99), "no-such-seek"),
        (Unseek(), "no-such-seek"),
        (Decline(99), "no-such-challenge"),
        (Challenge("Nobody"), "no-such-player"),
        (Rematch(), "no-game"),
    ],
)
def test_what_cannot_be_is_refused_with_a_code_and_a_reason(word, code):
    hall = lobby()
    join(hall, person("Ada"))
    [line] = heard(hall.hear("Ada", word), "Ada")
    assert line.startswith(f"error {code} ")


def test_seeks_are_bounded():
    hall = lobby()
    join(hall, person("Ada"))
    for _ in range(10):
        hall.hear("Ada", Seek())
    assert heard(hall.hear("Ada", Seek()), "Ada")[0].startswith("error too-many-seeks")
    hall.hear("Ada", Unseek())
    assert listed(hall, hall.hear("Ada", Seeks())) == []


def test_challenges_are_bounded_until_one_is_taken_back():
    hall = lobby()
    join(hall, person("Ada"), person("Bob"), person("Eve"))
    for _ in range(10):
        number = challenged(hall.hear("Ada", Challenge("Bob")), "Bob")
    [refusal] = heard(hall.hear("Ada", Challenge("Eve")), "Ada")
    assert refusal.startswith("error too-many-challenges")
    hall.hear("Ada", Unseek(number))
    assert challenged(hall.hear("Ada", Challenge("Eve")), "Eve") > number


def test_a_challenge_is_accepted():
    hall = lobby()
    join(hall, person("Ada"), person("Bob"))
    effects = hall.hear("Ada", Challenge("bob", Terms(time="60", color="black")))
    assert heard(effects, "Bob") == [
        "challenge 1 player Ada kind human game chess time 60 color black rated no lag none"
    ]
    assert heard(effects, "Ada") == ["challenging 1 player Bob"]
    assert pairs(hall.hear("Bob", Accept(1))) == [("Bob", "Ada")]


def test_a_challenge_is_declined_or_withdrawn():
    hall = lobby()
    join(hall, person("Ada"), person("Bob"), person("Eve"))
    hall.hear("Ada", Challenge("Bob"))
    assert heard(hall.hear("Eve", Accept(1)), "Eve")[0].startswith("error no-such-seek")
    assert heard(hall.hear("Bob", Decline(1)), "Ada") == ["declined 1 by Bob"]
    number = challenged(hall.hear("Ada", Challenge("Bob")), "Bob")
    why = Decline(number, "not at night")
    assert heard(hall.hear("Bob", why), "Ada") == [f"declined {number} by Bob not at night"]
    number = challenged(hall.hear("Ada", Challenge("Bob")), "Bob")
    assert heard(hall.hear("Ada", Unseek(number)), "Bob") == [f"gone {number}"]


def test_who_takes_back_what_was_sought_still_may_accept_a_challenge():
    hall = lobby()
    join(hall, person("Ada"), person("Bob"))
    number = challenged(hall.hear("Ada", Challenge("Bob", Terms(time="60"))), "Bob")
    hall.hear("Bob", Seek(Terms(time="30")))
    assert not any(f"gone {number}" in line for line in heard(hall.hear("Bob", Unseek()), "Ada"))
    assert len(pairs(hall.hear("Bob", Accept(number)))) == 1


def test_a_challenge_meets_the_open_seek_that_agrees_with_it_and_any_other_is_asked_about():
    hall = lobby()
    bridge = Profile("Fish", "", features=frozenset({"lobby"}))
    join(hall, bridge, person("Ada"))
    hall.hear("Fish", Seek(Terms(time="60")))
    assert heard(hall.hear("Ada", Challenge("Fish", Terms(time="30"))), "Ada")[0] == (
        "challenging 2 player Fish"
    )
    assert pairs(hall.hear("Ada", Challenge("Fish", Terms(time="60", color="white")))) == [
        ("Ada", "Fish")
    ]
    hall.free("Ada")
    hall.free("Fish")
    hall.hear("Fish", Seek(Terms(time="60")))
    assert pairs(hall.hear("Ada", Rematch())) == [("Fish", "Ada")]


def test_an_engine_that_waits_takes_a_challenge_and_one_that_plays_does_not():
    hall = lobby()
    join(hall, engine("A"), person("Ada"), person("Bob"))
    hall.wait("A", "chess")
    assert len(pairs(hall.hear("Ada", Challenge("A", Terms(time="30"))))) == 1
    assert heard(hall.hear("Bob", Challenge("A")), "Bob")[0].startswith("error busy")


def test_nobody_challenges_themselves():
    hall = lobby()
    join(hall, person("Ada"))
    assert heard(hall.hear("Ada", Challenge("Ada")), "Ada")[0].startswith("error cannot-play")


def test_a_rematch_takes_both_and_changes_colours():
    hall = lobby()
    join(hall, person("Ada"), person("Bob"))
    hall.hear("Ada", Seek(Terms(time="60")))
    [first] = pairs(hall.hear("Bob", Seek(Terms(time="60"))))
    hall.free("Ada")
    hall.free("Bob")
    effects = hall.hear("Bob", Rematch())
    assert pairs(effects) == []
    assert heard(effects, "Ada")[0].startswith("challenge ")
    assert pairs(hall.hear("Ada", Rematch())) == [(first[1], first[0])]


def test_an_offer_states_its_conduct():
    hall = lobby(replace(CHESS, pool_rules=PoolRules(conduct=Conduct(takeback=False))))
    join(hall, person("Ada"), person("Bob"))
    [seek] = heard(hall.hear("Ada", Seek(Terms())), "Bob")
    assert seek.endswith("conduct no-takeback")
    hall.hear("Ada", Unseek())
    [challenge] = heard(hall.hear("Ada", Challenge("Bob", Terms())), "Bob")
    assert challenge.endswith("conduct no-takeback")


def test_there_is_no_rematch_where_the_conduct_forbids_it():
    hall = lobby(replace(CHESS, pool_rules=PoolRules(conduct=Conduct(rematch=False))))
    join(hall, person("Ada"), person("Bob"))
    hall.hear("Ada", Seek(Terms(time="60")))
    hall.hear("Bob", Seek(Terms(time="60")))
    hall.free("Ada")
    hall.free("Bob")
    refused = "error forbidden there is no rematch of this game"
    assert heard(hall.hear("Bob", Rematch()), "Bob") == [refused]


def test_a_rematch_with_an_engine_that_waits_again():
    hall = lobby()
    join(hall, engine("A"), person("Ada"))
    hall.wait("A", "chess")
    [first] = pairs(hall.hear("Ada", Seek()))
    hall.free("Ada")
    hall.free("A")
    hall.wait("A", "chess")
    assert pairs(hall.hear("Ada", Rematch())) == [(first[1], first[0])]


def test_who_lists_everybody_and_what_they_do():
    hall = lobby()
    join(hall, engine("Deep Thought"), person("Ada"))
    hall.wait("Deep_Thought", "chess")
    assert listed(hall, hall.hear("Ada", Who())) == [
        "player Deep_Thought kind engine state waiting",
        "player Ada kind human state idle",
    ]


def test_who_leaves_takes_seeks_and_challenges_along():
    hall = lobby()
    join(hall, person("Ada"), person("Bob"))
    hall.hear("Ada", Seek())
    hall.hear("Ada", Challenge("Bob"))
    assert heard(hall.leave("Ada"), "Bob") == ["gone 1", "gone 2"]
    assert join(hall, person("Ada")) == ["Ada"]


def test_a_closed_lobby_pairs_nobody_and_catches_up_when_it_opens():
    hall = lobby()
    join(hall, engine("A"), engine("B"), person("Ada"))
    hall.close("the database is away")
    assert pairs([*hall.wait("A", "chess"), *hall.wait("B", "chess")]) == []
    assert heard(hall.hear("Ada", Seek()), "Ada") == ["error closed the database is away"]
    assert pairs(chain(*hall.reopen())) == [("A", "B")]


def test_who_plays_cannot_seek():
    hall = lobby()
    join(hall, person("Ada"), person("Bob"))
    hall.hear("Ada", Seek())
    hall.hear("Bob", Seek())
    assert heard(hall.hear("Ada", Seek()), "Ada")[0].startswith("error busy")


def test_who_can_play_nothing_of_a_pool_is_refused_with_the_reason():
    hall = lobby(Pool("atomic", GAMES["atomic"], CHESS.control, (None,)))
    join(hall, engine("A"))
    assert hall.wait("A", "atomic") == [Refused("A", "A does not offer the option UCI_Variant")]
    assert hall.state("A") == "idle"


def test_of_several_starts_one_is_taken_that_both_can_play():
    easy, hard = "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/C3K3 w - - 0 1"
    rules = GAMES["liberty"]
    hall = lobby(Pool("mixed", rules, CHESS.control, (hard, easy)))
    one = replace(engine("One"), pieces=frozenset("kc"), version=1)
    only_easy = replace(engine("Easy"), pieces=frozenset("k"), version=1)
    join(hall, one, only_easy)
    hall.wait("One", "mixed")
    [pair] = [e for e in hall.wait("Easy", "mixed") if isinstance(e, Pair)]
    assert pair.agreement.start == easy


def test_those_without_a_common_start_are_both_told_and_wait_for_others():
    starts = ("4k3/8/8/8/8/8/8/C3K3 w - - 0 1", "4k3/8/8/8/8/8/8/A3K3 w - - 0 1")
    hall = lobby(Pool("mixed", GAMES["liberty"], CHESS.control, starts))
    knows_c = replace(engine("C"), pieces=frozenset("kc"), version=1)
    knows_a = replace(engine("A"), pieces=frozenset("ka"), version=1)
    join(hall, knows_c, knows_a)
    hall.wait("C", "mixed")
    [told] = [e for e in hall.wait("A", "mixed") if isinstance(e, Unmatched)]
    assert told.handles == ("C", "A")
    assert "does not know the pieces" in told.why


def test_a_pool_may_ask_for_a_strength():
    hall = lobby(replace(CHESS, pool_rules=PoolRules(1500)))
    join(hall, engine("A"), engine("B"))
    hall.wait("A", "chess")
    [pair] = [e for e in hall.wait("B", "chess") if isinstance(e, Pair)]
    assert pair.agreement.pool_rules.elo == 1500


def test_everybody_is_told_the_beginning_of_a_long_start_and_who_is_asked_all_of_it():
    hall = lobby()
    handles = join(hall, person("Ada"), replace(person("Bob"), pieces=frozenset("kq"), version=1))
    hall.renew(replace(person("Ada"), handle=handles[0], pieces=frozenset("kq"), version=1))
    start = "/".join(["4k27", *["32"] * 30, "4K27"]) + " w"
    terms = Terms(game="liberty", start=start.replace("32/32", "16Q15/8q23"))
    [line] = heard(hall.hear("Ada", Seek(terms)), "Bob")
    [told] = heard(hall.hear("Ada", Challenge("Bob", terms)), "Bob")
    whole = told.partition(" start ")[2]
    assert len(whole) > 150
    assert line.endswith(f" start {whole[:120]}…")


def test_of_many_who_cannot_play_a_newcomer_only_some_are_told_so():
    starts = ("4k3/8/8/8/8/8/8/C3K3 w - - 0 1", "4k3/8/8/8/8/8/8/A3K3 w - - 0 1")
    hall = lobby(Pool("mixed", GAMES["liberty"], CHESS.control, starts))
    for number in range(10):
        join(hall, replace(engine(f"C{number}"), pieces=frozenset("kc"), version=1))
    hall.close("for a moment")
    for number in range(10):
        hall.wait(f"C{number}", "mixed")
    [*hall.reopen()]
    hall.close("again")
    join(hall, replace(engine("A"), pieces=frozenset("ka"), version=1))
    for number in range(10):
        hall.free(f"C{number}")
        hall.wait(f"C{number}", "mixed")
    told = [e for e in hall.wait("A", "mixed") if isinstance(e, Unmatched)]
    assert [e.handles[0] for e in told] == [f"C{number}" for number in range(5)]


def test_nobody_has_more_challenges_to_answer_than_are_read():
    hall = lobby()
    join(hall, person("Bob"), *(person(f"P{number}") for number in range(101)))
    told = [heard(hall.hear(f"P{n}", Challenge("Bob")), f"P{n}")[0] for n in range(101)]
    assert all(line.startswith("challenging ") for line in told[:100])
    assert told[100].startswith("error too-many-challenges Bob has 100")

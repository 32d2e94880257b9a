"""What is accepted, and for which reason it is not."""

from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace

from ulci.protocol.lobby.lines import Offer
from ulci_client.bot.acceptance import RULES, AcceptanceRules, BotState, Objection
from ulci_client.bot.ledger import RunningGame
from ulci_client.bot.sections import Config

NOON = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)  # a Monday
NIGHT = datetime(2026, 11, 23, 23, 30, tzinfo=UTC)
ASKED = Offer(1, "Ada", "human", "chess", "300+3")


def rules(**tables: dict[str, Any]) -> AcceptanceRules:
    return AcceptanceRules(Config.model_validate(tables))


def asked(**changes: Any) -> Offer:
    return replace(ASKED, **changes)


def test_what_nothing_speaks_against_is_accepted() -> None:
    assert rules().decide(ASKED, BotState(), NOON) is None


# Settings, what is asked for, how the bot stands, and the rule and reason that decide.
CASES: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any], str, str]] = [
    (
        {"accept": {"challenges": False}},
        {},
        {},
        "challenges",
        "I take no challenges; accept a seek of mine",
    ),
    ({}, {}, {"leaving": True}, "challenges", "I am leaving and begin no new game"),
    ({"accept": {"refuse": ["ad*"]}}, {}, {}, "refuse", "I do not play you"),
    ({"accept": {"refuse": ["ada"]}}, {"player": "Ada-2"}, {}, "refuse", "I do not play you"),
    ({"accept": {"only": ["Bob"]}}, {}, {}, "only", "I play only a few people"),
    (
        {"accept": {"only": ["Ada"]}},
        {"player": "Ada-2"},
        {},
        "only",
        "I play only a few people",
    ),
    ({"accept": {"kinds": ["engine"]}}, {}, {}, "kinds", "I play only engines"),
    ({"accept": {"kinds": []}}, {}, {}, "kinds", "I play nobody at present"),
    ({}, {"kind": "ghost"}, {}, "kinds", "I play only people and engines"),
    (
        {"accept": {"games": ["mnk", "liberty"]}},
        {},
        {},
        "games",
        "I play liberty and mnk, not chess",
    ),
    ({}, {"game": "mnk"}, {"games": ["chess"]}, "games", "I play chess, not mnk"),
    (
        {"accept": {"own_starts": False}},
        {"start": "8/8 w"},
        {},
        "own_starts",
        "I play from the usual start only",
    ),
    (
        {"accept": {"own_starts": False}},
        {"color": "later"},
        {},
        "own_starts",
        "I play from the usual start only, so say your color at once",
    ),
    ({}, {"games": 11}, {}, "match", "I agree on 10 games at once, not on 11"),
    ({}, {"games": 3}, {"left": 1}, "match", "I agree on a game at once, not on 3"),
    (
        {"limits": {"a_day": 3}},
        {"games": 2},
        {"played": ["bob", "eve"]},
        "a_day",
        "I play 1 more within this day, not 2",
    ),
    (
        {"limits": {"opponent_a_day": 3}},
        {"games": 3},
        {"played": ["ada", "bob"]},
        "opponent_a_day",
        "I play 2 more with you within this day, not 3",
    ),
    ({}, {"time": "3days"}, {}, "clocks", "I play only with a clock, not 3days"),
    ({}, {"time": "a new one"}, {}, "clocks", "I play only with a clock, not a new one"),
    (
        {"accept": {"clocks": ["days", "limit"]}},
        {},
        {},
        "clocks",
        "I play only with days per move or with a limit of the search, not 300+3",
    ),
    (
        {"accept": {"base": [60, 180]}},
        {},
        {},
        "base",
        "I play with 60 to 180 s on the clock, not 300",
    ),
    (
        {"accept": {"base": [60, 300]}},
        {"time": "300|30"},
        {},
        "base",
        "I play with 60 to 300 s on the clock, not 30",
    ),
    (
        {"accept": {"bonus": [5, 9]}},
        {},
        {},
        "bonus",
        "I play with 5 to 9 s per move, not 3",
    ),
    ({"accept": {"rated": "no"}}, {"rated": True}, {}, "rated", "I play only unrated games"),
    ({"accept": {"rated": "yes"}}, {}, {}, "rated", "I play only rated games"),
    (
        {"limits": {"quiet_hours": ["11:00-13:30"]}},
        {},
        {},
        "quiet_hours",
        "I rest until 13:30 (it is 12:00 here)",
    ),
    (
        {"limits": {"a_day": 2}},
        {},
        {"played": ["bob", "eve"]},
        "a_day",
        "I have played 2 games within a day, which is all I play",
    ),
    (
        {"limits": {"opponent_a_day": 1}},
        {"player": "Ada-3"},
        {"played": ["ada"]},
        "opponent_a_day",
        "we have played a game within a day; come back tomorrow",
    ),
    (
        {},
        {},
        {"running": [RunningGame("Ada-2")], "seats": 2},
        "opponent_at_once",
        "we play a game already; finish one first",
    ),
    (
        {},
        {},
        {"running": [RunningGame("Bob"), RunningGame("Eve")], "seats": 2},
        "concurrency",
        "I play 2 games already; try again later",
    ),
    (
        {"limits": {"kept_for_people": 1}},
        {"kind": "engine"},
        {"running": [RunningGame("Deep", "engine")], "seats": 2},
        "kept_for_people",
        "the rest of my games is kept for people; try again later",
    ),
    (
        {},
        {},
        {"running": [RunningGame("Bob")], "seats": 2, "busy": True, "free": "Fish-2"},
        "busy",
        "I am playing; challenge Fish-2",
    ),
    ({}, {}, {"seats": 2, "busy": True}, "busy", "I am playing; try again later"),
]


@pytest.mark.parametrize(("tables", "what", "how", "rule", "reason"), CASES)
def test_each_rule_has_its_reason(
    tables: dict[str, Any], what: dict[str, Any], how: dict[str, Any], rule: str, reason: str
) -> None:
    assert rules(**tables).decide(asked(**what), BotState(**how), NOON) == Objection(rule, reason)


def test_every_rule_is_tried_above() -> None:
    assert {rule for rule, _ in RULES} == {rule for _, _, _, rule, _ in CASES}


def test_people_get_what_is_kept_for_them_and_do_not_use_up_the_engines_share() -> None:
    kept = rules(limits={"kept_for_people": 1})
    one = BotState(seats=2, running=[RunningGame("Deep", "engine")])
    assert kept.decide(ASKED, one, NOON) is None
    person = BotState(seats=2, running=[RunningGame("Bob", "human")])
    assert kept.decide(asked(kind="engine"), person, NOON) is None
    assert kept.only_people(one)
    assert not kept.only_people(person)


def test_who_took_our_seek_took_our_terms_and_only_who_it_is_counts() -> None:
    strict = rules(accept={"kinds": [], "refuse": ["Rude"]}, limits={"opponent_a_day": 1})
    assert strict.meets(ASKED, BotState(), NOON) is None
    assert strict.meets(asked(player="Rude-2"), BotState(), NOON) is not None
    assert strict.meets(ASKED, BotState(played=["ada"]), NOON) is not None


def test_it_looks_for_no_game_in_quiet_hours_when_the_day_is_full_and_when_it_leaves() -> None:
    some = rules(limits={"quiet_hours": ["23:00-07:00"], "a_day": 1})
    assert some.may_look(BotState(), NOON)
    assert not some.may_look(BotState(), NIGHT)
    assert not some.may_look(BotState(played=["ada"]), NOON)
    assert not some.may_look(BotState(leaving=True), NOON)

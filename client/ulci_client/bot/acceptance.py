"""Whether a challenge is accepted. Pure: a table of rules, of which the first that objects decides.

Each rule returns the reason for an objection, for the challenger and the log; None: it has none. A
reason is for people: it names what the bot would play instead, if there is something.
"""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from ulci.protocol.lobby.lines import Offer
from ulci_client.time_cost import costs_untrusted

from . import opponent_names
from .ledger import RunningGame
from .sections import AcceptTable, Config, LimitsTable


@dataclass(frozen=True, slots=True)
class BotState:
    """The bot's state at a challenge. games: those that its engines play; empty: any. seats: games
    at once. running: the running games. busy: whether the challenged player has one of them, or is
    about to. free: the name of another player of the bot, without a game. played: the opponents of
    the last day's games (`opponent_names.key`). leaving: whether no new game begins. left: games
    that may still begin in all."""

    games: Collection[str] = ()
    seats: int = 1
    running: Sequence[RunningGame] = ()
    busy: bool = False
    free: str = ""
    played: Sequence[str] = field(default=())
    leaving: bool = False
    left: float = math.inf


@dataclass(frozen=True, slots=True)
class Objection:
    """Why a challenge is declined. `rule`: the name of the rule, for the log. `reason`: for
    people."""

    rule: str
    reason: str


class AcceptanceRules:
    """The rules of one bot.toml."""

    def __init__(self, config: Config) -> None:
        self.accept: AcceptTable = config.accept
        self.limits: LimitsTable = config.limits

    def decide(self, asked: Offer, state: BotState, at: datetime) -> Objection | None:
        """The objection to a challenge; None: it is accepted. at: local time."""
        return self._first(RULES, asked, state, at)

    def meets(self, asked: Offer, state: BotState, at: datetime) -> Objection | None:
        """The objection to an opponent whom the bot found itself, by its seek or challenge: only
        the rules about opponents and amounts count, not those about terms."""
        return self._first(PERSONAL, asked, state, at)

    def may_look(self, state: BotState, at: datetime) -> bool:
        """Whether the bot may look for a game with anybody."""
        nobody = Offer(0, "", "human")
        return self._first(GENERAL, nobody, state, at) is None

    def rests(self, at: datetime) -> str | None:
        """Why no game begins now, not even the next one of a match; None if one may."""
        for span in self.limits.quiet_hours:
            if span.has(at):
                return f"I rest until {span.end:%H:%M} (it is {at:%H:%M} here)"
        return None

    def only_people(self, state: BotState) -> bool:
        """Whether the seats that are left are kept for people."""
        return _kept_for_people(self.limits, state) is not None

    def _first(
        self, rules: "Sequence[tuple[str, Rule]]", asked: Offer, state: BotState, at: datetime
    ) -> Objection | None:
        for name, rule in rules:
            if (reason := rule(self, asked, state, at)) is not None:
                return Objection(name, reason)
        return None


Rule = Callable[[AcceptanceRules, Offer, BotState, datetime], str | None]


def _closed(rules: AcceptanceRules, _: Offer, state: BotState, __: datetime) -> str | None:
    if state.leaving:
        return "I am leaving and begin no new game"
    return None if rules.accept.challenges else "I take no challenges; accept a seek of mine"


def _leaving(_: AcceptanceRules, __: Offer, state: BotState, ___: datetime) -> str | None:
    return "I am leaving and begin no new game" if state.leaving else None


def _refused(rules: AcceptanceRules, asked: Offer, _: BotState, __: datetime) -> str | None:
    refused = opponent_names.refused(asked.player, rules.accept.refuse)
    return "I do not play you" if refused else None


def _only(rules: AcceptanceRules, asked: Offer, _: BotState, __: datetime) -> str | None:
    only = rules.accept.only
    if not only or opponent_names.allowed(asked.player, only):
        return None
    return "I play only a few people"


_KINDS = {"human": "people", "engine": "engines"}


def _kind(rules: AcceptanceRules, asked: Offer, _: BotState, __: datetime) -> str | None:
    kinds = rules.accept.kinds
    if asked.kind in kinds:
        return None
    wanted = _listed([_KINDS[kind] for kind in kinds])
    return f"I play only {wanted}" if wanted else "I play nobody at present"


def _game(rules: AcceptanceRules, asked: Offer, state: BotState, _: datetime) -> str | None:
    """The objection to a game that the rules do not accept or no engine plays."""
    for known in (rules.accept.games, state.games):
        if known and asked.game not in known:
            return f"I play {_listed(sorted(known))}, not {asked.game or 'that game'}"
    return None


def _start(rules: AcceptanceRules, asked: Offer, _: BotState, __: datetime) -> str | None:
    later = asked.color == "later"  # and perhaps the start with it
    if rules.accept.own_starts or (asked.start is None and not later):
        return None
    return "I play from the usual start only" + (", so say your color at once" if later else "")


def _match(rules: AcceptanceRules, asked: Offer, state: BotState, _: datetime) -> str | None:
    most = min(rules.accept.match, state.left)
    if asked.games <= most:
        return None
    return f"I agree on {_games(int(most))} at once, not on {asked.games}"


_CLOCKS = {
    "clock": "with a clock",
    "days": "with days per move",
    "limit": "with a limit of the search",
    "unlimited": "without a limit",
}


def _clock(rules: AcceptanceRules, asked: Offer, _: BotState, __: datetime) -> str | None:
    costs = costs_untrusted(asked.time)
    clocks = rules.accept.clocks
    if costs and all(cost.kind in clocks for cost in costs):
        return None
    wanted = _listed([_CLOCKS[clock] for clock in clocks], "or")
    return f"I play only {wanted}, not {asked.time or 'an unknown time control'}"


def _base(rules: AcceptanceRules, asked: Offer, _: BotState, __: datetime) -> str | None:
    given = [cost.base for cost in costs_untrusted(asked.time) if cost.kind == "clock"]
    return _outside(rules.accept.base, given, "on the clock")


def _bonus(rules: AcceptanceRules, asked: Offer, _: BotState, __: datetime) -> str | None:
    given = [cost.bonus for cost in costs_untrusted(asked.time) if cost.kind == "clock"]
    return _outside(rules.accept.bonus, given, "per move")


def _outside(wanted: tuple[float, float], given: Sequence[float], where: str) -> str | None:
    """What to say of the first that is not within; seconds."""
    least, most = wanted
    wrong = next((seconds for seconds in given if not least <= seconds <= most), None)
    return None if wrong is None else f"I play with {least:g} to {most:g} s {where}, not {wrong:g}"


def _rated(rules: AcceptanceRules, asked: Offer, _: BotState, __: datetime) -> str | None:
    if rules.accept.rated in ("any", "yes" if asked.rated else "no"):
        return None
    return "I play only unrated games" if asked.rated else "I play only rated games"


def _quiet(rules: AcceptanceRules, _: Offer, __: BotState, at: datetime) -> str | None:
    return rules.rests(at)


def _a_day(rules: AcceptanceRules, asked: Offer, state: BotState, _: datetime) -> str | None:
    most = rules.limits.a_day
    left = most - len(state.played)
    if not most or asked.games <= left:
        return None
    if left > 0:
        return f"I play {left} more within this day, not {asked.games}"
    return f"I have played {_games(most)} within a day, which is all I play"


def _opponent_a_day(
    rules: AcceptanceRules, asked: Offer, state: BotState, _: datetime
) -> str | None:
    most = rules.limits.opponent_a_day
    left = most - list(state.played).count(opponent_names.key(asked.player))
    if not most or asked.games <= left:
        return None
    if left > 0:
        return f"I play {left} more with you within this day, not {asked.games}"
    return f"we have played {_games(most)} within a day; come back tomorrow"


def _opponent_at_once(
    rules: AcceptanceRules, asked: Offer, state: BotState, _: datetime
) -> str | None:
    most = rules.limits.opponent_at_once
    now = sum(
        opponent_names.key(game.opponent) == opponent_names.key(asked.player)
        for game in state.running
    )
    if most and now >= most:
        return f"we play {_games(most)} already; finish one first"
    return None


def _full(_: AcceptanceRules, __: Offer, state: BotState, ___: datetime) -> str | None:
    if len(state.running) < state.seats:
        return None
    return f"I play {_games(state.seats)} already; try again later"


def _kept(rules: AcceptanceRules, asked: Offer, state: BotState, _: datetime) -> str | None:
    return None if asked.kind == "human" else _kept_for_people(rules.limits, state)


def _kept_for_people(limits: LimitsTable, state: BotState) -> str | None:
    others = sum(game.kind != "human" for game in state.running)
    if others < state.seats - limits.kept_for_people:
        return None
    return "the rest of my games is kept for people; try again later"


def _busy(_: AcceptanceRules, __: Offer, state: BotState, ___: datetime) -> str | None:
    if not state.busy:
        return None
    return (
        f"I am playing; challenge {state.free}" if state.free else "I am playing; try again later"
    )


def _listed(words: Sequence[str], last: str = "and") -> str:
    """``chess, liberty and mnk``."""
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def _games(number: int) -> str:
    return "a game" if number == 1 else f"{number} games"


RULES: Sequence[tuple[str, Rule]] = (
    ("challenges", _closed),
    ("refuse", _refused),
    ("only", _only),
    ("kinds", _kind),
    ("games", _game),
    ("own_starts", _start),
    ("match", _match),
    ("clocks", _clock),
    ("base", _base),
    ("bonus", _bonus),
    ("rated", _rated),
    ("quiet_hours", _quiet),
    ("a_day", _a_day),
    ("opponent_a_day", _opponent_a_day),
    ("opponent_at_once", _opponent_at_once),
    ("concurrency", _full),
    ("kept_for_people", _kept),
    ("busy", _busy),
)
"""The rules, each by the name of its setting. Rules that never change for a challenger come
first."""

_NAMES = dict(RULES)
PERSONAL: Sequence[tuple[str, Rule]] = tuple(
    (name, _NAMES[name])
    for name in ("refuse", "a_day", "opponent_a_day", "opponent_at_once", "kept_for_people")
)
GENERAL: Sequence[tuple[str, Rule]] = (
    ("leaving", _leaving),
    *((name, _NAMES[name]) for name in ("quiet_hours", "a_day", "concurrency")),
)

"""Points, and the figures that break ties, in half points (those of Sonneborn-Berger in quarters).

Definitions: FIDE Handbook C.07, as in force since February 2026. Of its article 16, about rounds
that were not played:

* A round is missed by choice (a "voluntary unplayed round") unless it was played or won without a
  game. So is a bye of half a point for who came late, and a game that was lost for not coming.
* For its opponents, an entrant's points are those that it has; but the rounds that it missed by
  choice after its last other one, without an opponent, count as draws: it has left (16.3).
* For itself, a round that was not played is one against an opponent with its own points, but not
  more than the opponent has who did not come, or without one than half of all rounds (16.4).
* Where the lowest opponent is cut, that is one of a round missed by choice, if there is one (16.5).
"""

from collections.abc import Mapping

from .state import Meeting, State


def points_of(state: State) -> dict[int, int]:
    """Of all games and byes."""
    return {n: state.halves_of(n) for n in state.entrants}


def game_points(state: State) -> dict[int, int]:
    """Of games alone."""
    return {n: round(2 * state.tally(n).games.points) for n in state.entrants}


def encounters(state: State, entrant: int) -> dict[int, Meeting]:
    """By round, of those that are decided: the opponent (None: a bye), what the entrant has of it
    and what the opponent has, in half points of the encounter, and whether a game was played."""
    if (known := state.meetings.get(entrant)) is not None:
        return known
    found: dict[int, Meeting] = {}
    of_round: dict[int, list[int]] = {}
    for number in state.of_entrant.get(entrant, ()):
        of_round.setdefault(state.pairings[number].round, []).append(number)
    for round_, numbers in of_round.items():
        if any(state.score(number) is None for number in numbers):
            continue
        mine = sum(state.halves(number, entrant) or 0 for number in numbers)
        other = state.opponent(numbers[0], entrant)
        if other is None:
            found[round_] = None, mine, 0, False
            continue
        theirs = sum(state.halves(number, other) or 0 for number in numbers)
        played = any(state.was_played(number) for number in numbers)
        score = (2, 0) if mine > theirs else ((0, 2) if mine < theirs else (1, 1))
        if not (mine or theirs):
            score = 0, 0
        found[round_] = other, *score, played
    state.meetings[entrant] = found
    return found


def encounter_points(state: State) -> dict[int, int]:
    """A whole point for the encounter in which the entrant has more of the games, and its byes."""
    return {n: sum(one[1] for one in encounters(state, n).values()) for n in state.entrants}


def direct_encounter(state: State, points: Mapping[int, int]) -> dict[int, int]:
    """What each has against those who have as many points. Of those who are equal in that, too,
    FIDE counts their games with each other once more (C.07, article 6); here the next figure
    decides, so that the figures that are shown explain the order."""
    found = dict.fromkeys(state.entrants, 0)
    for first, second, mine, theirs in state.counted.met():
        if points[first] == points[second]:
            found[first] += mine
            found[second] += theirs
    return found


def sonneborn_berger(state: State, points: Mapping[int, int]) -> dict[int, int]:
    """The points of those whom each has beaten, and half of those with whom it drew."""
    found = dict.fromkeys(state.entrants, 0)
    for first, second, mine, theirs in state.counted.met():
        found[first] += points[second] * mine
        found[second] += points[first] * theirs
    return found


_ABSENT: Meeting = None, 0, 0, False


def buchholz_cut_1(state: State) -> tuple[dict[int, int], dict[int, int], dict[int, int]]:
    """By encounters: Buchholz without the lowest opponent, Buchholz, and Sonneborn-Berger. A round
    that is still being played does not count for those who play in it."""
    met = {n: _decided(state, n) for n in state.entrants}
    own = {n: sum(one[1] for one in rounds.values()) for n, rounds in met.items()}
    counted = {n: _for_opponents(rounds) for n, rounds in met.items()}
    cut: dict[int, int] = {}
    whole: dict[int, int] = {}
    berger: dict[int, int] = {}
    for n, rounds in met.items():
        missed: list[int] = []
        others: list[int] = []
        berger[n] = 0
        for one in rounds.values():
            other, mine, _, played = one
            if other is not None and played:
                points = counted[other]
            else:
                points = min(own[n], len(rounds) if other is None else counted[other])
            (missed if _by_choice(one) else others).append(points)
            berger[n] += points * mine
        whole[n] = sum(missed) + sum(others)
        cut[n] = whole[n] - min(missed or others, default=0)
    return cut, whole, berger


def _decided(state: State, entrant: int) -> dict[int, Meeting]:
    """By round, all rounds but those in which the entrant is still playing."""
    known = encounters(state, entrant)
    paired = {state.pairings[number].round for number in state.of_entrant.get(entrant, ())}
    rounds = range(1, state.last_round + 1)
    return {r: known.get(r, _ABSENT) for r in rounds if r in known or r not in paired}


def _by_choice(one: Meeting) -> bool:
    _, mine, _, played = one
    return not played and mine < 2


def _for_opponents(rounds: Mapping[int, Meeting]) -> int:
    """What an entrant's points count for its opponents."""
    last = max((r for r, one in rounds.items() if not _by_choice(one)), default=0)
    return sum(1 if r > last and one[0] is None else one[1] for r, one in rounds.items())

"""Points, and the figures that break ties, in half points (those of Sonneborn-Berger in quarters).

Definitions: FIDE Handbook C.07. A round that an entrant did not play counts in Buchholz as a draw
against itself, for the entrant's own figure and for those of its opponents: the "virtual opponent"
of the rules before 2023, which ends with the points that the entrant had then plus half a point for
each round that followed.
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
    """What each has against those who have as many points."""
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


def buchholz_cut_1(state: State) -> tuple[dict[int, int], dict[int, int], dict[int, int]]:
    """By encounters: Buchholz without the lowest opponent, Buchholz, and Sonneborn-Berger."""
    last = state.last_round
    met = {n: encounters(state, n) for n in state.entrants}
    counted = {n: _adjusted(met[n], last) for n in state.entrants}
    cut: dict[int, int] = {}
    whole: dict[int, int] = {}
    berger: dict[int, int] = {}
    for n, rounds in met.items():
        opponents: list[int] = []
        quality, so_far = 0, 0
        for round_ in range(1, last + 1):
            other, mine, _, played = rounds.get(round_, (None, 0, 0, False))
            if other is None or not played:
                virtual = so_far + (2 - mine) + (last - round_)
                opponents.append(virtual)
                quality += virtual * mine
            else:
                opponents.append(counted[other])
                quality += counted[other] * mine
            so_far += mine
        whole[n] = sum(opponents)
        cut[n] = whole[n] - min(opponents, default=0)
        berger[n] = quality
    return cut, whole, berger


def _adjusted(rounds: Mapping[int, Meeting], last: int) -> int:
    """What an entrant's points count for its opponents: rounds that it did not play are draws."""
    total = 0
    for round_ in range(1, last + 1):
        _, mine, _, played = rounds.get(round_, (None, 0, 0, False))
        total += mine if played else 1
    return total

"""A report in FIDE's format TRF16 (Handbook C.04, annex 2), with the lines of JaVaFo by which other
programs pair the next round: XXR has the number of rounds, XXZ those who are not paired.

Columns are those of the annex, counted from 1.
"""

from collections.abc import Mapping, Sequence

from .records import Pairing
from .state import State
from .ties import encounters

LONGEST_NAME = 33


def seeded(state: State, round_: int) -> list[int]:
    """Those who have entered by that round, by rating; without one after all others."""
    there = [one for one in state.entrants.values() if one.joined <= round_]
    there.sort(key=lambda one: (-(one.rating or 0.0), one.number))
    return [one.number for one in there]


def report_until_now(state: State, standings: Sequence[int]) -> str:
    """Of all rounds before the first that is not decided: whoever plays on would be said to be
    absent. standings: the entrants from the first on, ties broken."""
    open_ = (one.round for one in (*state.open.values(), *state.replays()))
    next_round = min(open_, default=state.last_round + 1)
    order = seeded(state, next_round)
    if next_round <= state.last_round:  # standings count more than these rounds
        return report(state, order, next_round)
    there = {*order}
    ranks = {n: place for place, n in enumerate((n for n in standings if n in there), 1)}
    return report(state, order, next_round, ranks=ranks)


def report(
    state: State,
    order: Sequence[int],
    round_: int,
    byes: Sequence[Pairing] = (),
    ranks: Mapping[int, int] | None = None,
) -> str:
    """Of the rounds before that one, whose pairing is asked for. order: the entrants, by their
    numbers in the report. byes: of the rounds before, which are not stored yet. ranks: of those
    entrants; None: by points alone, which is enough to pair."""
    place = {entrant: number for number, entrant in enumerate(order, 1)}
    early = {(bye.white, bye.round) for bye in byes}
    rows: list[tuple[int, str]] = []
    for entrant in order:
        rounds, points, cells = encounters(state, entrant), 0, []
        for before in range(1, round_):
            other, mine, theirs, played = rounds.get(before, (None, 0, 0, False))
            if (entrant, before) in early:
                other, mine, theirs, played = None, 1, 0, False
            points += mine
            cells.append(_cell(state, entrant, before, place, (other, mine, theirs, played)))
        rows.append((points, "  ".join(cells)))
    if ranks is None:
        by_points = sorted(range(len(rows)), key=lambda index: (-rows[index][0], index))
        ranks = {order[index]: number for number, index in enumerate(by_points, 1)}
    lines = [f"012 {state.settings.name}"]
    for index, entrant in enumerate(order):
        one = state.entrants[entrant]
        points, cells_text = rows[index]
        rating = "" if one.rating is None else str(min(round(one.rating), 9999))
        shown = one.name[:LONGEST_NAME]
        lines.append(
            f"001 {index + 1:>4}      {shown:<{LONGEST_NAME}} {rating:>4}{'':<28}"
            f"{points / 2:>4.1f} {ranks[entrant]:>4}  {cells_text}".rstrip()
        )
    lines.append(f"XXR {max(state.settings.rounds, state.last_round)}")
    absent = [place[n] for n in order if not state.entrants[n].plays_in(round_)]
    if absent and round_ <= state.settings.rounds:  # programs take it for all rounds
        lines.append(f"XXZ {' '.join(map(str, absent))}")
    lines.append("XXC white1")
    return "\n".join(lines) + "\n"


def _cell(
    state: State,
    entrant: int,
    round_: int,
    place: dict[int, int],
    encounter: tuple[int | None, int, int, bool],
) -> str:
    """Eight columns: the opponent, the colour of the first game, and the result."""
    other, mine, theirs, played = encounter
    if other is None or (not played and mine == theirs == 1):  # a draw without a game
        return f"0000 - {'ZHU'[mine]}"
    first = state.pairings[state.encounter(entrant, other, round_)[0]]
    color = "w" if first.white == entrant else "b"
    result = "0=1"[mine] if played else ("+" if mine > theirs else "-")
    return f"{place[other]:>4} {color} {result}"

"""How far a tournament is, as lines of a terminal."""

from collections.abc import Iterator, Sequence
from math import isfinite

from ulci_server.cli.output import shown, table
from ulci_server.storage import StoredTournament, TournamentState
from ulci_server.tournament import Pairing, Standings, Tournament, TournamentFormat

NAME = 24
"""Columns of a name."""

MOST_OPEN = 12
"""Pairings to be played that are listed."""

MOST_RANKED = 100
MOST_IN_CROSSTABLE = 20

OPEN_ON_SCREEN = 5
"""Pairings to be played that are listed where all has to fit on a screen."""

AROUND = 10
"""Lines of a screen that are neither ranks nor pairings."""

FEWEST_RANKED = 3

WIDE = 140
"""Columns of a screen that shows everything."""

NARROW_NAME = 16
MOST_TIES = 3
"""On a narrow screen, the first ones: the others are seldom needed."""

BRIEF = {"Buchholz cut 1": "BH cut", "Buchholz": "BH", "Sonneborn-Berger": "SB"}
"""Figures that break ties, as players write them."""


def fitted(
    stored: StoredTournament, tournament: Tournament, columns: int, lines: int
) -> Iterator[str]:
    """Lines about the leaders and the next pairings, for a screen of that size."""
    open_ = min(len(tournament.open_pairings()), OPEN_ON_SCREEN)
    ranked = max(FEWEST_RANKED, min(MOST_RANKED, lines - AROUND - open_))
    for line in status(stored, tournament, ranked, OPEN_ON_SCREEN, narrow=columns < WIDE):
        yield from (shown(each, columns) for each in line.split("\n"))


def status(
    stored: StoredTournament,
    tournament: Tournament,
    most_ranked: int = MOST_RANKED,
    most_open: int = MOST_OPEN,
    *,
    narrow: bool = False,
) -> Iterator[str]:
    """Lines about all of it. narrow: the screen has no place for all columns of the standings."""
    record, settings = stored.record, tournament.settings
    now = tournament.now()
    yield f"{settings.name} ({record.word}): {settings.format}, {record.state}"
    rounds = ""
    if settings.format not in (TournamentFormat.ARENA, TournamentFormat.LADDER):
        rounds = f", round {now.rounds}"
        if settings.format is TournamentFormat.SWISS:
            rounds += f" of {settings.rounds}"
    total = "" if now.total is None else f" of {now.total}"
    yield f"pool {settings.pool}{rounds}, {now.finished} games finished{total}"
    if record.state is TournamentState.CREATED:
        yield f"it has not begun: ulci-server tournament start {record.word}"
    if record.why_paused:
        yield f"the server has paused it: {record.why_paused}"
    if now.test is not None:
        test = now.test
        decided = "" if test.accepted is None else f", {test.accepted.value} was accepted"
        lower, upper = test.sprt.lower, test.sprt.upper
        yield f"LLR: {test.llr:.2f} ({lower:.2f}, {upper:.2f}){decided}"
    yield ""
    yield standings_table(now, most_ranked, narrow=narrow)
    running = {game.number for game in stored.games if game.score is None}
    waiting = tournament.open_pairings()
    if waiting:
        yield ""
        yield "to be played:"
        yield from (_open(one, tournament, running) for one in waiting[:most_open])
        if len(waiting) > most_open:
            yield f"  and {len(waiting) - most_open} more"
    if record.state is TournamentState.PAUSED:
        yield ""
        yield f"it is paused: ulci-server tournament start {record.word} goes on with it"


def standings_table(now: Standings, most: int = MOST_RANKED, *, narrow: bool = False) -> str:
    """With the figures that break ties."""
    if not now.entries:
        return "nobody has entered"
    ties = [name for name, _ in now.entries[0].ties]
    name_width = NAME
    if narrow:
        ties, name_width = [BRIEF.get(name, name) for name in ties[:MOST_TIES]], NARROW_NAME
    head = ("rank", "name", "points", "games", "+", "=", "-", "Elo", *ties, "")
    rows = []
    for each in now.entries[:most]:
        games, found = each.tally.games, each.estimate
        known = isfinite(found.elo_error) and found.elo_error > 0  # equal pairs tell no error
        elo = f"{found.elo:+.0f} ± {found.elo_error:.0f}" if known else "?"
        rows.append(
            (
                *(str(each.rank), shown(each.name, name_width), f"{each.points:g}"),
                *map(str, (games.total, games.wins, games.draws, games.losses)),
                elo,
                *(f"{figure:g}" for _, figure in each.ties[: len(ties)]),
                each.note,
            )
        )
    text = table(head, rows, right=head[2:-1])
    if len(now.entries) > most:
        text += f"\nand {len(now.entries) - most} more"
    return text


def _open(pairing: Pairing, tournament: Tournament, running: set[int]) -> str:
    names = [
        "-" if one is None else shown(tournament.entrants[one].name, NAME)
        for one in (pairing.white, pairing.black)
    ]
    how = "being played" if pairing.number in running else "waiting"
    return f"  {pairing.number:>5}  round {pairing.round}  {names[0]} - {names[1]}  {how}"


def crosstable(now: Standings, most: int | None = MOST_IN_CROSSTABLE) -> str:
    """Each entrant's points of its games against each other one, such as 1.5/2, in the order of the
    standings."""
    entries: Sequence[object] = now.entries
    if most is not None and len(entries) > most:
        return f"the crosstable of {len(entries)} entrants does not fit here: export it as CSV"
    order = [each.number for each in now.entries]
    head = ("", "name", *(str(place) for place in range(1, len(order) + 1)), "points")
    rows = []
    for place, each in enumerate(now.entries, 1):
        cells = (_cell(now, each.number, other) for other in order)
        rows.append((str(place), shown(each.name, NAME), *cells, f"{each.points:g}"))
    return table(head, rows, right=("", "points"))


def _cell(now: Standings, one: int, other: int) -> str:
    if one == other:
        return "*"
    first, second = min(one, other), max(one, other)
    tally = now.encounters.get((first, second))
    if tally is None:
        return ""
    games = tally.games if one == first else tally.games.reversed
    return f"{games.points:g}/{games.total}"

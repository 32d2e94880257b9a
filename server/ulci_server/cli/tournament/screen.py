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


def fitted(
    stored: StoredTournament, tournament: Tournament, columns: int, lines: int
) -> Iterator[str]:
    """Lines about the leaders and the next pairings, for a screen of that size."""
    open_ = min(len(tournament.open_pairings()), OPEN_ON_SCREEN)
    ranked = max(FEWEST_RANKED, min(MOST_RANKED, lines - AROUND - open_))
    for line in status(stored, tournament, ranked, OPEN_ON_SCREEN):
        yield from (shown(each, columns) for each in line.split("\n"))


def status(
    stored: StoredTournament,
    tournament: Tournament,
    most_ranked: int = MOST_RANKED,
    most_open: int = MOST_OPEN,
) -> Iterator[str]:
    """Lines about all of it."""
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
    if now.test is not None:
        test = now.test
        decided = "" if test.accepted is None else f", {test.accepted.value} was accepted"
        lower, upper = test.sprt.lower, test.sprt.upper
        yield f"LLR: {test.llr:.2f} ({lower:.2f}, {upper:.2f}){decided}"
    yield ""
    yield standings_table(now, most_ranked)
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


def standings_table(now: Standings, most: int = MOST_RANKED) -> str:
    """With the figures that break ties."""
    if not now.entries:
        return "nobody has entered"
    ties = [name for name, _ in now.entries[0].ties]
    head = ("rank", "name", "points", "games", "+", "=", "-", "Elo", *ties, "")
    rows = []
    for each in now.entries[:most]:
        games, found = each.tally.games, each.estimate
        known = isfinite(found.elo_error) and found.elo_error > 0  # equal pairs tell no error
        elo = f"{found.elo:+.0f} ± {found.elo_error:.0f}" if known else "?"
        rows.append(
            (
                *(str(each.rank), shown(each.name, NAME), f"{each.points:g}", str(games.total)),
                *(str(games.wins), str(games.draws), str(games.losses), elo),
                *(f"{figure:g}" for _, figure in each.ties),
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
    """Who has what against whom: 1 0 = for single games, in the order of the standings."""
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

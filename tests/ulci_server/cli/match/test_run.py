"""What a run of a match tells and writes: of engines, games, and those of earlier runs."""

from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
import trio

from tests.support.books import epd, fens
from tests.support.facts import NOON, analysed, finished, line, noted
from tests.support.facts import played as move
from ulci.engines.options import Options
from ulci.net import Address
from ulci.protocol.messages import Option, OptionType, SetOption
from ulci.rules import Outcome, Reason, Side
from ulci_server.cli.match import MatchSettings, lines, parse
from ulci_server.cli.match.run import MatchRun, seed_of
from ulci_server.game import EncounterBegun
from ulci_server.match import recall
from ulci_server.openings import BookError
from ulci_server.storage import MemoryDatabase

ENGINES = "-engine cmd=A -engine cmd=B -each tc=10+0.1 -rounds 2"

CRASH = Outcome(Side.WHITE, Reason.DISCONNECT)
MATE = Outcome(Side.WHITE, Reason.CHECKMATE)


class Said:
    """A screen that keeps what it is told."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.status = ""

    def say(self, line: str) -> None:
        self.lines.append(line)

    def show(self, status: str) -> None:
        self.status = status

    def take(self) -> list[str]:
        taken, self.lines = self.lines, []
        return taken


class Run:
    """A run, without the engines and the hall that would play its games."""

    def __init__(self, words: str = "", engines: str = ENGINES) -> None:
        asked = parse([*engines.split(), *words.split()], 8)
        assert isinstance(asked, MatchSettings)
        self.match = asked
        self.screen = Said()
        self.run = MatchRun(asked, self.screen)  # type: ignore[arg-type]

    def introduce(self, *left_out: str, **fixed: str) -> None:
        """A process of A is ready, which has the options Hash and Threads."""
        spin = {"type": OptionType.SPIN, "min": 1, "max": 64}
        options = [Option("Hash", default="16", **spin), Option("Threads", default="1", **spin)]
        settings = {name.casefold(): SetOption(name, value) for name, value in fixed.items()}
        process = SimpleNamespace(options=Options(options), fixed=settings)
        self.run.introduced(0, process, left_out)  # type: ignore[arg-type]

    def end(self, number: int, outcome: Outcome = MATE, detail: str = "") -> bool:
        """A game is over. Whether the match goes on."""
        self.run._progress.finish(number, outcome.score)
        return self.run.ended(self.match.schedule.game(number), outcome, detail)

    async def recall(self, database: MemoryDatabase) -> None:
        await self.run._recalled(recall(database, "settings", 7, NOON), database)


# Engines


async def test_options_that_an_engine_lacks_are_told_once(autojump_clock) -> None:
    run = Run()
    for _ in range(2):
        run.introduce("Nonsense=1", "Hash=-16")
    assert run.screen.take() == [
        "Warning; A doesn't have option Nonsense",
        "Warning; Invalid value for option Hash; -16",
    ]
    assert run.end(1)


async def test_an_engines_settings_stand_above_the_figures(autojump_clock) -> None:
    run = Run("-ratinginterval 1 -rounds 1")
    run.introduce(Hash="8")
    for number in (1, 2):
        run.end(number)
    assert "Results of A vs B (10+0.1, 1t - NULL, 8MB - NULL):" in run.screen.take()


async def test_the_first_warning_ends_a_strict_match(autojump_clock) -> None:
    run = Run("-strict")
    run.run.noticed(1, "B is not registered; some of its features may be disabled")
    assert run.screen.take()[-1].startswith("Warning; B is not registered")
    assert not run.end(1)


# Games


async def test_games_are_told_and_the_status_follows_them(autojump_clock) -> None:
    run = Run()
    run.run.started(run.match.schedule.game(1))
    assert run.screen.status == "0 of 4 games"
    assert run.end(1)
    assert run.screen.status.startswith("1 of 4 games")
    assert run.screen.take() == [
        "Started game 1 of 4 (A vs B)",
        "Finished game 1 (A vs B): 1-0 {White mates}",
    ]


@pytest.mark.parametrize("recovers", [False, True])
async def test_a_crash_ends_the_match_unless_engines_may_recover(
    autojump_clock, recovers: bool
) -> None:
    run = Run("-recover" if recovers else "")
    assert run.end(1)
    assert run.end(2, CRASH) is recovers


async def test_a_game_without_a_winner_is_no_crash(autojump_clock) -> None:
    assert Run().end(1, Outcome(None, Reason.DISCONNECT))


@pytest.mark.parametrize("outcome", [MATE, Outcome(None, Reason.SERVER)])
async def test_of_a_game_that_is_void_nothing_is_kept(autojump_clock, outcome: Outcome) -> None:
    run = Run()
    game = run.match.schedule.game(1)
    run.run.played(game, move(7, 1, "e2e4", info=analysed(pv=("e2e4",))))
    run.end(1, outcome)
    assert run.run._watch._analyses.games == (outcome is MATE)  # which will be recorded


@pytest.mark.parametrize(("winner", "loser"), [(Side.WHITE, "A"), (Side.BLACK, "B")])
async def test_an_illegal_move_is_told_with_who_played_it(
    autojump_clock, winner: Side, loser: str
) -> None:
    run = Run()
    # Game 2: B has White.
    run.end(2, Outcome(winner, Reason.ILLEGAL_MOVE), "Black (A) played 'a1a8' in 8/8 w: no piece")
    assert run.screen.take()[0] == f"Warning; Illegal move a1a8 played by {loser}"


# Openings


async def test_without_a_book_all_games_begin_as_usual(autojump_clock) -> None:
    run = Run()
    assert [(await run.run._draw(number)).start for number in range(3)] == [None] * 3


async def test_a_bad_entry_of_a_book_is_told_once(tmp_path: Path) -> None:
    book = tmp_path / "book.epd"
    book.write_text("8/8/8/8/8/8/8/8 w - -\n4k3/8/8/8/8/8/4P3/4K3 w - -\n")
    run = Run(f"-openings file={book} format=epd order=sequential")
    await run.recall(MemoryDatabase())
    starts = {(await run.run._draw(number)).start for number in range(3)}
    assert len(starts) == 1
    [told] = run.screen.take()
    assert told.startswith(f"Warning; Opening in line 1 of {book} is left out: ")


async def test_a_match_that_goes_on_draws_the_openings_of_its_seed(tmp_path: Path) -> None:
    book = tmp_path / "book.epd"
    book.write_text("".join(f"4k3/8/8/8/8/8/4P3/4K3 w - - hmvc {n};\n" for n in range(50)))
    database = MemoryDatabase()
    drawn = []
    for seed in ("1", "2"):  # the second is not that of the match in the record
        run = Run(f"-openings file={book} format=epd order=random -srand {seed}")
        await run.recall(database)
        drawn.append([(await run.run._draw(number)).start for number in range(20)])
    assert drawn[0] == drawn[1]
    assert len(set(drawn[0])) > 10


@pytest.mark.parametrize(("words", "kept"), [("0", 0), ("7", 7), (f"{2**64 - 1}", 2**63 - 1)])
def test_a_database_can_keep_any_seed_that_is_given(words: str, kept: int) -> None:
    drawn = seed_of(Run(f"-srand {words}").match)
    assert MemoryDatabase().tournaments.begin("settings", drawn, NOON).seed == kept


# Earlier runs


def played(*numbers: int) -> MemoryDatabase:
    """The record of a match of which these games have been played, and won by White."""
    database = MemoryDatabase()
    kept = database.tournaments.begin("settings", 7, NOON)
    for game, number in enumerate(numbers, 1):
        facts = [*line(game, "e2e4"), EncounterBegun(game, kept.id, number), finished(game)]
        database.save(noted(facts, NOON + timedelta(minutes=game)))
    return database


async def test_games_of_earlier_runs_are_counted_and_told(tmp_path: Path) -> None:
    run = Run("-db some.db")
    await run.recall(played(2, 1))
    assert run.screen.take() == [lines.played_before(2, Path("some.db"))]
    run.end(3)
    assert run.screen.status.startswith("3 of 4 games")
    assert run.run._progress.tally(0, 1).games.draws == 0


async def test_a_match_that_is_over_is_reported_at_once() -> None:
    run = Run()
    await run.recall(played(1, 2, 3, 4))
    said = run.screen.take()
    assert "Games: 4, Wins: 2, Losses: 2, Draws: 0, Points: 2.0 (50.00 %)" in said


def with_book(book: Path, words: str = "") -> Run:
    return Run(f"-openings file={book} format=epd order=random {words}")


def play_one(database: MemoryDatabase, *, ends: bool) -> None:
    """The match's first game."""
    [kept] = database.tournaments.all()
    end = [finished(1)] if ends else []
    database.save(noted([*line(1, "e2e4"), EncounterBegun(1, kept.id, 1), *end], NOON))


@pytest.mark.parametrize("ends", [True, False])
async def test_a_match_does_not_go_on_with_a_book_that_was_changed(
    tmp_path: Path, ends: bool
) -> None:
    book, pgn = tmp_path / "book.epd", tmp_path / "games.pgn"
    epd(book, fens(50))
    database = MemoryDatabase()
    await with_book(book).recall(database)
    play_one(database, ends=ends)
    epd(book, fens(50)[::-1])
    with pytest.raises(
        BookError, match=rf"{book} was changed since .* put the file back .* -db FILE"
    ):
        await with_book(book, f"-pgnout file={pgn}").recall(database)
    assert not pgn.exists()
    # The same content is the same book, whenever it was written.
    epd(book, fens(50))
    run = with_book(book)
    await run.recall(database)
    assert (await run.run._draw(0)).start in fens(50)


async def test_a_book_may_be_changed_before_the_first_game_begins(tmp_path: Path) -> None:
    book = tmp_path / "book.epd"
    database = MemoryDatabase()
    for lines_ in (fens(3), fens(4)):
        epd(book, lines_)
        await with_book(book).recall(database)
    play_one(database, ends=True)
    await with_book(book).recall(database)
    epd(book, fens(3))
    with pytest.raises(BookError, match="was changed since the match began"):
        await with_book(book).recall(database)


async def test_a_match_that_is_over_needs_no_book(tmp_path: Path) -> None:
    run = with_book(tmp_path / "gone.epd")
    await run.recall(played(1, 2, 3, 4))
    assert "Games: 4, Wins: 2, Losses: 2, Draws: 0, Points: 2.0 (50.00 %)" in run.screen.take()


async def test_a_file_gets_the_games_of_earlier_runs_that_it_lacks(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    run = Run(f"-pgnout file={path}")
    await run.recall(played(2, 1, 1))  # the last one was played again, and does not count
    run.run._close_files()
    text = path.read_text()
    assert text.count("[Event ") == 2
    assert text.count('[Round "1"]') == 2


async def test_a_game_that_cannot_be_written_is_told() -> None:
    run = Run()
    database = played(1)
    await run.recall(database)
    [record] = database.games.find()
    run.screen.take()
    run.run._files.add = lambda *_: "game 1 cannot be written: no such game"
    game, moves = run.match.schedule.game(1), database.games.moves(1)
    await trio.to_thread.run_sync(run.run.recorded, game, record, moves)
    assert run.screen.take() == ["Warning; game 1 cannot be written: no such game"]


# Addresses


def test_people_learn_where_the_page_is_and_remote_engines_where_to_come_in() -> None:
    run = Run(engines="-engine remote=far -engine cmd=B -each st=1 -web")
    run.run._listening([Address("tcp", "10.0.0.1", 4711), Address("ws", "127.0.0.1", 80)])
    assert run.screen.take() == [
        "Waiting for far: ulci bridge --server tcp://10.0.0.1:4711 --name far -- ENGINE",
        "The page: http://127.0.0.1:80/",
    ]

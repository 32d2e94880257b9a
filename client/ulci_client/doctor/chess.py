"""The steps for engines that play chess, by UCI or ULCI."""

from ulci.protocol import Go
from ulci.rules import GAMES
from ulci.rules.liberty import PIECES as LETTERS

from .common import CLOCK, DEPTH, LISTEN
from .visit import NO_MOVE, Start, Visit

USUAL = Start()
OPENED = Start(moves=("e2e4", "e7e5", "g1f3"))
CASTLED = Start("r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 8",
                ("e1g1", "e8c8"))  # fmt: skip
# White's only move is to take the pawn in passing.
PASSING = Start("4b3/4p3/3r4/K1kP4/8/8/1r6/8 b - - 0 1", ("e7e5",))
PROMOTES = Start("8/5P1k/8/8/8/8/8/K7 w - - 0 1")
MATED = Start("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
STALEMATED = Start("7k/8/6Q1/8/8/8/8/K7 b - - 0 1")
BLACK_TO_MOVE = Start(moves=("e2e4",))
EXPECTED = Start(moves=("e2e4", "e7e5"))
FISCHER = Start("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
                game="chess960")  # fmt: skip
CASTLES_FISCHER = Start("1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1",
                        ("e1g1", "e8b8"), "chess960")  # fmt: skip

PIECES = frozenset(LETTERS.lower())


async def go_moves_to_go(visit: Visit) -> None:
    go = Go(wtime=CLOCK, btime=CLOCK, movestogo=20)
    await visit.search(USUAL, go, seconds=CLOCK / 1000 + visit.patient.timeout)


async def with_moves(visit: Visit) -> None:
    await visit.search(OPENED, Go(depth=DEPTH))


async def castled(visit: Visit) -> None:
    await visit.search(CASTLED, Go(depth=DEPTH))


async def in_passing(visit: Visit) -> None:
    await visit.search(PASSING, Go(depth=DEPTH))


async def promotes(visit: Visit) -> None:
    await visit.search(PROMOTES, Go(depth=DEPTH))


async def keeps_position(visit: Visit) -> None:
    """``isready`` between ``position`` and ``go``."""
    visit.lay(BLACK_TO_MOVE)
    await visit.ready()
    search = visit.go(BLACK_TO_MOVE, Go(depth=DEPTH))
    await visit.best(search)


async def blanks_in_position(visit: Visit) -> None:
    """Tabs and runs of blanks between the words of a position."""
    visit.say("  position \t startpos   moves  e2e4 ")
    await visit.best(visit.go(BLACK_TO_MOVE, f" go   depth \t {DEPTH} "))


async def mated(visit: Visit) -> None:
    await _no_move(visit, MATED, "mated")


async def stalemated(visit: Visit) -> None:
    await _no_move(visit, STALEMATED, "stalemated")


async def _no_move(visit: Visit, start: Start, word: str) -> None:
    """Any ``bestmove`` will do; the standards do not say which. A move is a lie, though."""
    search = visit.start(start, Go(depth=DEPTH))
    line = await visit.until("bestmove", after=f"go when {word}")
    visit.heed(line)
    if search.move not in NO_MOVE:
        visit.warn(
            f"bestmove {search.move} where it is {word} and no move is legal",
            "Answer `bestmove 0000` (many say `bestmove (none)`): a program would take it for a"
            " move.",
        )


async def searchmoves(visit: Visit) -> None:
    moves = ("a2a3", "h2h3")
    search = await visit.search(USUAL, Go(depth=DEPTH, searchmoves=moves))
    if search.move not in moves and search.move:
        visit.fault(
            f"bestmove {search.move} is none of the searchmoves {' '.join(moves)}",
            "Search only the moves behind searchmoves at the root.",
        )


async def ponders(visit: Visit) -> None:
    """No answer before ``ponderhit`` or ``stop``."""
    visit.say("setoption name Ponder value true")
    await visit.ready()
    for word in ("ponderhit", "stop"):
        search = visit.start(EXPECTED, Go(wtime=CLOCK, btime=CLOCK, ponder=True))
        await visit.quiet(LISTEN)
        if search.best is not None:
            visit.fault(
                f"bestmove came while it was pondering, before {word}",
                "While pondering wait for ponderhit or stop, whatever the search has found.",
            )
        visit.stop(word)
        await visit.best(search, after=word, seconds=CLOCK / 1000 + visit.patient.timeout)
    visit.say("setoption name Ponder value false")


async def chess960(visit: Visit) -> None:
    """Castling is the king's move to his rook, in ``position`` and in ``bestmove``."""
    visit.say("setoption name UCI_Chess960 value true")
    await visit.ready()
    for start in (FISCHER, CASTLES_FISCHER):
        await visit.search(start, Go(depth=DEPTH))
    castles = Start("5k2/8/8/8/8/8/8/1R2K1R1 w GB - 0 1", game="chess960")
    search = await visit.search(castles, Go(depth=1, searchmoves=("e1g1",)))
    if search.move and search.move != "e1g1":
        visit.note(
            f"asked for e1g1 alone, castling with the rook on g1, it answers {search.move}",
            "In Chess960 write castling as the king taking his rook.",
        )
    visit.say("setoption name UCI_Chess960 value false")
    await visit.ready()


# ULCI

FEATURES = frozenset((
    "boardsize", "pawnmoves", "pawnconfig", "castling", "multiplekings", "multplekings",
    "promotion", "friendlyfire", "lobby",
))  # fmt: skip
LIBERTY = ("mini", "liberty", "capablanca", "african", "narnia")


async def version(visit: Visit) -> None:
    """``id version``, ``id pieces`` and ``id feature`` make sense."""
    said = visit.chart.id("version")
    if not said:
        visit.fault(
            "there is no id version: it counts as a regular UCI engine",
            "Say `id version 1` between uci and uciok, or examine it with --dialect uci.",
            [],
        )
    elif not said.isdecimal():
        visit.fault(f"id version {said} is no number", "Say `id version 1`.", [])
    letters = visit.chart.id("pieces")
    unknown = sorted(set(letters.lower()) - PIECES)
    if unknown:
        visit.warn(
            f"id pieces has letters that no piece has: {''.join(unknown)}",
            f"The letters are {''.join(sorted(PIECES))}.",
            [],
        )
    if letters and not set("kqrbnp") <= set(letters.lower()):
        visit.note("it does not play standard chess by its id pieces", "Is that meant?", [])
    for feature in visit.chart.ids.get("feature", ()):
        if feature not in FEATURES:
            visit.note(f"id feature {feature} is not known here", "Check its spelling.", [])
    if visit.chart.option("Ponder"):
        visit.note("it offers Ponder", "ULCI has no pondering: nobody will set it.", [])


async def declared(visit: Visit) -> None:
    """Positions with the pieces that it declared, on other boards and with other men."""
    letters = set(visit.chart.id("pieces").lower())
    rules = GAMES["liberty"]
    given = [fen for name in LIBERTY if rules.needs(fen := rules.named[name]).pieces <= letters]
    features = set(visit.chart.ids.get("feature", ()))
    if features:
        given = [fen for fen in given if rules.needs(fen).features <= features]
    if not given:
        visit.skipped = "it declares no pieces beyond chess"
    for fen in given:
        await visit.search(Start(fen, game="liberty"), Go(depth=1))


async def no_ponder(visit: Visit) -> None:
    """ULCI's bestmove is the move alone."""
    for search in visit.chart.searches:
        if search.ponder and search.best:
            visit.note(
                "bestmove has a ponder move, which ULCI has no word for",
                "Leave ponder out after `id version`.",
                [*search.asked, search.best],
            )
            return

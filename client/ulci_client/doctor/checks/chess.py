"""Steps for engines that play chess by UCI or ULCI."""

from ulci.protocol.messages import Go
from ulci.rules import GAMES
from ulci.rules.liberty import PIECES as LETTERS
from ulci_client.doctor.step_context import NO_MOVE, Context, Start

from .common import CLOCK, DEPTH, LISTEN

USUAL = Start()
OPENED = Start(moves=("e2e4", "e7e5", "g1f3"))
CASTLED = Start("r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 8",
                ("e1g1", "e8c8"))  # fmt: skip
# White's only move is en passant.
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


async def go_moves_to_go(context: Context) -> None:
    go = Go(wtime=CLOCK, btime=CLOCK, movestogo=20)
    await context.search(USUAL, go, seconds=CLOCK / 1000 + context.engine.timeout)


async def keeps_position(context: Context) -> None:
    """``isready`` between ``position`` and ``go``."""
    context.send_position(BLACK_TO_MOVE)
    await context.ready()
    search = context.go(BLACK_TO_MOVE, Go(depth=DEPTH))
    await context.best(search)


async def blanks_in_position(context: Context) -> None:
    """Tabs and runs of blanks between the words of a position."""
    context.say("  position \t startpos   moves  e2e4 ")
    await context.best(context.go(BLACK_TO_MOVE, f" go   depth \t {DEPTH} "))


async def mated(context: Context) -> None:
    await _no_move(context, MATED, "mated")


async def stalemated(context: Context) -> None:
    await _no_move(context, STALEMATED, "stalemated")


async def _no_move(context: Context, start: Start, word: str) -> None:
    """The standards do not say which ``bestmove`` is right; a legal-looking move is worth a
    warning."""
    search = context.start(start, Go(depth=DEPTH))
    line = await context.until("bestmove", after=f"go when {word}")
    context.record(line)
    if search.move not in NO_MOVE:
        context.warn(
            f"bestmove {search.move} where it is {word} and no move is legal",
            "Answer `bestmove 0000` (many say `bestmove (none)`): a program would take it for a"
            " move.",
        )


async def searchmoves(context: Context) -> None:
    moves = ("a2a3", "h2h3")
    search = await context.search(USUAL, Go(depth=DEPTH, searchmoves=moves))
    if search.move not in moves and search.move:
        context.fault(
            f"bestmove {search.move} is none of the searchmoves {' '.join(moves)}",
            "Search only the moves behind searchmoves at the root.",
        )


async def ponders(context: Context) -> None:
    """No answer before ``ponderhit`` or ``stop``."""
    context.say("setoption name Ponder value true")
    await context.ready()
    for word in ("ponderhit", "stop"):
        search = context.start(EXPECTED, Go(wtime=CLOCK, btime=CLOCK, ponder=True))
        await context.quiet(LISTEN)
        if search.best is not None:
            context.fault(
                f"bestmove came while it was pondering, before {word}",
                "While pondering wait for ponderhit or stop, whatever the search has found.",
            )
        context.say(word)
        await context.best(search, after=word, seconds=CLOCK / 1000 + context.engine.timeout)
    context.say("setoption name Ponder value false")


async def chess960(context: Context) -> None:
    """Castling is the king's move to his rook, in ``position`` and in ``bestmove``."""
    context.say("setoption name UCI_Chess960 value true")
    await context.ready()
    for start in (FISCHER, CASTLES_FISCHER):
        await context.search(start, Go(depth=DEPTH))
    castles = Start("5k2/8/8/8/8/8/8/1R2K1R1 w GB - 0 1", game="chess960")
    search = await context.search(castles, Go(depth=1, searchmoves=("e1g1",)))
    # One that ignores searchmoves may answer with any legal move, which says nothing of castling.
    board = castles.position()
    if search.move and board is not None and not board.is_legal_untrusted(search.move):
        context.note(
            f"asked for e1g1 alone, castling with the rook on g1, it answers {search.move}",
            "In Chess960 write castling as the king taking his rook.",
        )
    context.say("setoption name UCI_Chess960 value false")
    await context.ready()


# ULCI

FEATURES = frozenset((
    "boardsize", "pawnmoves", "pawnconfig", "castling", "multiplekings", "multplekings",
    "promotion", "friendlyfire", "lobby",
))  # fmt: skip
LIBERTY = ("mini", "liberty", "capablanca", "african", "narnia")


async def version(context: Context) -> None:
    """``id version``, ``id pieces`` and ``id feature`` make sense."""
    said = context.profile.id("version")
    if not said:
        context.fault(
            "there is no id version: it counts as a regular UCI engine",
            "Say `id version 1` between uci and uciok, or examine it with --dialect uci.",
            [],
        )
    elif not said.isdecimal():
        context.fault(f"id version {said} is no number", "Say `id version 1`.", [])
    letters = context.profile.id("pieces")
    unknown = sorted(set(letters.lower()) - PIECES)
    if unknown:
        context.warn(
            f"id pieces has letters that no piece has: {''.join(unknown)}",
            f"The letters are {''.join(sorted(PIECES))}.",
            [],
        )
    if letters and not set("kqrbnp") <= set(letters.lower()):
        context.note("it does not play standard chess by its id pieces", "Is that meant?", [])
    for feature in context.profile.ids.get("feature", ()):
        if feature not in FEATURES:
            context.note(f"id feature {feature} is not known here", "Check its spelling.", [])
    if context.profile.option("Ponder"):
        context.note("it offers Ponder", "ULCI has no pondering: nobody will set it.", [])


async def declared(context: Context) -> None:
    """Positions with its declared pieces, on other boards."""
    letters = set(context.profile.id("pieces").lower())
    rules = GAMES["liberty"]
    given = [fen for name in LIBERTY if rules.needs(fen := rules.named[name]).pieces <= letters]
    features = set(context.profile.ids.get("feature", ()))
    if features:
        given = [fen for fen in given if rules.needs(fen).features <= features]
    if not given:
        context.skipped = "it declares no pieces beyond chess"
    for fen in given:
        await context.search(Start(fen, game="liberty"), Go(depth=1))


async def no_ponder(context: Context) -> None:
    """ULCI's bestmove has no ponder move."""
    for search in context.profile.searches:
        if search.ponder and search.best:
            context.note(
                "bestmove has a ponder move, which ULCI has no word for",
                "Leave ponder out after `id version`.",
                [*search.asked, search.best],
            )
            return

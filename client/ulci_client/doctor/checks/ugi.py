"""Steps for UGI engines: any game, and only the engine knows its rules."""

from ulci.protocol.messages import Go
from ulci_client.doctor.step_context import NO_MOVE, Context, Start

USUAL = Start(game=None)

# Enough for small games to end; longer ones are judged up to here.
MOST_PLIES = 60

ANSWERS = {
    "gameover": ("true", "false"),
    "p1turn": ("true", "false"),
    "result": ("p1win", "p2win", "draw", "none"),
}


async def queries(context: Context) -> None:
    """On the start position: the game is not over, and has no result."""
    context.send_position(USUAL)
    await _standing(context)
    if await _query(context, "p1turn") == "false":
        context.note("the second player begins", "Is that meant?")


async def plays_a_game(context: Context) -> None:
    """A game against itself; its answers about each position must be consistent."""
    moves: tuple[str, ...] = ()
    while len(moves) < MOST_PLIES:
        context.engine.begin()
        start = Start(moves=moves, game=None)
        context.send_position(start)
        await _query(context, "p1turn")
        if await _standing(context, ending=True):
            return
        search = context.go(start, Go(depth=1))
        await context.best(search)
        if search.move in NO_MOVE or not search.move:
            context.fault(
                f"bestmove {search.move} though gameover is false",
                "Say that the game is over where no move can be made, or give a move.",
            )
            return
        moves = (*moves, search.move)
    context.note(f"its game did not end within {MOST_PLIES} plies", "The end was not examined.")


async def keeps_position(context: Context) -> None:
    """``isready`` between ``position`` and ``query``."""
    search = await context.search(USUAL, Go(depth=1))
    context.send_position(Start(moves=(search.move,), game=None))
    before = await _query(context, "p1turn")
    await context.ready()
    if await _query(context, "p1turn") != before:
        context.fault("p1turn changed at isready", "Do not touch the board at isready.")


async def _standing(context: Context, *, ending: bool = False) -> bool:
    """Whether the game is over; `ending`: it may be."""
    over, result = await _query(context, "gameover"), await _query(context, "result")
    if (over == "true") is (result == "none"):
        context.fault(
            f"gameover is {over} but result is {result}",
            "The result is none as long as the game goes on, and something else when it is over.",
        )
    if over == "true" and not ending:
        context.fault("the game is over at its start", "Answer queries for the last position.")
    return over == "true"


async def _query(context: Context, question: str) -> str:
    context.say(f"query {question}")
    line = await context.until("response", after=f"query {question}")
    answer = line.text.partition("response")[2].strip()
    if answer not in ANSWERS[question]:
        context.fault(
            f"response {answer} is no answer to query {question}",
            f"Answer with one of: {', '.join(ANSWERS[question])}.",
        )
    return answer

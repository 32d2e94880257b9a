"""The steps for engines that speak UGI: any game, of which only they know the rules."""

from ulci.protocol import Go

from .visit import NO_MOVE, Start, Visit

USUAL = Start(game=None)

# Enough for small games to end; what does not end by then is judged as far as it came.
MOST_PLIES = 60

ANSWERS = {
    "gameover": ("true", "false"),
    "p1turn": ("true", "false"),
    "result": ("p1win", "p2win", "draw", "none"),
}


async def queries(visit: Visit) -> None:
    """On the start position: the game is not over, and has no result."""
    visit.lay(USUAL)
    await _standing(visit)
    if await _query(visit, "p1turn") == "false":
        visit.note("the second player begins", "Is that meant?")


async def plays_a_game(visit: Visit) -> None:
    """Its own moves, one after the other; what it says of each position must fit together."""
    moves: tuple[str, ...] = ()
    while len(moves) < MOST_PLIES:
        visit.patient.begin()
        start = Start(moves=moves, game=None)
        visit.lay(start)
        await _query(visit, "p1turn")
        if await _standing(visit, ending=True):
            return
        search = visit.go(start, Go(depth=1))
        await visit.best(search)
        if search.move in NO_MOVE or not search.move:
            visit.fault(
                f"bestmove {search.move} though gameover is false",
                "Say that the game is over where no move can be made, or give a move.",
            )
            return
        moves = (*moves, search.move)
    visit.note(f"its game did not end within {MOST_PLIES} plies", "The end was not examined.")


async def keeps_position(visit: Visit) -> None:
    """``isready`` between ``position`` and ``query``."""
    search = await visit.search(USUAL, Go(depth=1))
    visit.lay(Start(moves=(search.move,), game=None))
    before = await _query(visit, "p1turn")
    await visit.ready()
    if await _query(visit, "p1turn") != before:
        visit.fault("p1turn changed at isready", "Do not touch the board at isready.")


async def _standing(visit: Visit, *, ending: bool = False) -> bool:
    """Whether the game is over; `ending`: it may be."""
    over, result = await _query(visit, "gameover"), await _query(visit, "result")
    if (over == "true") is (result == "none"):
        visit.fault(
            f"gameover is {over} but result is {result}",
            "The result is none as long as the game goes on, and something else when it is over.",
        )
    if over == "true" and not ending:
        visit.fault("the game is over at its start", "Answer queries for the last position.")
    return over == "true"


async def _query(visit: Visit, question: str) -> str:
    visit.say(f"query {question}")
    line = await visit.until("response", after=f"query {question}")
    answer = line.text.partition("response")[2].strip()
    if answer not in ANSWERS[question]:
        visit.fault(
            f"response {answer} is no answer to query {question}",
            f"Answer with one of: {', '.join(ANSWERS[question])}.",
        )
    return answer

"""The steps for engines that speak UTI: tic-tac-toe, the whole board in every question."""

from collections.abc import Iterable

from .reading import is_number
from .visit import Visit

BEST = 100  # of a score, which is player 1's
ERROR = "CommandNotKnowError"


async def introduces(visit: Visit) -> None:
    visit.say("uti")
    await visit.until("utiok", after="uti")


async def identity(visit: Visit) -> None:
    """``name X author Y`` in one line."""
    visit.say("id")
    words = (await visit.next("answer to id")).split()
    for key in ("name", "author"):
        if key in words[:-1]:
            at = words.index(key) + 1
            ends = (i for i in range(at, len(words)) if words[i] in ("name", "author", "country"))
            visit.chart.ids[key] = [" ".join(words[at : next(ends, len(words))])]
        else:
            visit.fault(
                f"the answer to id does not tell its {key}",
                "Answer id by one line: `name X author Y`.",
            )


async def capabilities(visit: Visit) -> None:
    """``info``: which games and options it knows; kept for later steps."""
    visit.say("info")
    said = await visit.next("answer to info")
    if said.startswith(ERROR):
        visit.warn("it does not know info", "Answer info by the games and options that you know.")
    visit.chart.ids["info"] = said.split()


async def begins(visit: Visit) -> None:
    visit.say("newgame")
    await _move(visit, "0", range(1, 10))


async def replies(visit: Visit) -> None:
    visit.say("newgame")
    await _move(visit, "5", (1, 2, 3, 4, 6, 7, 8, 9))


async def board(visit: Visit) -> None:
    visit.say("pos 12--12--- 1")
    await _move(visit, "0", (3, 4, 7, 8, 9))


async def board_by_moves(visit: Visit) -> None:
    visit.say("posmoves 5,1;1,2;9,1 2")
    await _move(visit, "0", (2, 3, 4, 6, 7, 8))


async def full_board(visit: Visit) -> None:
    visit.say("pos 121122212 1")
    await _move(visit, "0", (0,), refusable=True)


async def score_view(visit: Visit) -> None:
    """The second player wins at once: a score of player 1's view is not above zero."""
    visit.say("pos 11-22---- 2")
    score = await _move(visit, "0", (3, 6, 7, 8, 9))
    if score is not None and score > 0:
        visit.warn(
            f"the score is {score} though player 2 wins at once",
            "The score is always player 1's: 100 if player 1 wins, -100 if player 2 does.",
        )


async def larger_board(visit: Visit) -> None:
    if "size" not in visit.chart.ids.get("info", ()):
        visit.skipped = "info does not name size"
        return
    visit.say("newgame")
    await _move(visit, "size 4X4 0 winlength 4", range(1, 17))


async def evaluates(visit: Visit) -> None:
    if "eval" not in visit.chart.ids.get("info", ()):
        visit.skipped = "info does not name eval"
        return
    visit.say("newgame")
    await _move(visit, "eval 0", (0,))


async def refuses(visit: Visit) -> None:
    """What it does not know, and what cannot be."""
    visit.say("newgame")
    for line in ("xyzzy", "0 winlength -3"):
        visit.say(line)
        said = await visit.next(f"answer to {line}")
        if not said.startswith(ERROR):
            find = visit.fault if line == "xyzzy" else visit.warn
            find(
                f"the answer to {line!r} is not {ERROR}",
                f"Answer what you do not know or cannot do by {ERROR}, and say why.",
            )


async def _move(
    visit: Visit, question: str, squares: Iterable[int], *, refusable: bool = False
) -> int | None:
    """The score of its answer, which must name one of `squares`."""
    visit.say(question)
    line = await visit.patient.until(_is_answer, f"answer to {question}")
    words = line.text.split()
    if words[0] == ERROR:
        if not refusable:
            visit.fault(
                f"it answers {line.text}",
                "Answer `<square> <score>`; this much every engine must know.",
            )
        return None
    if int(words[0]) not in squares:
        visit.fault(
            f"square {words[0]} cannot be played",
            "Count squares from 1 at the top left, answer an empty one, and 0 if there is none.",
        )
    if len(words) < 2 or not is_number(words[1]) or abs(int(words[1])) > BEST:
        visit.fault(
            "the answer has no score from -100 to 100",
            "Answer `<square> <score>`, a whole number behind the square.",
        )
        return None
    return int(words[1])


def _is_answer(line: str) -> bool:
    first = (line.split() or [""])[0]
    return first == ERROR or is_number(first)

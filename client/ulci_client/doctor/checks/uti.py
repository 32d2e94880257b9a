"""Steps for UTI engines: tic-tac-toe, with the whole board in every question."""

from collections.abc import Iterable

from ulci_client.doctor.step_context import Context

from .lint import is_number

BEST = 100  # the highest score, player 1's view
ERROR = "CommandNotKnowError"


async def introduces(context: Context) -> None:
    context.say("uti")
    await context.until("utiok", after="uti")


async def identity(context: Context) -> None:
    """``name X author Y`` in one line."""
    context.say("id")
    words = (await context.next("answer to id")).split()
    for key in ("name", "author"):
        if key in words[:-1]:
            at = words.index(key) + 1
            ends = (i for i in range(at, len(words)) if words[i] in ("name", "author", "country"))
            context.profile.ids[key] = [" ".join(words[at : next(ends, len(words))])]
        else:
            context.fault(
                f"the answer to id does not tell its {key}",
                "Answer id by one line: `name X author Y`.",
            )


async def capabilities(context: Context) -> None:
    """``info``: the games and options that it knows, kept for later steps."""
    context.say("info")
    said = await context.next("answer to info")
    if said.startswith(ERROR):
        context.warn("it does not know info", "Answer info by the games and options that you know.")
    context.profile.ids["info"] = said.split()


async def begins(context: Context) -> None:
    context.say("newgame")
    await _move(context, "0", range(1, 10))


async def replies(context: Context) -> None:
    context.say("newgame")
    await _move(context, "5", (1, 2, 3, 4, 6, 7, 8, 9))


async def board(context: Context) -> None:
    context.say("pos 12--12--- 1")
    await _move(context, "0", (3, 4, 7, 8, 9))


async def board_by_moves(context: Context) -> None:
    context.say("posmoves 5,1;1,2;9,1 2")
    await _move(context, "0", (2, 3, 4, 6, 7, 8))


async def full_board(context: Context) -> None:
    context.say("pos 121122212 1")
    await _move(context, "0", (0,), refusable=True)


async def score_view(context: Context) -> None:
    """Player 2 wins at once: player 1's score must not be above zero."""
    context.say("pos 11-22---- 2")
    score = await _move(context, "0", (3, 6, 7, 8, 9))
    if score is not None and score > 0:
        context.warn(
            f"the score is {score} though player 2 wins at once",
            "The score is always player 1's: 100 if player 1 wins, -100 if player 2 does.",
        )


async def larger_board(context: Context) -> None:
    if "size" not in context.profile.ids.get("info", ()):
        context.skipped = "info does not name size"
        return
    context.say("newgame")
    await _move(context, "size 4X4 0 winlength 4", range(1, 17))


async def evaluates(context: Context) -> None:
    if "eval" not in context.profile.ids.get("info", ()):
        context.skipped = "info does not name eval"
        return
    context.say("newgame")
    await _move(context, "eval 0", (0,))


async def refuses(context: Context) -> None:
    """Unknown commands and impossible ones."""
    context.say("newgame")
    for line in ("xyzzy", "0 winlength -3"):
        context.say(line)
        said = await context.next(f"answer to {line}")
        if not said.startswith(ERROR):
            find = context.fault if line == "xyzzy" else context.warn
            find(
                f"the answer to {line!r} is not {ERROR}",
                f"Answer what you do not know or cannot do by {ERROR}, and say why.",
            )


async def _move(
    context: Context, question: str, squares: Iterable[int], *, refusable: bool = False
) -> int | None:
    """Its score; the answer must name one of `squares`."""
    context.say(question)
    line = await context.engine.until(_is_answer, f"answer to {question}")
    words = line.text.split()
    if words[0] == ERROR:
        if not refusable:
            context.fault(
                f"it answers {line.text}",
                "Answer `<square> <score>`; this much every engine must know.",
            )
        return None
    if int(words[0]) not in squares:
        context.fault(
            f"square {words[0]} cannot be played",
            "Count squares from 1 at the top left, answer an empty one, and 0 if there is none.",
        )
    if len(words) < 2 or not is_number(words[1]) or abs(int(words[1])) > BEST:
        context.fault(
            "the answer has no score from -100 to 100",
            "Answer `<square> <score>`, a whole number behind the square.",
        )
        return None
    return int(words[1])


def _is_answer(line: str) -> bool:
    first = (line.split() or [""])[0]
    return first == ERROR or is_number(first)

"""Steps that UCI, ULCI and UGI share, whatever the game."""

from collections.abc import Awaitable, Callable, Iterator

from ulci.protocol.messages import Go, OptionType
from ulci_client.doctor.engine import EngineEnded, Silent
from ulci_client.doctor.report import TranscriptLine
from ulci_client.doctor.step_context import Context, Start

from .lint import option_remarks

# Seconds to listen for an answer that should not come: enough to catch an immediate one.
LISTEN = 0.3

# Most ms after movetime without a warning: a busy machine wakes processes late.
LATE = 100

MOVE_TIME = 200  # ms
CLOCK = 3000  # ms
DEPTH = 3
NODES = 2000

NONSENSE = ("xyzzy", "joho 1 2 3")

# Words in complaints about unknown options.
COMPLAINTS = ("no such", "unknown", "invalid", "not found", "error", "unrecognized")


async def introduces(context: Context) -> None:
    """The greeting, until its ok."""
    row = context.row
    context.say(row.hello)
    try:
        await context.until(row.hello_ok, after=row.hello)
    except Silent as silent:
        await _kept_back(context, row.hello_ok, silent)
    for key in ("name", "author"):
        if not context.profile.id(key):
            context.fault(
                f"there is no id {key} before {row.hello_ok}",
                f"Say `id {key} …` after {row.hello}, before {row.hello_ok}.",
            )


async def _kept_back(context: Context, awaited: str, silent: Silent) -> None:
    """Fault if the output comes only at the end: it is buffered."""
    context.say("quit")
    try:
        await context.until(awaited)
    except (Silent, EngineEnded):
        raise silent from None
    context.fault(
        f"{silent}; it came only when the engine ended",
        "The output is buffered: flush standard output after every line, or switch its buffering"
        " off at the start.",
    )
    raise EngineEnded(awaited, "it had to be told to quit")


async def options(context: Context) -> None:
    """The ``option`` lines of the introduction."""
    names: dict[str, TranscriptLine] = {}
    for line, option in context.profile.options:
        for severity, text in option_remarks(line.text):
            said = option.name if option is not None else line.text
            context.find(
                severity,
                f"option {said!r} {text}",
                "Write `option name N type T` and the values that this type needs.",
                [line],
            )
        if option is None:
            continue
        first = names.setdefault(option.name.casefold(), line)
        if first is not line:
            context.fault(
                f"option {option.name!r} is offered twice",
                "Offer every option once: case does not tell names apart.",
                [first, line],
            )


async def may_be_used(context: Context) -> None:
    """``copyprotection`` and ``registration``, if it has them."""
    for verb in ("copyprotection", "registration"):
        while (line := context.profile.states.get(verb)) is not None and line.text.split() == [
            verb,
            "checking",
        ]:
            context.record(await context.until(verb, after=f"{verb} checking"))
        if line is not None:
            _judge_state(context, verb, line)


def _judge_state(context: Context, verb: str, line: TranscriptLine) -> None:
    state = " ".join(line.text.split()[1:])
    if state not in ("ok", "error"):
        context.fault(
            f"{verb} is {state!r}", f"Say {verb} checking, and then {verb} ok or error.", [line]
        )
    elif state == "error" and verb == "copyprotection":
        context.fault(
            "it says copyprotection error: a program must not use such an engine",
            "Find out why it does not accept this copy of itself, or use another copy.",
            [line],
        )
    elif state == "error":
        context.note(
            "it says registration error, and was told register later",
            "A program may use it so, but says that not all its features may work.",
            [line],
        )


async def new_game(context: Context) -> None:
    context.say(context.row.new_game)
    await context.ready()


async def debug(context: Context) -> None:
    context.say("debug on")
    await context.ready()
    context.say("debug off")
    await context.ready()


async def ignores_unknown(context: Context) -> None:
    """Nonsense, and a ``stop`` when nothing is searched."""
    before = len(context.profile.unknown_lines)
    context.say(*NONSENSE)
    await context.ready()
    answers = context.profile.unknown_lines[before:]
    if answers:
        del context.profile.unknown_lines[before:]
        context.note(
            "it answers an unknown command with text",
            "Programs ignore it; `info string …` would be shown to people.",
        )


async def ignores_stop(context: Context) -> None:
    before = len(context.profile.unexpected)
    context.say("stop")
    await context.ready()
    if context.profile.unexpected[before:]:
        del context.profile.unexpected[before:]
        context.fault(
            "it answers stop with a bestmove though no search is running",
            "Ignore stop while you are not searching: the answer would be taken for a move.",
        )


async def reads_blanks(context: Context) -> None:
    """Tabs, runs of blanks and an empty line."""
    context.say("", "   isready \t ")
    await context.until("readyok", after="isready among blanks")


async def reads_crlf(context: Context) -> None:
    """Lines as a program for Windows ends them."""
    context.say("isready\r")
    await context.until("readyok", after="isready with CRLF")


async def sets_options(context: Context) -> None:
    """``setoption`` in another case, with a name of several words, and of no option."""
    before = len(context.engine.exchange)
    for line in _settings(context):
        context.say(line)
    await context.ready()
    _complaints(context, before)
    known = len(context.profile.unknown_lines)
    context.say("setoption name Nonsense value 1")
    await context.ready()
    del context.profile.unknown_lines[known:]  # a complaint is in place


def _settings(context: Context) -> Iterator[str]:
    """``setoption`` with defaults, for a name of one word and one of several."""
    offered = [
        option
        for _, option in context.profile.options
        if option is not None
        and option.type in (OptionType.SPIN, OptionType.CHECK)
        and option.default
    ]
    for several in (False, True):
        for option in offered:
            if (" " in option.name) is several:
                yield f"setoption name {option.name.swapcase()} value {option.default}"
                break


def _complaints(context: Context, before: int) -> None:
    for line in context.engine.exchange[before:]:
        if not line.sent and any(word in line.text.lower() for word in COMPLAINTS):
            context.fault(
                "it does not know its own option when the name is written in another case",
                "Compare names of options without regard to case.",
            )
            return


# Searching


async def go_clocks(context: Context, start: Start) -> None:
    go = Go(wtime=CLOCK, btime=CLOCK, winc=100, binc=100)
    search = await context.search(start, go, seconds=CLOCK / 1000 + context.engine.timeout)
    if search.spent > CLOCK:
        context.fault(
            f"it searched for {search.spent:.0f} ms with {CLOCK} ms on its clock",
            "Never use more than the clock has: it loses the game.",
        )


async def go_movetime(context: Context, start: Start) -> None:
    search = await context.search(start, Go(movetime=MOVE_TIME))
    over = search.spent - MOVE_TIME
    if over > LATE:
        context.warn(
            f"the answer came {over:.0f} ms after the {MOVE_TIME} ms of movetime",
            "Look at the clock more often, or keep a little time back.",
        )


async def go_depth(context: Context, start: Start) -> None:
    await context.search(start, Go(depth=DEPTH))


async def go_nodes(context: Context, start: Start) -> None:
    await context.search(start, Go(nodes=NODES))


async def go_infinite(context: Context, start: Start) -> None:
    """No answer before ``stop``, and one after it."""
    search = context.start(start, Go(infinite=True))
    await context.quiet(LISTEN)
    if search.best is not None:
        context.fault(
            "bestmove came before stop",
            "Wait for stop, even when the search is finished.",
        )
    context.say("stop")
    await context.best(search, after="stop")


async def stop_twice(context: Context, start: Start) -> None:
    """A second ``stop`` brings no second answer, and the next search gets its own."""
    search = context.start(start, Go(infinite=True))
    await context.quiet(LISTEN / 3)
    context.say("stop", "stop")
    await context.best(search, after="stop")
    await context.ready()
    await context.search(start, Go(depth=1))


async def ready_while_searching(context: Context, start: Start) -> None:
    search = context.start(start, Go(infinite=True))
    await context.quiet(LISTEN / 3)
    try:
        await context.ready()
    except Silent as silent:
        context.fault(
            f"{silent} during a search",
            "Read the input while searching, in a thread of its own or every few thousand nodes,"
            " and answer isready at once.",
        )
    else:
        if search.best is not None:
            context.fault("isready ended the search", "Answer isready without stopping the search.")
    context.say("stop")
    await context.best(search, after="stop")


# The end


async def quits_searching(context: Context, start: Start) -> None:
    """``quit`` ends even a search."""
    context.start(start, Go(infinite=True))
    await context.quiet(LISTEN / 3)
    await quits(context)


async def quits(context: Context) -> None:
    context.say("quit")
    peer = context.engine.peer
    if not await context.engine.ended():
        context.fault(
            f"it is still running {context.engine.timeout:g} s after quit",
            "End the process at quit, also while searching.",
        )
        return
    if peer.returncode:
        context.warn(
            f"after quit it {context.engine.last_words().partition(' ')[2]}",
            "Return 0 from main at quit.",
        )
    if peer.survivors:
        context.warn(
            f"{len(peer.survivors)} of its processes outlived it",
            "End every process that you start, and wait for it, before you end.",
        )


def on(
    run: Callable[[Context, Start], Awaitable[None]], start: Start
) -> Callable[[Context], Awaitable[None]]:
    """The step, run from this position."""
    return lambda context: run(context, start)

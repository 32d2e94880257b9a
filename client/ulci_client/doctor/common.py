"""The steps that UCI, ULCI and UGI share, whatever the game."""

from collections.abc import Awaitable, Callable, Iterator

from ulci.protocol import Go, OptionType

from .findings import Line
from .patient import Ended, Silent
from .reading import option_remarks
from .visit import Start, Visit

# How long one listens to hear what should not come, s: an engine that answers at once is caught,
# and nobody who waits for the report is bored.
LISTEN = 0.3

# What a search may take longer than its movetime before it is worth a word, ms: a busy machine
# wakes nobody up sooner.
LATE = 100

MOVE_TIME = 200  # ms
CLOCK = 3000  # ms
DEPTH = 3
NODES = 2000

NONSENSE = ("xyzzy", "joho 1 2 3")

# What engines say to an option that they do not know.
COMPLAINTS = ("no such", "unknown", "invalid", "not found", "error", "unrecognized")


async def introduces(visit: Visit) -> None:
    """The hello, until its ok."""
    row = visit.row
    visit.say(row.hello)
    try:
        await visit.until(row.hello_ok, after=row.hello)
    except Silent as silent:
        await _kept_back(visit, row.hello_ok, silent)
    for key in ("name", "author"):
        if not visit.chart.id(key):
            visit.fault(
                f"there is no id {key} before {row.hello_ok}",
                f"Say `id {key} …` after {row.hello}, before {row.hello_ok}.",
            )


async def _kept_back(visit: Visit, awaited: str, silent: Silent) -> None:
    """Output that comes only at the end was buffered all the time."""
    visit.say("quit")
    try:
        await visit.until(awaited)
    except (Silent, Ended):
        raise silent from None
    visit.fault(
        f"{silent}; it came only when the engine ended",
        "The output is buffered: flush standard output after every line, or switch its buffering"
        " off at the start.",
    )
    raise Ended(awaited, "it had to be told to quit")


async def options(visit: Visit) -> None:
    """The ``option`` lines of the introduction."""
    names: dict[str, Line] = {}
    for line, option in visit.chart.options:
        for severity, text in option_remarks(line.text):
            said = option.name if option is not None else line.text
            visit.find(
                severity,
                f"option {said!r} {text}",
                "Write `option name N type T` and the values that this type needs.",
                [line],
            )
        if option is None:
            continue
        first = names.setdefault(option.name.casefold(), line)
        if first is not line:
            visit.fault(
                f"option {option.name!r} is offered twice",
                "Offer every option once: case does not tell names apart.",
                [first, line],
            )


async def is_ready(visit: Visit) -> None:
    await visit.ready()


async def may_be_used(visit: Visit) -> None:
    """``copyprotection`` and ``registration``, as far as it has them."""
    for verb in ("copyprotection", "registration"):
        while (line := visit.chart.states.get(verb)) is not None and line.text.split() == [
            verb,
            "checking",
        ]:
            visit.heed(await visit.until(verb, after=f"{verb} checking"))
        if line is not None:
            _judge_state(visit, verb, line)


def _judge_state(visit: Visit, verb: str, line: Line) -> None:
    state = " ".join(line.text.split()[1:])
    if state not in ("ok", "error"):
        visit.fault(
            f"{verb} is {state!r}", f"Say {verb} checking, and then {verb} ok or error.", [line]
        )
    elif state == "error" and verb == "copyprotection":
        visit.fault(
            "it says copyprotection error: a program must not use such an engine",
            "Find out why it does not accept this copy of itself, or use another copy.",
            [line],
        )
    elif state == "error":
        visit.note(
            "it says registration error, and was told register later",
            "A program may use it so, but says that not all its features may work.",
            [line],
        )


async def new_game(visit: Visit) -> None:
    visit.say(visit.row.new_game)
    await visit.ready()


async def debug(visit: Visit) -> None:
    visit.say("debug on")
    await visit.ready()
    visit.say("debug off")
    await visit.ready()


async def ignores_unknown(visit: Visit) -> None:
    """Nonsense, and a ``stop`` when nothing is searched."""
    before = len(visit.chart.oddities)
    visit.say(*NONSENSE)
    await visit.ready()
    answers = visit.chart.oddities[before:]
    if answers:
        del visit.chart.oddities[before:]
        visit.note(
            "it answers an unknown command with text",
            "Programs ignore it; `info string …` would be shown to people.",
        )


async def ignores_stop(visit: Visit) -> None:
    before = len(visit.chart.strays)
    visit.say("stop")
    await visit.ready()
    if visit.chart.strays[before:]:
        del visit.chart.strays[before:]
        visit.fault(
            "it answers stop with a bestmove though no search is going on",
            "Ignore stop while you are not searching: the answer would be taken for a move.",
        )


async def reads_blanks(visit: Visit) -> None:
    """Tabs, runs of blanks and an empty line."""
    visit.say("", "   isready \t ")
    await visit.until("readyok", after="isready among blanks")


async def reads_crlf(visit: Visit) -> None:
    """Lines as a program for Windows ends them."""
    visit.say("isready\r")
    await visit.until("readyok", after="isready with CRLF")


async def sets_options(visit: Visit) -> None:
    """``setoption`` in another case, with a name of several words, and of no option at all."""
    before = len(visit.patient.exchange)
    for line in _settings(visit):
        visit.say(line)
    await visit.ready()
    _complaints(visit, before)
    known = len(visit.chart.oddities)
    visit.say("setoption name Nonsense value 1")
    await visit.ready()
    del visit.chart.oddities[known:]  # a complaint is in place


def _settings(visit: Visit) -> Iterator[str]:
    """Defaults, so that nothing changes; one with one word and one with several."""
    offered = [
        option
        for _, option in visit.chart.options
        if option is not None
        and option.type in (OptionType.SPIN, OptionType.CHECK)
        and option.default
    ]
    for several in (False, True):
        for option in offered:
            if (" " in option.name) is several:
                yield f"setoption name {option.name.swapcase()} value {option.default}"
                break


def _complaints(visit: Visit, before: int) -> None:
    for line in visit.patient.exchange[before:]:
        if not line.sent and any(word in line.text.lower() for word in COMPLAINTS):
            visit.fault(
                "it does not know its own option when the name is written in another case",
                "Compare names of options without regard to case.",
            )
            return


# Searching


async def go_clocks(visit: Visit, start: Start) -> None:
    go = Go(wtime=CLOCK, btime=CLOCK, winc=100, binc=100)
    search = await visit.search(start, go, seconds=CLOCK / 1000 + visit.patient.timeout)
    if search.spent > CLOCK:
        visit.fault(
            f"it thought for {search.spent:.0f} ms with {CLOCK} ms on its clock",
            "Never use more than the clock has: it loses the game.",
        )


async def go_movetime(visit: Visit, start: Start) -> None:
    search = await visit.search(start, Go(movetime=MOVE_TIME))
    over = search.spent - MOVE_TIME
    if over > LATE:
        visit.warn(
            f"the answer came {over:.0f} ms after the {MOVE_TIME} ms of movetime",
            "Look at the clock more often, or keep a little time back.",
        )


async def go_depth(visit: Visit, start: Start) -> None:
    await visit.search(start, Go(depth=DEPTH))


async def go_nodes(visit: Visit, start: Start) -> None:
    await visit.search(start, Go(nodes=NODES))


async def go_infinite(visit: Visit, start: Start) -> None:
    """No answer before ``stop``, and one after it."""
    search = visit.start(start, Go(infinite=True))
    await visit.quiet(LISTEN)
    if search.best is not None:
        visit.fault(
            "bestmove came before stop",
            "Go on until stop arrives: when the search is through, wait for it.",
        )
    visit.stop()
    await visit.best(search, after="stop")


async def stop_twice(visit: Visit, start: Start) -> None:
    """A second ``stop`` brings no second answer, and the next search gets its own."""
    search = visit.start(start, Go(infinite=True))
    await visit.quiet(LISTEN / 3)
    visit.say("stop", "stop")
    await visit.best(search, after="stop")
    await visit.ready()
    await visit.search(start, Go(depth=1))


async def ready_while_searching(visit: Visit, start: Start) -> None:
    search = visit.start(start, Go(infinite=True))
    await visit.quiet(LISTEN / 3)
    try:
        await visit.ready()
    except Silent as silent:
        visit.fault(
            f"{silent} during a search",
            "Read the input while searching, in a thread of its own or every few thousand nodes,"
            " and answer isready at once.",
        )
    else:
        if search.best is not None:
            visit.fault("isready ended the search", "Answer isready without stopping the search.")
    visit.stop()
    await visit.best(search, after="stop")


# The end


async def quits(visit: Visit) -> None:
    await _quit(visit)


async def quits_searching(visit: Visit, start: Start) -> None:
    """``quit`` ends even a search."""
    visit.start(start, Go(infinite=True))
    await visit.quiet(LISTEN / 3)
    await _quit(visit)


async def _quit(visit: Visit) -> None:
    visit.say("quit")
    peer = visit.patient.peer
    if not await visit.patient.ended():
        visit.fault(
            f"it goes on running for more than {visit.patient.timeout:g} s after quit",
            "End the process at quit, also while searching.",
        )
        return
    if peer.returncode:
        visit.warn(
            f"after quit it {visit.patient.last_words().partition(' ')[2]}",
            "Return 0 from main at quit.",
        )
    if peer.survivors:
        visit.warn(
            f"{len(peer.survivors)} of its processes outlived it",
            "End every process that you start, and wait for it, before you end.",
        )


def on(
    run: Callable[[Visit, Start], Awaitable[None]], start: Start
) -> Callable[[Visit], Awaitable[None]]:
    """The step from this position."""
    return lambda visit: run(visit, start)

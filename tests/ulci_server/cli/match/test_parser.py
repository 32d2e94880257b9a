"""The command line of a match: every option, and what is said about a wrong one."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci_server.cli.match import (
    Compliance,
    ConfigFile,
    EpdOutput,
    LogOutput,
    MatchError,
    MatchSettings,
    PgnOutput,
    Question,
    Style,
    TablebaseResults,
    Tablebases,
    parse,
)
from ulci_server.cli.match.option_table import OPTIONS
from ulci_server.game import Limit, Stage, Staged
from ulci_server.game.adjudication import Adjudication, DrawRule, ResignRule
from ulci_server.openings import BookFile, Format, Order
from ulci_server.statistics import Model, Sprt
from ulci_server.storage.export import Detail, Notation, RunnerStyle
from ulci_server.tournament import Format as Meetings
from ulci_server.tournament import Schedule

TWO = ["-engine", "cmd=a", "name=A", "tc=10+0.1", "-engine", "cmd=b", "name=B", "tc=10+0.1"]
PROCESSORS = 4


def read(line: str = "", *more: str) -> MatchSettings:
    """Of two engines, and these options."""
    found = parse([*TWO, *line.split(), *more], PROCESSORS)
    assert isinstance(found, MatchSettings)
    return found


def complaint(*argv: str) -> str:
    with pytest.raises(MatchError) as caught:
        parse(argv, PROCESSORS)
    return str(caught.value)


def test_two_engines_and_a_clock_are_a_match() -> None:
    match = read()
    assert [entrant.name for entrant in match.entrants] == ["A", "B"]
    assert match.schedule == Schedule(engines=2, rounds=2, games=2)
    assert (match.game, match.book, match.sprt, match.pgn) == ("chess", None, None, None)
    assert (match.concurrency, match.by_pairs, match.style) == (1, True, Style.FASTCHESS)
    assert match.database == Path("match.db")


SINGLE = [
    ("-rounds 50", {"schedule": Schedule(2, 50)}),
    ("-games 1", {"schedule": Schedule(2, 2, games=1), "by_pairs": False}),
    ("-games 1 -repeat", {"schedule": Schedule(2, 2)}),
    ("-repeat 1 -rounds 3", {"schedule": Schedule(2, 3, games=1)}),
    ("-games 100 -rounds 2", {"schedule": Schedule(2, 100)}),
    ("-games 100 -rounds 1", {"schedule": Schedule(2, 100, games=1)}),
    ("-noswap", {"schedule": Schedule(2, 2, swap=False)}),
    ("-reverse", {"schedule": Schedule(2, 2, reverse=True)}),
    (
        "-tournament gauntlet -seeds 2",
        {"schedule": Schedule(2, 2, format=Meetings.GAUNTLET, seeds=2)},
    ),
    ("-tournament roundrobin", {"schedule": Schedule(2, 2)}),
    ("-variant standard", {"game": "chess"}),
    ("-variant crazyhouse", {"game": "crazyhouse"}),
    ("-variant threecheck", {"game": "3check"}),
    ("-variant liberty", {"game": "liberty"}),
    ("-variant fischerandom -openings file=x.epd", {"game": "chess960"}),
    ("-concurrency 4", {"concurrency": 4}),
    ("-concurrency 20 -force-concurrency", {"concurrency": 20}),
    ("-concurrency 0", {"concurrency": 4}),
    ("-concurrency -1", {"concurrency": 3}),
    ("-concurrency -9", {"concurrency": 1}),
    ("-wait 250", {"wait": 250}),
    ("-srand 123", {"seed": 123}),
    ("-sprt elo0=-1.5 elo1=5 alpha=0.1 model=logistic", {
        "sprt": Sprt(-1.5, 5, alpha=0.1, model=Model.LOGISTIC),
        "schedule": Schedule(2, 500_000),
    }),
    ("-sprt elo0=0 elo1=2 -rounds 7", {"sprt": Sprt(0, 2), "schedule": Schedule(2, 7)}),
    ("-sprt elo0=0 elo1=2 -rounds 0", {"schedule": Schedule(2, 500_000)}),
    ("-draw movenumber=40 movecount=3 score=15", {
        "adjudication": Adjudication(draw=DrawRule(40, 3, 15))
    }),
    ("-draw score=8", {"adjudication": Adjudication(draw=DrawRule(0, 1, 8))}),
    ("-resign movecount=5 score=600 twosided=true", {
        "adjudication": Adjudication(resign=ResignRule(5, 600, twosided=True))
    }),
    ("-maxmoves 150", {"adjudication": Adjudication(max_moves=150)}),
    ("-tb /a:/b", {
        "adjudication": Adjudication(tablebases=True),
        "tablebases": Tablebases(folders=(Path("/a"), Path("/b"))),
    }),
    ("-tb /a -tbpieces 6 -tbignore50 -tbadjudicate DRAW", {
        "tablebases": Tablebases(
            folders=(Path("/a"),), pieces=6, fifty_moves=False, results=TablebaseResults.DRAW
        ),
    }),
    ("-tbpieces 0 -tb /a", {"tablebases": Tablebases(folders=(Path("/a"),))}),
    ("-tbpieces 5", {"tablebases": None, "adjudication": Adjudication()}),
    ("-openings file=b.epd order=random plies=16 start=4 -srand 7", {
        "book": BookFile(Path("b.epd"), Format.EPD, Order.RANDOM, plies=16, start=4, seed=7)
    }),
    ("-openings file=b.pgn policy=round", {"book": BookFile(Path("b.pgn"), Format.PGN)}),
    ("-openings file=b.bin plies=-1", {"book": BookFile(Path("b.bin"), Format.POLYGLOT)}),
    ("-openings file=b format=pgn plies=0", {"book": BookFile(Path("b"), Format.PGN, plies=0)}),
    ("-pgnout", {"pgn": PgnOutput()}),
    ("-pgnout file=x.pgn notation=uci nodes=true pv=false min=true append=false", {
        "pgn": PgnOutput(
            file=Path("x.pgn"), append=False,
            style=RunnerStyle(Notation.UCI, frozenset({Detail.NODES}), minimal=True),
        )
    }),
    ("-pgnout " + " ".join(f"{detail}=true" for detail in Detail), {
        "pgn": PgnOutput(style=RunnerStyle(details=frozenset(Detail)))
    }),
    ("-pgnout x/1.pgn append=true", {"pgn": PgnOutput(file=Path("x/1.pgn"))}),
    ("-epdout x.epd", {"epd": EpdOutput(file=Path("x.epd"))}),
    ("-pgnout match_line=^a match_line=b$", {"pgn": PgnOutput(line_patterns=("^a", "b$"))}),
    ("-epdout file=x.epd append=false", {"epd": EpdOutput(file=Path("x.epd"), append=False)}),
    ("-event My Cup -site There", {"event": "My Cup", "site": "There"}),
    ("-ratinginterval 0 -scoreinterval 4", {"rating_interval": 0, "score_interval": 4}),
    ("-report penta=false", {"by_pairs": False}),
    ("-output format=cutechess", {"style": Style.CUTECHESS, "by_pairs": False}),
    ("-output format=fastchess -report penta=true", {"style": Style.FASTCHESS, "by_pairs": True}),
    ("-log file=l level=trace engine=true append=false compress=true realtime=false", {
        "log": LogOutput(
            file=Path("l"), level="trace", engine=True, append=False, compress=True, realtime=False
        )
    }),
    ("-config outname=c.json file=d.json discard=true stats=false", {
        "config": ConfigFile(
            file=Path("d.json"), outname=Path("c.json"), discard=True, stats=False
        )
    }),
    ("-autosaveinterval 5", {}),
    ("-recover -strict -testEnv -show-latency -check-mate-pvs", {
        "recover": True, "strict": True, "test_environment": True, "show_latency": True,
        "check_mate_pvs": True,
    }),
    ("-crc32 pgn=true", {"checksum": True}),
    ("-use-affinity", {"affinity": ()}),
    ("-use-affinity 3,5,7-9", {"affinity": (3, 5, 7, 8, 9)}),
    ("-startup-ms 1 -ucinewgame-ms 2 -ping-ms 3", {
        "startup_ms": 1, "new_game_ms": 2, "ping_ms": 3,
    }),
    ("-db other.db", {"database": Path("other.db")}),
    ("-web", {"web": ""}),
    ("-web 127.0.0.1:8080", {"web": "127.0.0.1:8080"}),
]  # fmt: skip


@pytest.mark.parametrize(("line", "fields"), SINGLE, ids=[line for line, _ in SINGLE])
def test_an_option_is_read(line: str, fields: dict[str, object]) -> None:
    match = read(line)
    assert {name: getattr(match, name) for name in fields} == fields


def test_every_option_is_read_by_a_test() -> None:
    tried = " ".join(line for line, _ in SINGLE).split()
    elsewhere = {"-engine", "-each", "-quick", "-debug"}
    assert OPTIONS.keys() - elsewhere <= {*tried}


def test_engines_have_their_own_words_and_those_of_all() -> None:
    (one, other) = read(
        "-each option.Hash=16 proto=ugi restart=on timemargin=50 ponder=on dir=bin depth=9",
        "args=--debug '--log x'",
    ).entrants
    assert (one.command, one.arguments) == ("a", ("--debug", "--log x"))
    assert (one.options, one.dialect, one.folder) == (("Hash=16",), "ugi", Path("bin"))
    assert (one.restart, one.ponder, one.margin, one.depth) == (True, True, 50, 9)
    assert one.control == other.control == Staged((Stage(10_000, 100),))


def test_what_comes_later_about_an_engine_counts() -> None:
    argv = [*TWO, "option.Hash=1", "option.Hash=2", "-each", "option.Hash=4", "tc=5", "option.X="]
    (one, other) = parse(argv, PROCESSORS).entrants
    assert one.options == other.options == ("Hash=4", "X=")
    assert one.control == Staged((Stage(5_000),))


def test_words_for_all_engines_may_come_before_an_engine() -> None:
    argv = ["-each", "st=1", "-engine", "cmd=a", "-engine", "cmd=b"]
    assert {one.control for one in parse(argv, 1).entrants} == {Limit("movetime", 1000)}


def test_engines_are_named_by_their_files_and_numbered() -> None:
    argv = "-engine cmd=./x/sf -engine cmd=sf.exe -engine remote=Far -engine cmd=sf -each st=1"
    assert [one.name for one in parse(argv.split(), 1).entrants] == ["sf", "sf_2", "Far", "sf_3"]


def test_no_two_engines_have_the_same_name_in_the_end() -> None:
    argv = ["-engine", "cmd=a_2", "-engine", "cmd=a", "-engine", "cmd=a", "-each", "st=1"]
    assert [one.name for one in parse(argv, 1).entrants] == ["a_2", "a", "a_3"]


def test_an_engine_may_be_at_another_machine() -> None:
    one = parse(["-engine", "remote=Far", "tc=1", *TWO], 1).entrants[0]
    assert (one.name, one.remote, one.command) == ("Far", "Far", "")


def test_a_quick_match_has_what_most_testers_want() -> None:
    match = parse(["-quick", "cmd=sf", "cmd=sf", "book=b.epd"], 8)
    assert [one.name for one in match.entrants] == ["sf", "sf_2"]
    assert match.entrants[0].control == Staged((Stage(10_000, 100),))
    assert match.book == BookFile(Path("b.epd"), Format.EPD, Order.RANDOM)
    assert match.schedule == Schedule(2, 25_000)
    assert (match.concurrency, match.recover, match.style) == (6, True, Style.CUTECHESS)
    assert match.adjudication == Adjudication(draw=DrawRule(30, 8, 8))


def test_questions_are_answered_whatever_follows() -> None:
    assert parse([], 1) is Question.HELP
    for word in ("-help", "--help", "-h"):
        assert parse([word, "-nonsense"], 1) is Question.HELP
    for word in ("-version", "--version", "-v"):
        assert parse([*TWO, word], 1) is Question.VERSION
    assert parse(["--compliance", "sf", "-x"], 1) == Compliance(("sf", "-x"))
    assert parse(["--compliance", "a b/sf", "-x 'y z'"], 1) == Compliance(("a b/sf", "-x", "y z"))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("-engne", 'Unrecognized option: -engne. Did you mean "-engine"?'),
        ("-zzzzzz 1", "Unrecognized option: -zzzzzz."),
        ("cmd=a", 'Unrecognized option: cmd=a. Options begin with "-".'),
    ],
)
def test_an_unknown_option_is_named(line: str, said: str) -> None:
    assert complaint(*line.split()) == said


WRONG = [
    ("-concurrency", 'Option "-concurrency" expects exactly one value.'),
    ("-rounds 1 2", 'Option "-rounds" expects exactly one value.'),
    ("-recover true", 'Option "-recover" does not accept parameters.'),
    ("-engine", 'Option "-engine" expects key=value parameters.'),
    ("-event", 'Option "-event" expects a text.'),
    ("-web a b", 'Option "-web" expects one value or none.'),
    ("-log level", 'Option "-log" expects key=value pairs, got "level".'),
    ("-log =x", 'Option "-log" expects key=value pairs, got "=x".'),
    ("-engine name=", 'Option "-engine" expects key=value pairs, got "name=".'),
    ("-engine option.=1", 'Option "-engine" has "option." without a name of an option.'),
    ("-rounds 10junk", 'Invalid numeric value: "10junk"'),
    ("-rounds 999999999999999999999", 'Invalid numeric value: "999999999999999999999"'),
    ("-seeds 0", 'Invalid numeric value: "0" (a whole number from 1 to 250)'),
    ("-sprt alpha=nan", 'Invalid numeric value: "nan"'),
    (
        "-sprt model=x",
        'Invalid parameter (must be "normalized", "logistic" or "bayesian"): "x"',
    ),
    ("-engine restart=true", 'Invalid parameter (must be "on" or "off"): "true"'),
    (
        "-pgnout nods=true",
        'Unrecognized pgnout option "nods" with value "true"; did you mean nodes?',
    ),
    ("-pgnout match_line=(", 'Invalid regular expression "(": missing ) at position 1'),
    (
        "-engine proto=xboard",
        'Unsupported protocol: "xboard"; there are: uci, ugi, ulci, uti',
    ),
    ("-engine args='", 'Invalid arguments "\'": No closing quotation'),
    ("-engine name=\x07", 'Invalid name: "\\x07"'),
    ("-variant atomik", 'Unknown variant: "atomik"; did you mean atomic?'),
    (
        "-tournament swiss",
        'Unsupported tournament format: "swiss". There are roundrobin and gauntlet.',
    ),
    ("-tbadjudicate x", 'Invalid parameter (must be "BOTH", "WIN_LOSS" or "DRAW"): "x"'),
    ("-use-affinity 3-1", 'Bad cpu list: "3-1"'),
    ("-use-affinity 1,1", 'Bad cpu list: "1,1" has a processor twice'),
    ("-draw score=-1", 'Invalid numeric value: "-1" (a whole number from 0 to 100000)'),
    ("-openings policy=x", 'Unsupported opening book policy: "x"; there is: round'),
    ("-quick cmd=a book=b.epd", 'Option "-quick" requires exactly two cmd entries.'),
    ("-quick cmd=a cmd=b", 'Option "-quick" requires a book=FILE entry.'),
    ("-quick cmd=a cmd=b tc=1", 'Unrecognized quick option "tc"; there are: book, cmd'),
]


@pytest.mark.parametrize(("line", "reason"), WRONG, ids=[line for line, _ in WRONG])
def test_a_wrong_word_is_named_with_the_reason(line: str, reason: str) -> None:
    option, _, value = line.partition(" ")
    said = f' with value "{value}"' if value else ""
    head = f'Error while reading option "{option}"{said}\nReason: {reason}'
    assert complaint(*line.split(" ")).startswith(head)


def test_a_wrong_word_for_all_engines_is_named_as_such() -> None:
    said = complaint(*TWO, "-each", "tc=x")
    assert said.startswith('Error while reading option "-each" with value "tc=x"\nReason: Invalid')


def test_who_looks_for_the_debug_option_is_told_of_the_log() -> None:
    assert "-log file=F engine=true" in complaint("-debug")


def test_of_a_long_faulty_word_only_the_beginning_is_repeated() -> None:
    assert len(complaint("-" + "x" * 10_000)) < 300
    assert len(complaint("-recover", "x" * 10_000)) < 400


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("-concurrency 5", "Error: Concurrency exceeds number of CPUs. Use -force-concurrency"),
        ("-games 3 -rounds 25000", "Error: Exceeded -games limit!"),
        ("-rounds 0", "Error: -rounds must be at least 1"),
        ("-sprt elo0=5 elo1=-1.5", "Error; SPRT: elo0 must be less than elo1!"),
        ("-sprt elo0=4 elo1=5 alpha=0.55 beta=0.55", "Error; SPRT: sum of alpha and beta must be"),
        ("-sprt elo0=4 elo1=5 alpha=1.05", "Error; SPRT: alpha must be a decimal number between"),
        ("-sprt elo0=4 elo1=5 beta=1.05", "Error; SPRT: beta must be a decimal number between"),
        ("-sprt alpha=0.05 elo0=0", "Error; SPRT: elo1 must be given!"),
        ("-variant fischerandom", "Error: Please specify a Chess960 opening book"),
        ("-openings file=book", "Error: Unknown format of the opening book book: say format=epd"),
        ("-tb :", "Error: Must provide a :-separated list of Syzygy tablebase directories."),
    ],
)
def test_what_contradicts_itself_is_refused(line: str, said: str) -> None:
    assert complaint(*TWO, *line.split()).startswith(said)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("-engine cmd=a depth=5", "Error: Need at least two engines to start!"),
        ("-engine cmd=a -engine cmd=b st=1", "Error; no TimeControl specified! a needs tc="),
        ("-engine cmd=a tc=10/0+0 -engine cmd=b st=1", "Error; no TimeControl specified!"),
        ("-engine cmd=a tc=inf -engine cmd=b st=1", "Error; no TimeControl specified!"),
        ("-engine cmd=a tc=1 st=1 -engine cmd=b st=1", "Error; cannot use tc and st together!"),
        ("-engine st=1 -engine cmd=b st=1", "Error; please specify cmd= (or remote=)"),
        ("-engine name=A st=1 -engine cmd=b st=1", "Error; A needs cmd= or remote="),
        (
            "-engine remote=A st=1 -engine remote=A name=B st=1",
            "Error; two engines come in as remote=A!",
        ),
        ("-engine cmd=a remote=A st=1 -engine cmd=b st=1", "Error; A needs cmd= or remote="),
        ("-engine cmd=a tc=60hg -engine cmd=b st=1", "Error; an hourglass is for all engines"),
    ],
)
def test_engines_that_cannot_play_are_refused(line: str, said: str) -> None:
    assert complaint(*line.split()).startswith(said)


def test_a_match_has_no_more_engines_than_a_table_can_show() -> None:
    assert complaint(*["-engine", "cmd=a", "st=1"] * 251).startswith("Error: At most 250 engines")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "Warning: No opening book specified!"),
        ("-concurrency 0", "Info: Adjusted concurrency to 4 "),
        ("-sprt elo0=0 elo1=1 model=bayesian", "Warning; Bayesian SPRT model not available with"),
        ("-config outname=x", "Info: A match is kept in its database"),
        ("-each nodes=7", "Warning; A has nodes=7 beside 10+0.1, which alone counts"),
    ],
)
def test_what_should_be_known_beforehand_is_a_note(line: str, said: str) -> None:
    assert any(note.startswith(said) for note in read(line).notes)


def test_a_plain_match_with_a_book_has_no_notes() -> None:
    assert (
        read("-openings file=b.epd -report penta=false -sprt elo0=0 elo1=1 model=bayesian").notes
        == ()
    )


def test_a_bayesian_test_counts_games() -> None:
    assert read("-sprt elo0=0 elo1=1 model=bayesian").by_pairs is False


# A command line of each kind that is met in practice.
SCRIPTS = [
    "-engine cmd=Engine1 name=Engine1 -engine cmd=Engine2 name=Engine2 -openings file=book.epd"
    " format=epd order=random -each tc=60+0.6 option.Hash=64 -rounds 200 -repeat -concurrency 4",
    "-engine cmd=Engine1 name=Engine1 option.Threads=1 nodes=2000000 -engine cmd=Engine2"
    " name=Engine2 option.Threads=2 nodes=1000000 -openings file=UHO.epd format=epd order=random"
    " -each tc=300+5 -resign movecount=3 score=600 -draw movenumber=34 movecount=8 score=20"
    " -sprt elo0=0 elo1=2 alpha=0.05 beta=0.05 -rounds 100000 -concurrency 3"
    " -pgnout notation=san nodes=true file=./games/sprt.pgn",
    "-repeat -recover -variant standard -resign movecount=3 score=400 -draw movenumber=40"
    " movecount=8 score=10 -srand 1 -engine dir=Engines/ cmd=./a proto=uci tc=8.0+0.08"
    " timemargin=250 option.Threads=1 option.Hash=8 name=a-dev -engine dir=Engines/ cmd=./b"
    " proto=uci tc=8.0+0.08 timemargin=250 option.Threads=1 option.Hash=8 name=b-base"
    " -openings file=Books/b.epd format=epd order=random start=1 -concurrency 1 -games 2"
    " -rounds 16 -pgnout PGNs/1.pgn",
]


@pytest.mark.parametrize("line", SCRIPTS)
def test_scripts_for_other_runners_are_read(line: str) -> None:
    assert isinstance(parse(line.split(), PROCESSORS), MatchSettings)


WORDS = st.sampled_from([
    *OPTIONS, *(f"{key}={value}" for key in ("cmd", "tc", "file", "name", "elo0", "option.", "st")
    for value in ("", "1", "a", "1+1", "-1", "\0", "é", "1e400")), "", "-", "-1", "=", "x",
])  # fmt: skip


@given(st.lists(WORDS | st.text(max_size=5), max_size=12), st.booleans())
def test_no_words_bring_anything_but_settings_or_a_reason(words: list[str], after: bool) -> None:
    with suppress(MatchError):
        assert parse([*TWO, *words] if after else words, PROCESSORS)

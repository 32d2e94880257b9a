"""What is read from a bot.toml, and how its errors are told."""

from pathlib import Path

import pytest

from ulci.settings import ConfigError
from ulci_client.bot.load import load
from ulci_client.bot.sections import Config


@pytest.fixture
def write(tmp_path: Path):
    def write(text: str) -> Path:
        path = tmp_path / "bot.toml"
        path.write_text(text)
        return path

    return write


def faults(path: Path) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load(path)
    return [str(fault) for fault in caught.value.faults]


def test_an_empty_file_has_the_defaults(write) -> None:
    assert load(write("")) == Config()


def test_paths_are_relative_to_the_file_and_whole_numbers_are_numbers(write, tmp_path) -> None:
    (tmp_path / "book.bin").touch()
    config = load(
        write('wire_log = "wire.log"\naccept.base = [1, 2]\n[[book]]\npath = "book.bin"\n')
    )
    assert config.wire_log == tmp_path / "wire.log"
    assert config.book[0].path == tmp_path / "book.bin"
    assert config.accept.base == (1.0, 2.0)


def test_a_program_is_beside_the_file_or_in_path_wherever_the_bot_is_started(
    write, tmp_path, monkeypatch
) -> None:
    write(
        '[[engine]]\ncommand = ["./engine", "./book"]\ngames = ["chess"]\n'
        '[[engine]]\ncommand = ["engine", "-x"]\ngames = ["mnk"]\n'
        '[[engine]]\ncommand = ["/usr/games/engine"]\n[seek]\nwhen = "never"\n'
    )
    commands = [(str(tmp_path / "engine"), "./book"), ("engine", "-x"), ("/usr/games/engine",)]
    monkeypatch.chdir(tmp_path)
    for path in (tmp_path / "bot.toml", Path("bot.toml")):
        assert [engine.command for engine in load(path).engine] == commands


BREAKS = ["\\n", "\\r", "\\u0085", "\\u2028", "\\u0000", "\\u001b"]

# Every setting that is a text for the server or for an engine, with {} where the text stands.
TEXTS = [
    'name = "{}"',
    'server = "tcp://{}"',
    '[[engine]]\ncommand = ["{}"]',
    '[[engine]]\ncommand = ["a", "{}"]',
    '[[engine]]\ncommand = ["a"]\ngames = ["{}"]',
    '[[engine]]\ncommand = ["a"]\ndialect = "{}"',
    '[[engine]]\ncommand = ["a"]\nallow_options = ["{}"]',
    '[[engine]]\ncommand = ["a"]\noptions = {{ "{}" = 1 }}',
    '[[engine]]\ncommand = ["a"]\noptions = {{ Hash = "{}" }}',
    '[[options]]\nset = {{ "{}" = 1 }}',
    '[[options]]\nset = {{ Hash = "{}" }}',
    '[[options]]\nset = {{ Hash = 1 }}\nopponents = ["{}"]',
    '[[options]]\nset = {{ Hash = 1 }}\ngames = ["{}"]',
    '[seek]\ngame = "{}"',
    '[seek]\npool = "{}"',
    '[seek]\nstart = "{}"',
    '[seek]\ntime = "{}"',
    '[accept]\ngames = ["{}"]',
    '[accept]\nonly = ["{}"]',
    '[accept]\nrefuse = ["{}"]',
    '[greeting]\nbegin = "{}"',
    '[greeting]\nend = "{}"',
    '[matchmaking]\nopponents = ["{}"]',
    '[matchmaking]\ntimes = ["{}"]',
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("char", BREAKS)
def test_no_text_for_others_holds_a_line_break_or_another_control_character(
    write, text, char
) -> None:
    assert faults(write(text.format(f"a{char}quit") + "\n"))


WRONG = """\
server = "http://chess.example"
concurency = 2
[accept]
kinds = ["human", "robot"]
base = [10, 5]
bonus = 5
a_day = 3
[limits]
kept_for_people = 3
quiet_hours = ["23-7"]
[greeting]
begin = "hi {you}"
end = "bye {"
[[engine]]
[[engine]]
command = []
dialect = "uzi"
[[book]]
path = "none.bin"
games = ["liberty"]
[seek]
time = "soon"
[options]
set = {}
[resign]
moves = "3"
[tablebases]
paths = ["nowhere"]
"""


def test_all_errors_are_told_at_once_with_their_lines_and_what_to_write(write, tmp_path) -> None:
    assert faults(write(WRONG)) == [
        "line 1: server: 'http://chess.example' begins with http://, which is not supported: try"
        " ws://chess.example",
        "line 2: concurency: is no setting; did you mean concurrency?",
        'line 4: accept.kinds[1]: must be one of "human" or "engine", not "robot"',
        "line 5: accept.base: must be [LEAST, MOST], not [10, 5]",
        "line 6: accept.bonus: must be two numbers, [LEAST, MOST]",
        "line 7: accept.a_day: does not belong here but into [limits]",
        "line 9: limits.kept_for_people: must be at most concurrency, which is 1, not 3",
        "line 10: limits.quiet_hours[0]: '23-7' is no span of hours; write \"23:00-07:00\", or with"
        ' days (mon, tue, wed, thu, fri, sat, sun): "sat,sun 00:00-10:00"',
        "line 12: greeting.begin: {you} means nothing here; there are {bot}, {game}, {opponent},"
        " {result}, {time}",
        "line 13: greeting.end: has a single brace; write {{ or }} to say one",
        "line 14: engine[0].command: is missing",
        "line 15: engine[1].games: must name the games of this engine: engine[0] plays all others",
        "line 16: engine[1].command: must be the program and its arguments, such as"
        ' ["/usr/games/stockfish"], not a list',
        "line 17: engine[1].dialect: must be one of ulci, uci, ugi, uti, not uzi",
        f"line 19: book[0].path: there is no file {tmp_path}/none.bin",
        "line 20: book[0].games: a Polyglot book is for chess and chess960, not for liberty",
        'line 21: seek.game: must be named, since there are several engines: game = "chess"',
        'line 22: seek.time: must be a time control such as "300+3" or "5m+3s", not "soon"',
        "line 23: options: must be a list, in [ ], not a table; write [[options]], with two"
        " brackets each",
        'line 26: resign.moves: must be a whole number, not "3"',
        f"line 28: tablebases.paths[0]: there is no folder {tmp_path}/nowhere",
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "[seek]\ntime = 300+3\n",
            "line 2, column 11: expected newline or end of document after a statement:"
            " time = 300+3\n    texts, times too, are in quotes; numbers, true and false are not",
        ),
        ("a = " + "[" * 5000, "is not TOML: its lists or tables are nested too deeply"),
        ("", "cannot be read: No such file or directory"),
    ],
)
def test_what_is_no_toml_is_told_by_its_line(write, tmp_path, text, fault) -> None:
    assert faults(write(text) if text else tmp_path / "none.toml") == [fault]


def test_what_is_no_text_is_told(tmp_path) -> None:
    path = tmp_path / "bot.toml"
    path.write_bytes(b'name = "\xff"')
    assert faults(path) == ["must be a text in UTF-8, but has byte 0xff"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("msgpack = true", 'line 1: msgpack: needs a server of ws:// or wss://, such as "wss://'),
        (
            'server = ["ws://a", "tcp://b"]\nmsgpack = true',
            "line 2: msgpack: needs a server of ws:// or wss://",
        ),
        ("server = []", "line 1: server: must name a server"),
        ('server = ["tcp://a", "b"]', "line 1: server: 'b' has no scheme: try tcp://b"),
        ("server = 5", "line 1: server: must be"),
        (
            '[[engine]]\ncommand = ["a"]\ngames = ["chess"]\n[[engine]]\ncommand = ["b"]\n'
            'games = ["mnk", "chess"]\n[seek]\nwhen = "never"',
            "line 6: engine[1].games: chess is played by engine[0] already",
        ),
        ('[matchmaking]\ntimes = ["60+1", "x"]', "line 2: matchmaking.times[1]: must be a time co"),
        ("[limits]\nquiet_hours = 5", "line 2: limits.quiet_hours: must be a list, in [ ], not 5"),
        (f'[greeting]\nend = "{"x" * 401}"', "line 2: greeting.end: has 401 characters; at most"),
        ('name = "a\\nb"', "line 1: name: must be one line without control characters"),
        (
            "[limits]\nquiet_hours = [true]",
            "line 2: limits.quiet_hours[0]: must be a span of hours in q",
        ),
        ("concurrency = 99999999999", "line 1: concurrency: must be a number up to 100, not 99999"),
        (
            '[greeting]\nend = "{bot:>99999999}"',
            "line 2: greeting.end: {bot} may have nothing behi",
        ),
        (
            '[greeting]\nend = "{bot!r}"',
            "line 2: greeting.end: {bot} may have nothing behind the w",
        ),
        (
            '[[engine]]\ncommand = ["a"]\noptions = { Hash = 1, hash = 2 }',
            "line 3: engine[0].options: hash is the same option as Hash",
        ),
        (
            "[[options]]\nset = { A = [1] }",
            "line 2: options[0].set: A must be a text, a number, true",
        ),
        (
            "[[options]]\nset = { A = nan }",
            "line 2: options[0].set: A must be a text, a number, true",
        ),
        (
            'name = "a"\nname = "b"',
            'line 2, column 11: this is set already, or is a table already: name = "b"',
        ),
        ("[seek]\n[seek]", "line 2, column 6: this table is there already: [seek]"),
        ("[draw]\nbehnd = 3", "line 2: draw.behnd: is no setting; did you mean behind?"),
        ("[draw]\nxyz = 3", "line 2: draw.xyz: is no setting; there are: accept, after, behind"),
        ("[seek]\nafter = -1", "line 2: seek.after: must be a number from 0 up, not -1"),
    ],
)
def test_each_of_these_is_told(write, text, fault) -> None:
    [found] = faults(write(text))
    assert found.startswith(fault)


def test_a_file_of_windows_is_read_too(write) -> None:
    assert load(write('\ufeffname = "Fish"\r\n')).name == "Fish"


def test_times_of_a_bot_may_have_units(tmp_path: Path) -> None:
    path = tmp_path / "bot.toml"
    path.write_text('[seek]\ntime = "5m+3s"\n[matchmaking]\ntimes = ["10m", "10"]\n')
    config = load(path)
    assert config.seek.time == "300+3"
    assert config.matchmaking.times == ("600", "10")

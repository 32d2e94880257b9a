"""What a bot would do by its file."""

from pathlib import Path

from click.testing import CliRunner, Result

from ulci_client.bridge.command import command

FILE = """\
name = "Fish"
concurrency = 3
[[engine]]
command = ["sh"]
games = ["chess"]
[[engine]]
command = ["sh"]
[seek]
when = "idle"
game = "chess"
time = "60+1"
[accept]
games = ["chess"]
rated = "no"
own_starts = false
only = ["A", "B", "C", "D", "E", "F"]
refuse = ["Rude"]
[limits]
kept_for_people = 1
a_day = 100
quiet_hours = ["23:00-07:00"]
[resign]
moves = 3
[matchmaking]
after = 600
"""


def check(path: Path) -> Result:
    return CliRunner().invoke(command, ["--check-config", str(path)], prog_name="ulci bridge")


def test_it_is_told_in_a_few_lines(tmp_path: Path) -> None:
    path = tmp_path / "bot.toml"
    path.write_text(FILE)
    done = check(path)
    assert done.exit_code == 0, done.output
    assert done.output.splitlines() == [
        f"{path} is fine; a bot with it would",
        "  play 3 games at once at tcp://127.0.0.1:25565 as Fish",
        "  let sh play chess",
        "  let sh play all other games",
        "  accept challenges of humans and engines, at chess, with 0 to 10800 s and 0 to 180 s"
        " per move, unrated, from usual starts",
        "  play only A, B, C, D, E and 1 more",
        "  refuse Rude",
        "  keep 1 of 3 games for people",
        "  play at most 1 at once with one opponent",
        "  play at most 100 a day",
        "  rest 23:00-07:00",
        "  resign after 3 moves at -700 or worse",
        "  seek chess 60+1 after 60 s of idleness",
        "  challenge engines after 600 s of idleness",
    ]


def test_files_that_are_named_and_useless_are_told_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "bot.toml"
    path.write_text(
        '[[engine]]\ncommand = ["/no/engine"]\n[[book]]\npath = "bot.toml"\n'
        '[tablebases]\npaths = ["."]\n[accept]\nchallenges = false\n'
    )
    done = check(path)
    assert done.exit_code == 2
    assert done.output.splitlines() == [
        f"Error: {path} has 3 errors:",
        "  line 2: engine[0].command: there is no program /no/engine",
        f"  line 4: book[0].path: {path} is no Polyglot book: its size is no multiple of 16 bytes",
        f"  line 6: tablebases.paths[0]: there are no tablebases (*.rtbw and *.rtbz) in {tmp_path}",
    ]


def test_a_file_without_an_engine_is_no_bots(tmp_path: Path) -> None:
    path = tmp_path / "bot.toml"
    path.write_text("")
    done = check(path)
    assert done.exit_code == 2
    assert 'engine: is missing; write [[engine]] and: command = ["' in done.output

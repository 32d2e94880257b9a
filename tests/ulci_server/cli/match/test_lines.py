"""Single lines: what frameworks find them by."""

import re
from pathlib import Path

from ulci_server.cli.match import lines


def test_a_games_lines_are_read_by_the_places_of_their_words() -> None:
    assert lines.started(1, 6, "A", "B") == "Started game 1 of 6 (A vs B)"
    line = lines.finished(3, "A", "B", "1-0", "Black disconnects")
    assert line == "Finished game 3 (A vs B): 1-0 {Black disconnects}"
    words = line.split()
    assert (words[2], words[6]) == ("3", "1-0")
    assert line.split(":")[1] == " 1-0 {Black disconnects}"


def test_what_goes_wrong_with_an_engine() -> None:
    assert lines.startup_failure("A", "it ended\nits stderr says:\n  no such net") == (
        'Fatal; A engine startup failure: "it ended"\nits stderr says:\n  no such net'
    )
    assert lines.no_option("A", "Threads") == "Warning; A doesn't have option Threads"
    assert lines.invalid_value("Hash", "-16") == "Warning; Invalid value for option Hash; -16"
    assert lines.illegal_move("B", "a1a8") == "Warning; Illegal move a1a8 played by B"
    assert lines.illegal_move("B", "") == "Warning; Illegal move <none> played by B"
    assert "no recover option set" in lines.no_recovery(7)


def test_what_goes_wrong_with_a_file() -> None:
    book = Path("b.epd")
    assert lines.bad_entry(book, 7, "no king") == (
        "Warning; Opening in line 7 of b.epd is left out: no king"
    )
    assert lines.checksum(book, 0xABC) == "File b.epd has CRC32: 0xabc"


def test_a_place_for_an_engine_from_elsewhere_comes_with_the_command() -> None:
    assert lines.waiting_for("Far", "h", 1) == (
        "Waiting for Far: ulci bridge --server tcp://h:1 --name Far -- ENGINE"
    )


def test_the_whole_time_is_told_in_hours() -> None:
    assert lines.total_time(3725.9) == "Total Time: 01:02:05 (hours:minutes:seconds)"
    assert re.search(r"\d+:\d\d:\d\d", lines.total_time(400_000))

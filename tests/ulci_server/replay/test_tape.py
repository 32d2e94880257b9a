"""The text of a recording."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci_server.replay.tape import Recording, Tape, TapeError, TapeEvent, escape, read, unescape


@given(st.binary() | st.text().map(str.encode))
def test_any_bytes_become_one_line_and_come_back(data: bytes) -> None:
    line = escape(data)
    assert line.isprintable()
    assert unescape(line) == data


def test_what_is_written_is_read() -> None:
    file = io.StringIO()
    tape = Tape(file, {"pool": [{"name": "x"}]}, 17)
    events = [
        TapeEvent(0.0, "1", "open", "x uci text"),
        TapeEvent(0.25, "1", "<", "  two blanks "),
        TapeEvent(0.25, "1", "<+", ""),
        TapeEvent(12.000001, "-", "settled", "1"),
        TapeEvent(13.0, "-", "over"),
    ]
    for event in [*events, TapeEvent(14.0, "1", ">", "goodbye")]:
        tape.write(event)
    recording = read(file.getvalue().splitlines(keepends=True))
    assert recording.config == {"pool": [{"name": "x"}]}
    assert recording.next_game == 17
    assert recording.events == tuple(events)
    assert recording.version == 3


def test_an_older_recording_is_read() -> None:
    assert read(f"{line}\n" for line in HEAD).version == 1


HEAD = ["ulci-tape 1", "config {}", "next-game 1"]


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([], "line 1"),
        (["ulci-tape 4"], "line 1"),
        (["ulci-tape 3"], "line 2"),
        (["ulci-tape 1", "config {", "next-game 1"], "line 2"),
        (["ulci-tape 1", "config {}", "next-game x"], "line 3"),
        (["ulci-tape 1", "config 3", "next-game 1"], "the config is a table"),
        ([*HEAD, "1.0 1 open"], "line 4: expected TIME WHO WHAT, found '1.0 1 open'"),
        ([*HEAD, "0.000001 1 < x"], "line 4: there is no connection 1 yet"),
        ([*HEAD, "0.000002 - over", "0.000001 - over"], "line 5: it is earlier than"),
    ],
)
def test_what_is_no_recording_is_refused_with_its_line(lines: list[str], why: str) -> None:
    with pytest.raises(TapeError, match=why):
        read(f"{line}\n" for line in lines)


def test_a_recording_that_was_cut_short_in_a_line_lacks_that_line() -> None:
    """As a full disk leaves it, or a copy of one that is still written."""
    whole = "".join(f"{line}\n" for line in [*HEAD, "0.1 1 open chess uci text -", "0.2 1 > uci"])
    whole = whole.replace("0.1", "0.100000").replace("0.2", "0.200000")
    for end in range(whole.index("0.2"), len(whole)):
        assert [event.what for event in read(whole[:end].splitlines(keepends=True)).events] == [
            "open"
        ]
    assert [event.what for event in read(whole.splitlines(keepends=True)).events] == ["open", ">"]


def test_a_recording_is_whole_when_it_has_its_end() -> None:
    events = (TapeEvent(0.0, "1", "open"), TapeEvent(1.0, "-", "over"))
    assert Recording({}, 1, events).whole
    assert not Recording({}, 1, events[:1]).whole

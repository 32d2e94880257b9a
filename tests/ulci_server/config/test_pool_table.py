from pathlib import Path
from typing import Any

import pytest

from ulci.rules import GAMES
from ulci_server.config import ConfigError, load
from ulci_server.config.pool_table import PoolTable
from ulci_server.game import Conduct, Controls, LagRule
from ulci_server.game.adjudication import NONE, Adjudication, DrawRule, ResignRule
from ulci_server.lobby import Pool, PoolRules

# By itself a pool gives time back.
DEFAULT_RULES = PoolRules(lag=LagRule.QUOTA)

FEN = "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"


def pool(folder: Path | None = None, **keys: Any) -> Pool:
    path = None
    if folder is not None:
        path = folder / "server.toml"
        path.touch()
    return load(path, {"pool": [{"name": "it", **keys}]}).pools()[0]


def faults(folder: Path | None = None, **keys: Any) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        pool(folder, **keys)
    return [str(fault) for fault in caught.value.faults]


def test_a_pool_needs_only_a_name() -> None:
    assert pool() == Pool(
        "it", GAMES["chess"], Controls.parse("180+2"), (None,), pool_rules=DEFAULT_RULES
    )
    assert faults_of_nameless() == ["pool[0].name: is missing"]


def faults_of_nameless() -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load(None, {"pool": [{}]})
    return [str(fault) for fault in caught.value.faults]


def test_everything_that_is_said_of_a_pool_reaches_the_lobby() -> None:
    said = pool(
        game="chess960",
        time="60+1|30",
        meet="mixed",
        self_play=False,
        rated=True,
        seeks=False,
        elo=2000,
        lag="equalised",
    )
    control = Controls.parse("60+1|30")
    starts = GAMES["chess960"].starts
    assert said == Pool(
        "it",
        GAMES["chess960"],
        control,
        starts,
        "mixed",
        self_play=False,
        rated=True,
        seeks=False,
        pool_rules=PoolRules(2000, LagRule.EQUALISED),
    )


def test_positions_are_brought_into_their_normal_form() -> None:
    usual = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
    assert pool(start="8/8/8/4k3/8/8/4P3/4K3 w - -").starts == (FEN,)
    assert pool(starts=[FEN, "startpos", usual]).starts == (FEN, None, None)


def test_a_table_made_by_a_program_may_say_none_for_the_usual_start() -> None:
    table = PoolTable(name="it", time=Controls.parse("60"), starts=(None, FEN))
    assert table.as_pool().starts == (None, FEN)


def test_positions_can_come_from_a_file_beside_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "book.epd").write_text(
        f"""# some endings
{FEN}   # with a comment

8/8/8/4k3/8/8/4P3/4K3 b - - hmvc 3; fmvn 40; id "a pawn";
8/8/8/4k3/8/8/4P3/4K3 w - - bm e2e4;
startpos
""",
        encoding="utf-8",
    )
    assert pool(tmp_path, starts_file="book.epd").starts == (
        FEN,
        "8/8/8/4k3/8/8/4P3/4K3 b - - 3 40",
        FEN,
        None,
    )


def test_a_file_s_faults_are_told_with_their_lines_but_not_all_of_a_wrong_file(
    tmp_path: Path,
) -> None:
    book = tmp_path / "book.epd"
    book.write_text(f"{FEN}\nnonsense\n{FEN}\n8/8 w - -\n", encoding="utf-8")
    told = faults(tmp_path, starts_file="book.epd")
    assert [text.partition(":")[0] for text in told] == [
        "pool[0].starts_file line 2",
        "pool[0].starts_file line 4",
    ]
    book.write_text("nonsense\n" * 25, encoding="utf-8")
    told = faults(tmp_path, starts_file="book.epd")
    assert len(told) == 11
    assert told[-1] == "pool[0].starts_file: 15 more positions cannot be played"


MATED = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"


def test_a_start_at_which_the_game_is_over_is_a_fault() -> None:
    over = "the game is over there already: won by white (checkmate)"
    assert faults(start=MATED) == [f"pool[0].start: {over}"]
    assert faults(starts=[FEN, MATED]) == [f"pool[0].starts[1]: {over}"]


def test_a_start_that_engines_cannot_play_is_a_fault(tmp_path: Path) -> None:
    start = "4k3/8/8/8/8/QQQQQQQ1/QQQ5/4K3 b - - 0 1"
    (tmp_path / "book.epd").write_text(f"{start}\n", encoding="utf-8")
    for settings, place in (
        ({"start": start}, "pool[0].start"),
        ({"starts_file": "book.epd"}, "pool[0].starts_file line 1"),
    ):
        [told] = faults(tmp_path, game="kingofthehill", **settings)
        assert told.startswith(f"{place}: White has 0 pawns and 9 pieces")


def test_lines_of_a_file_at_which_the_game_is_over_are_skipped(tmp_path: Path) -> None:
    (tmp_path / "book.epd").write_text(f"{FEN}\n\n{MATED}\n", encoding="utf-8")
    (tmp_path / "server.toml").write_text('[[pool]]\nname = "it"\nstarts_file = "book.epd"\n')
    (table,) = load(tmp_path / "server.toml").pool
    assert table.as_pool().starts == (FEN,)
    assert [*table.skipped] == [
        "line 3 is skipped: the game is over there already: won by white (checkmate)"
    ]


def test_of_many_skipped_lines_the_first_are_told(tmp_path: Path) -> None:
    (tmp_path / "book.epd").write_text(f"{FEN}\n" + f"{MATED}\n" * 15, encoding="utf-8")
    (tmp_path / "server.toml").write_text('[[pool]]\nname = "it"\nstarts_file = "book.epd"\n')
    (table,) = load(tmp_path / "server.toml").pool
    assert len(table.skipped) == 11
    assert table.skipped[-1] == "has 5 more lines that are skipped"


def test_a_file_with_no_line_to_play_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "book.epd").write_text(f"{MATED}\n", encoding="utf-8")
    assert faults(tmp_path, starts_file="book.epd") == [
        "pool[0].starts_file: no position is left to play: line 1 is skipped: the game is over"
        " there already: won by white (checkmate)"
    ]


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "book.epd").write_text(f"{FEN}\n", encoding="utf-8-sig")
    assert pool(tmp_path, starts_file="book.epd").starts == (FEN,)


def test_a_file_in_another_encoding_is_a_fault_with_its_line(tmp_path: Path) -> None:
    text = f'{FEN}\n8/8/8/4k3/8/8/4P3/4K3 w - - id "Réti";\n'
    (tmp_path / "book.epd").write_text(text, encoding="latin-1")
    (fault,) = faults(tmp_path, starts_file="book.epd")
    assert "line 2 is not a text in UTF-8; if it is in Latin-1: iconv" in fault


def test_a_file_without_positions_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "book.epd").write_text("# nothing\n", encoding="utf-8")
    assert "holds no position" in faults(tmp_path, starts_file="book.epd")[0]
    assert "No such file" in faults(tmp_path, starts_file="other.epd")[0]
    (tmp_path / "book.bin").write_bytes(b"\xff\xfe")
    assert "not a text in UTF-8" in faults(tmp_path, starts_file="book.bin")[0]


def test_a_book_that_would_keep_the_server_from_starting_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ulci_server.config.start_files.MOST_STARTS", 2)
    (tmp_path / "book.epd").write_text(f"{FEN}\n" * 3, encoding="utf-8")
    assert "take at most 2 of them: shuf -n 2" in faults(tmp_path, starts_file="book.epd")[0]


@pytest.mark.parametrize(
    ("keys", "where"),
    [
        ({"start": FEN, "starts": [FEN]}, "pool[0].starts: stands beside start"),
        ({"starts": [FEN], "starts_file": "x"}, "pool[0].starts_file: stands beside starts"),
        ({"start": FEN, "starts_file": "x"}, "pool[0].starts_file: stands beside start"),
    ],
)
def test_positions_are_said_in_one_way_only(keys: dict[str, Any], where: str) -> None:
    assert faults(**keys) == [f"{where}; keep one of them"]


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({"starts": []}, "expected a list of FENs"),
        ({"starts": "x"}, "expected a list of FENs"),
        ({"start": 3}, "expected a FEN in quotes, found 3"),
        ({"starts_file": True}, "expected the path of a file in quotes, found true"),
        ({"meet": "nobody"}, 'expected one of "any", "engines", "humans" or "mixed"'),
        ({"starts": {"a": 1}}, "found a table"),
    ],
)
def test_what_is_of_the_wrong_kind_is_told(keys: dict[str, Any], text: str) -> None:
    assert text in faults(**keys)[0]


def test_positions_of_an_unknown_game_are_not_judged() -> None:
    known = ", ".join(sorted(GAMES))
    assert faults(game="checkers", start="W:W31-50") == [
        f"pool[0].game: there is no game 'checkers'; there are: {known}"
    ]


WHERE = {"paths": ["tables"]}


def adjudication(**keys: Any) -> Adjudication:
    settings = {"pool": [{"name": "it", **keys}], "tablebases": WHERE}
    return load(None, settings).pools()[0].pool_rules.adjudication


def fault(where: object = WHERE, /, **keys: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        load(None, {"pool": [{"name": "it", **keys}], "tablebases": where})
    [fault] = caught.value.faults
    return str(fault)


def test_by_default_games_are_played_to_their_end() -> None:
    assert adjudication() == NONE
    assert not NONE
    assert str(NONE) == ""


def test_every_rule_reaches_the_lobby_and_can_be_read_by_the_operator() -> None:
    said = adjudication(
        resign={"moves": 3, "score": 600, "twosided": True},
        draw={"after": 40, "moves": 8, "score": 10},
        max_moves=300,
        tablebases=True,
        adjudicate_people=True,
    )
    assert said == Adjudication(
        ResignRule(3, 600, twosided=True), DrawRule(40, 8, 10), 300, tablebases=True, people=True
    )
    assert str(said) == (
        "resignation after 3 moves at -6.00, both sides agreeing;"
        " draw after 8 moves within 0.10 from move 40 on; draw at 300 moves; tablebases"
    )


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({"resign": {"moves": 3}}, "pool[0].resign.score: is missing"),
        ({"resign": {"moves": 0, "score": 1}}, "pool[0].resign.moves: expected a number from 1 up"),
        ({"resign": {"moves": 3, "score": -600}}, "pool[0].resign.score: expected a number from 1"),
        ({"resign": 3}, "pool[0].resign: expected a table, found 3"),
        ({"draw": {"moves": 3, "score": 1, "ater": 3, "after": 0}}, "did you mean after?"),
        ({"conduct": {"takebacks": False}}, "did you mean takeback?"),
        ({"conduct": {"abort": "no"}}, "pool[0].conduct.abort: expected true or false"),
        (
            {"conduct": {"disconnections": 0}},
            "pool[0].conduct.disconnections: expected a number from 1 up, found 0",
        ),
        ({"conduct": "strict"}, 'pool[0].conduct: expected a table, found "strict"'),
        ({"max_moves": 0}, "pool[0].max_moves: expected a number from 1 up, found 0"),
        ({"tablebases": True, "game": "atomic"}, "there are no tablebases of atomic, only of"),
    ],
)
def test_what_is_wrong_is_said(keys: dict[str, Any], text: str) -> None:
    assert text in fault(**keys)


CONDUCT = {
    "abort": False,
    "takeback": False,
    "givetime": False,
    "rematch": False,
    "claims": True,
    "forfeit": True,
    "absent_clock": True,
    "disconnections": 3,
}


def test_a_conduct_reaches_the_lobby() -> None:
    assert pool().pool_rules.conduct == Conduct()
    assert pool(conduct=CONDUCT).pool_rules.conduct == Conduct(**CONDUCT)


@pytest.mark.parametrize("where", [{}, {"paths": []}])
def test_a_pool_with_tablebases_needs_to_know_where_they_are(where: object) -> None:
    assert fault(where, tablebases=True) == (
        'pool[0].tablebases: needs to know where they are: [tablebases] paths = ["FOLDER"]'
    )


@pytest.mark.parametrize(("said", "means"), [("5m+3s", "300+3"), ("5+3", "5+3"), ("10", "10")])
def test_a_time_may_have_units_and_is_seconds_without(said: str, means: str) -> None:
    assert pool(time=said).control == Controls.parse(means)


# Openings


def book(folder: Path, name: str = "book.epd", text: str = f"{FEN}\n") -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return name


def opened(folder: Path, **keys: Any) -> PoolTable:
    (folder / "server.toml").touch()
    settings = {"pool": [{"name": "it", "openings": keys}]}
    return load(folder / "server.toml", settings).pool[0]


def test_a_pool_may_have_a_book_beside_the_configuration(tmp_path: Path) -> None:
    name = book(tmp_path, text=f"8/8/8/4k3/8/8/4P3/4K3 b - -\n{FEN}\n")
    table = opened(tmp_path, file=name, order="sequential", start=2)
    assert table.openings is not None
    assert table.openings.book.draw(0).opening.start == FEN
    assert table.as_pool().starts == (None,)


def test_the_format_of_a_book_is_that_of_its_name_unless_it_is_said(tmp_path: Path) -> None:
    games = '[Result "*"]\n\n1. e4 e5 2. Nf3 *\n'
    table = opened(tmp_path, file=book(tmp_path, "book.pgn", games), plies=2)
    assert table.openings is not None
    assert table.openings.book.draw(0).opening.moves == ("e2e4", "e7e5")
    assert opened(tmp_path, file=book(tmp_path, "book", games), format="pgn").openings
    [told] = faults(tmp_path, openings={"file": "book"})
    assert told.endswith("does not tell its format: say one of epd, pgn, polyglot")


def test_a_random_order_without_a_seed_is_another_one_each_time(tmp_path: Path) -> None:
    name = book(tmp_path, text="".join(f"{FEN[:-1]}{n}\n" for n in range(1, 1000)))

    def order(**keys: Any) -> list[str | None]:
        table = opened(tmp_path, file=name, **keys)
        assert table.openings is not None
        return [table.openings.book.draw(number).opening.start for number in range(20)]

    assert order() != order()
    assert order(seed=7) == order(seed=7)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        ("# only a comment\n", "holds no opening"),
        ("nonsense\nnonsense\n", "no opening of chess is found in the book"),
        ('[Event "a game"]\n\n1. e4 *\n', "say format=pgn"),
    ],
)
def test_a_book_without_an_opening_is_a_fault(tmp_path: Path, text: str, told: str) -> None:
    [fault] = faults(tmp_path, openings={"file": book(tmp_path, text=text)})
    assert fault.startswith("pool[0].openings: ")
    assert told in fault
    assert str(tmp_path / "book.epd") in fault


def test_a_missing_book_is_a_fault_at_its_line(tmp_path: Path) -> None:
    path = tmp_path / "server.toml"
    path.write_text('[[pool]]\nname = "it"\n\nopenings = { file = "none.epd" }\n')
    with pytest.raises(ConfigError) as caught:
        load(path)
    [fault] = caught.value.faults
    assert fault.line == 4
    assert "none.epd" in str(fault)


def test_who_begins_no_games_does_not_open_books(tmp_path: Path) -> None:
    path = tmp_path / "server.toml"
    path.write_text('[[pool]]\nname = "it"\nopenings = { file = "none.epd" }\n')
    assert load(path, books=False).pool[0].openings is not None


def test_openings_stand_beside_no_other_starts(tmp_path: Path) -> None:
    openings = {"file": book(tmp_path)}
    told = faults(tmp_path, start=FEN, openings=openings)
    assert told == ["pool[0].openings: stands beside start; keep one of them"]
    told = faults(tmp_path, starts_file="book.epd", openings=openings)
    assert told == ["pool[0].openings: stands beside starts_file; keep one of them"]


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"order": "any"}, "pool[0].openings.order: expected one of sequential, random"),
        ({"format": "abk"}, "pool[0].openings.format: expected one of epd, pgn, polyglot"),
        ({"plies": 65}, "pool[0].openings.plies: "),
        ({"start": 0}, "pool[0].openings.start: "),
        ({"path": "x"}, "pool[0].openings.path: "),
    ],
)
def test_what_is_wrong_with_openings_is_told_at_its_key(
    tmp_path: Path, keys: dict[str, Any], told: str
) -> None:
    [fault] = faults(tmp_path, openings={"file": book(tmp_path), **keys})
    assert fault.startswith(told)


def test_a_game_with_a_referee_has_no_book(tmp_path: Path) -> None:
    (tmp_path / "server.toml").touch()
    settings = {
        "game": [{"name": "nim", "referee": ["true"]}],
        "pool": [{"name": "nim", "game": "nim", "openings": {"file": book(tmp_path)}}],
    }
    with pytest.raises(ConfigError, match="nim has a referee, so take starts_file"):
        load(tmp_path / "server.toml", settings)

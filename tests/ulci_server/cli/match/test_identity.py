"""What makes two command lines the same match."""

import shlex
from dataclasses import fields

import pytest

from ulci_server.cli.match import Entrant, MatchSettings, parse
from ulci_server.cli.match.identity import identity
from ulci_server.game import ByoYomi, Correspondence, Hourglass, Limit, Stage, Staged
from ulci_server.game.adjudication import Adjudication, DrawRule, ResignRule
from ulci_server.hall.table.tablebases import TablebaseRules
from ulci_server.openings import BookFile
from ulci_server.statistics import Sprt
from ulci_server.tournament import Schedule

WORDS = "-engine cmd=a -engine cmd=b -each tc=10+0.1 -rounds 5"


def of(words: str) -> str:
    asked = parse(shlex.split(words), 8)
    assert isinstance(asked, MatchSettings)
    return identity(asked)


@pytest.mark.parametrize(
    "more",
    [
        "-concurrency 4",
        "-wait 100",
        "-pgnout file=a.pgn",
        "-ratinginterval 5",
        "-recover",
        "-db other.db",
    ],
)
def test_how_it_is_shown_and_spread_may_change(more: str) -> None:
    assert of(f"{WORDS} {more}") == of(WORDS)


@pytest.mark.parametrize(
    "other",
    [
        f"{WORDS} -rounds 6",
        f"{WORDS} -srand 5",
        f"{WORDS} -openings file=a.epd format=epd",
        f"{WORDS} -sprt elo0=0 elo1=5 alpha=0.05 beta=0.05",
        f"{WORDS} -resign movecount=3 score=400",
        f"{WORDS} -tb /a",
        WORDS.replace("cmd=b", "cmd=c"),
        WORDS.replace("cmd=b", "cmd=b option.Hash=64"),
        WORDS.replace("cmd=b", "cmd=b proto=ugi"),
        WORDS.replace("10+0.1", "9+0.1"),
        WORDS.replace("10+0.1", "10+0.1 timemargin=20"),
    ],
)
def test_who_plays_from_where_by_which_rules_may_not(other: str) -> None:
    assert of(other) != of(WORDS)


@pytest.mark.parametrize("more", ["-tbpieces 4", "-tbignore50", "-tbadjudicate DRAW"])
def test_which_results_of_tables_count_may_not(more: str) -> None:
    assert of(f"{WORDS} -tb /a {more}") != of(f"{WORDS} -tb /a")


def test_tablebases_may_move_to_another_folder() -> None:
    assert of(f"{WORDS} -tb /a") == of(f"{WORDS} -tb /b")


FEW = """\
match: game="chess" pairs=true
schedule: engines=2 rounds=5 games=2 format="roundrobin" seeds=1 swap=true reverse=false
engine: name="a" command="a" arguments=[] folder=null remote="" dialect="uci" \
control=["stages", [null, 10000, "+", 100]] margin=0 options=[] ponder=false
engine: name="b" command="b" arguments=[] folder=null remote="" dialect="uci" \
control=["stages", [null, 10000, "+", 100]] margin=0 options=[] ponder=false
"""

EVERYTHING = r"""
-engine cmd=./new name=New "args='--log a' -q" dir=/opt tc=40/60+0.6 timemargin=20 ponder=on
    option.Hash=64 "option.Style=very solid"
-engine cmd=old proto=ugi st=1.5
-engine remote=far tc=600/5x30
-engine cmd=d name=Zoë tc=3days
-variant fischerandom -tournament gauntlet -seeds 2 -games 2 -rounds 500 -srand 42
-openings file=books/a.epd format=epd order=random plies=8 start=3
-sprt elo0=-1.75 elo1=0.25 alpha=0.05 beta=0.1 model=logistic
-resign movecount=3 score=400 twosided=true -draw movenumber=40 movecount=8 score=10
-maxmoves 200 -tb /syzygy -tbpieces 5 -tbignore50 -tbadjudicate WIN_LOSS
"""

ALL = """\
match: game="chess960" pairs=true
schedule: engines=4 rounds=500 games=2 format="gauntlet" seeds=2 swap=true reverse=false
engine: name="New" command="./new" arguments=["--log a", "-q"] folder="/opt" remote="" \
dialect="uci" control=["stages", [40, 60000, "+", 600]] margin=20 \
options=["Hash=64", "Style=very solid"] ponder=true
engine: name="old" command="old" arguments=[] folder=null remote="" dialect="ugi" \
control=["movetime", 1500] margin=0 options=[] ponder=false
engine: name="far" command="" arguments=[] folder=null remote="far" dialect="uci" \
control=["byoyomi", 600000, 5, 30000] margin=0 options=[] ponder=false
engine: name="Zo\\u00eb" command="d" arguments=[] folder=null remote="" dialect="uci" \
control=["days", 3] margin=0 options=[] ponder=false
book: path="books/a.epd" format="epd" order="random" plies=8 start=3
seed: value=42
sprt: elo0=-1.75 elo1=0.25 alpha=0.05 beta=0.1 model="logistic"
resign: moves=3 score=400 twosided=true
draw: after=40 moves=8 score=10
max_moves: moves=200
tablebases: men=5 fifty_moves=false wins=true draws=false
"""


@pytest.mark.parametrize(("words", "kept"), [(WORDS, FEW), (EVERYTHING, ALL)])
def test_matches_in_databases_are_found_again_by_the_text_that_they_were_kept_with(
    words: str, kept: str
) -> None:
    assert of(words) == kept.removesuffix("\n")


CONTROLS = {
    "tc=60hg": '["hourglass", 60000]',
    "tc=60d2": '["stages", [null, 60000, "d", 2000]]',
    "tc=60b2": '["stages", [null, 60000, "b", 2000]]',
    "tc=40/1:30+1": '["stages", [40, 90000, "+", 1000]]',
    "nodes=1000": '["nodes", 1000]',
    "depth=8": '["depth", 8]',
}


@pytest.mark.parametrize("control", CONTROLS)
def test_a_clock_or_limit_is_kept_in_numbers(control: str) -> None:
    assert f" control={CONTROLS[control]} " in of(WORDS.replace("tc=10+0.1", control))


SHOWN = (
    "concurrency wait style rating_interval score_interval pgn epd event site log config database"
    " web affinity recover strict test_environment show_latency check_mate_pvs checksum startup_ms"
    " new_game_ms ping_ms notes"
)
"""Settings of how a match is shown, written and spread over processors."""

KNOWN: dict[type, str] = {
    MatchSettings: "entrants schedule game book seed sprt adjudication tablebases by_pairs"
    f" {SHOWN}",
    Entrant: "name command arguments folder remote dialect options ponder control margin"
    # Whether its process is a fresh one, and limits beside the one that counts.
    " restart nodes depth",
    Schedule: "engines rounds games format seeds swap reverse",
    Sprt: "elo0 elo1 alpha beta model",
    Adjudication: "resign draw max_moves tablebases people",
    ResignRule: "moves score twosided",
    DrawRule: "after moves score",
    TablebaseRules: "men fifty_moves wins draws",
    BookFile: "path format order plies start seed",
    Staged: "stages",
    Stage: "moves base bonus amount",
    ByoYomi: "base periods period",
    Hourglass: "base",
    Correspondence: "days",
    Limit: "name amount",
}
"""What is written of each of them, or need not be."""


@pytest.mark.parametrize("kind", KNOWN)
def test_a_new_setting_is_written_or_named_as_one_that_may_change(kind: type) -> None:
    assert {each.name for each in fields(kind)} == {*KNOWN[kind].split()}

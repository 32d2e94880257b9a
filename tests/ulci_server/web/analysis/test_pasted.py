"""Games that people paste."""

import pytest

from tests.support.facts import finished, noted
from tests.ulci_server.web.analysis.asking import ask
from tests.ulci_server.web.test_games import facts
from tests.ulci_server.web.test_openapi import OPENAPI, fits
from ulci.rules import Side
from ulci_server.web.analysis.pasted import MOST_MOVES, pasted_document
from ulci_server.web.analysis.positions import UnknownPositionError


def lines(document) -> list[str]:
    """Each line of the tree, from the start to its end."""
    nodes = document["nodes"]
    inner = {node["parent"] for node in nodes}
    found = []
    for number in range(len(nodes)):
        if number in inner:
            continue
        at, line = number, []
        while nodes[at]["parent"] is not None:
            line.append(nodes[at]["san"])
            at = nodes[at]["parent"]
        found.append(" ".join(reversed(line)))
    return found


def test_comments_variations_and_glyphs_are_kept():
    found = pasted_document(
        '[White "Ada"]\n[Black "Bob"]\n\n'
        "1. e4! {best [%clk 0:05:00] by test} e5 (1... c5 2. Nf3 (2. c3) 2... d6) (1... e6 $2)"
        " 2. Nf3 $1 ; to the end of the line\n Nc6 1-0 and more",
        "chess",
    )
    assert lines(found) == ["e4 c5 c3", "e4 c5 Nf3 d6", "e4 e6", "e4 e5 Nf3 Nc6"]
    by_san = {node["san"]: node for node in found["nodes"]}
    assert by_san["e4"]["comment"] == "best by test"
    assert (by_san["e4"]["glyphs"], by_san["e6"]["glyphs"]) == ("!", "?")
    assert by_san["Nf3"]["comment"] == "to the end of the line"
    assert found["tags"] == {"White": "Ada", "Black": "Bob"}
    assert found["faults"] == []


def test_what_cannot_be_read_is_left_out_and_said():
    found = pasted_document("1. e4 e5 (1... Ke4 2. d4 (2. d3) 2... d5) 2. Nf3 Ke4 3. Bc4", "chess")
    assert lines(found) == ["e4 e5 Nf3"]
    assert found["faults"] == [
        "ply 2, 'Ke4', is no legal move",
        "ply 4, 'Ke4', is no legal move",
    ]


@pytest.mark.parametrize(
    "text", ["(", ")", "((((", "))))", "( 1. e4 )", "1. e4 ) e5", "1. e4 ( e5"]
)
def test_brackets_that_do_not_fit_do_no_harm(text):
    assert pasted_document(text, "chess")["rules"] == "chess"


def test_brackets_of_any_depth_are_read():
    deep = "1. e4 " + "(1. d4 " * 500 + ")" * 500 + " e5"
    assert lines(pasted_document(deep, "chess"))[-1] == "e4 e5"


def test_a_position_is_pasted_as_fen():
    fen = "7k/P7/8/8/8/8/8/4K3 w - - 0 1"
    assert pasted_document(f"  {fen}\n", "chess")["start"] == fen
    with pytest.raises(UnknownPositionError):
        pasted_document("7k/P7 w", "chess")


def test_tags_name_the_game_and_its_start():
    text = '[Variant "Crazyhouse"]\n[FEN "7k/8/8/8/8/8/8/4K3[QNNp] w - - 0 1"]\n\n1. Q@h1+'
    found = pasted_document(text, "chess")
    assert (found["rules"], lines(found)) == ("crazyhouse", ["Q@h1+"])


def test_more_moves_than_the_limit_are_left_out():
    text = " ".join(["Nf3 Nf6 Ng1 Ng8"] * (MOST_MOVES // 4 + 1))
    found = pasted_document('[Variant "Tic-tac-toe"]\n' + "b2 " * 20, "chess")
    assert found["faults"]
    found = pasted_document(text, "crazyhouse")
    assert len(found["nodes"]) <= MOST_MOVES + 1
    assert found["faults"]


@pytest.mark.parametrize("rules", ["chess", "liberty", "crazyhouse"])
async def test_what_the_server_writes_it_reads_again(web, rules):
    async with web() as site:
        record = facts(moves="e2e4 e7e5 g1f3", rules=rules)
        site.database.save(noted([*record, finished(1, Side.WHITE)]))
        text = (await site.ask("/api/games/1.pgn")).text
        answer = await ask(site, "pgn", text=text)
        found = answer.json
        assert found["rules"] == rules
        assert lines(found) == ["e4 e5 Nf3"]
        described = OPENAPI["paths"]["/api/analysis/pgn"]["post"]["responses"]["200"]
        assert fits(found, described["content"]["application/json"]["schema"])


async def test_a_text_that_is_too_long_is_refused(web):
    async with web() as site:
        assert (await ask(site, "pgn", text="x" * 61_441)).status == 400
        assert (await ask(site, "pgn", text="1. e4", rules="nim")).status == 400

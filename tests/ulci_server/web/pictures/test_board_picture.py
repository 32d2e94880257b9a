"""A board as a picture."""

from xml.etree import ElementTree as ET

import pytest

from ulci.rules import GAMES
from ulci_server.web.documents import board
from ulci_server.web.pictures.board_picture import MOST_SIDE, Scene, TooLargeError, board_picture

SVG = "{http://www.w3.org/2000/svg}"


def scene(rules: str = "chess", moves: str = "", start: str | None = None, **more) -> Scene:
    position = GAMES[rules].new(start)
    for move in moves.split():
        position.play_untrusted(move)
    *_, last = ["", *moves.split()]
    return Scene(board(position, position.turn), rules, "Ada – Bob", last, **more)


def drawn(wanted: Scene) -> ET.Element:
    return ET.fromstring(board_picture(wanted))


def places(svg: ET.Element, name: str) -> list[tuple[float, float]]:
    """Where that symbol is, as columns and rows from the top left."""
    uses = [use for group in svg.iter(f"{SVG}g") for use in group.findall(f"{SVG}use")]
    found = [use for use in uses if use.get("href") == f"#{name}"]
    return sorted({(float(use.get("x")) / 45, float(use.get("y")) / 45) for use in found})


def test_pieces_stand_where_they_stand_on_the_page():
    svg = drawn(scene(moves="e2e4"))
    assert places(svg, "k") == [(4, 0), (4, 7)]
    assert (4, 4) in places(svg, "p")
    assert (4, 6) not in places(svg, "p")


def test_black_sits_below_if_that_is_asked_for():
    assert places(drawn(scene(flipped=True)), "k") == [(3, 0), (3, 7)]


def test_the_picture_holds_the_symbols_that_it_uses_and_no_others():
    svg = drawn(scene(start="8/8/8/8/8/4k3/8/4K3 w - - 0 1"))
    assert {symbol.get("id") for symbol in svg.iter(f"{SVG}symbol")} == {"k"}


def test_every_use_finds_its_symbol():
    for rules in GAMES:
        svg = drawn(scene(rules))
        named = {f"#{each.get('id')}" for each in svg.iter() if each.get("id")}
        assert {use.get("href") for use in svg.iter(f"{SVG}use")} <= named, rules


def test_the_last_move_and_a_check_are_marked():
    svg = drawn(scene(moves="f2f3 e7e5 g2g4 d8h4"))
    frames = [rect for rect in svg.iter(f"{SVG}rect") if rect.get("fill") == "none"]
    assert [(rect.get("x"), rect.get("y")) for rect in frames] == [
        ("316.5", "181.5"),  # h4
        ("182.5", "317.5"),  # e1
    ]


def test_pieces_in_hand_are_drawn_beside_the_board():
    svg = drawn(scene("crazyhouse", start="7k/8/8/8/8/8/8/4K3[QNNp] w - - 0 1"))
    assert svg.get("viewBox") == "0 -45 360 450"
    counts = [text.text for text in svg.iter(f"{SVG}text") if text.get("font-size") == "12"]
    assert counts == ["1", "1", "2"]


def test_stones_have_their_own_pictures():
    svg = drawn(scene("tictactoe", "b2 a1"))
    assert places(svg, "stone-x") == [(1, 1)]
    assert places(svg, "stone-o") == [(0, 2)]


def test_what_a_stranger_wrote_is_text():
    shown = scene()._replace(title="<script>alert(1)</script> & \x41")
    shown.board["ranks"][0] = "<&......"
    body = board_picture(shown._replace(rules="<x>"))
    assert b"<script" not in body
    assert ET.fromstring(body).find(f"{SVG}title").text == shown.title


def test_the_largest_board_has_a_picture_of_bounded_size_and_a_larger_one_has_none():
    ranks = ["K" * MOST_SIDE] * MOST_SIDE
    whole = {"ranks": ranks, "turn": "white", "check": [], "pockets": None}
    assert len(board_picture(Scene(whole, "liberty", ""))) < 300_000
    with pytest.raises(TooLargeError):
        board_picture(Scene({**whole, "ranks": ["K" * (MOST_SIDE + 1)]}, "liberty", ""))
    with pytest.raises(TooLargeError):
        board_picture(Scene({**whole, "ranks": []}, "nim", ""))

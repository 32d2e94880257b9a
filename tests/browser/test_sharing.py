"""What one takes along from a game: links, positions, files."""

import re

import pytest

pytestmark = [pytest.mark.system, pytest.mark.slow]


def copied(visitor) -> str:
    return visitor.page.evaluate("navigator.clipboard.readText()")


def test_a_link_leads_to_the_ply_at_which_it_was_copied(visit, finished):
    visitor = visit(f"/games/{finished}", permissions=["clipboard-read", "clipboard-write"])
    visitor.see("[role=gridcell]")
    visitor.page.keyboard.press("ArrowLeft")
    visitor.press("Copy the link")
    visitor.see("#shared", "The link is copied")
    link = copied(visitor)
    assert link.endswith(f"/games/{finished}?ply=3")
    seen = visitor.board()
    friend = visit(link)
    friend.see("[role=gridcell]")
    friend.becomes(friend.board, seen)
    answer = friend.page.request.get(f"/games/{finished}/board.svg?ply=3")
    assert (answer.status, "after ply 3, Nf3" in answer.text()) == (200, True)


def test_a_position_is_copied_as_fen(visit, finished):
    visitor = visit(f"/games/{finished}", permissions=["clipboard-read", "clipboard-write"])
    visitor.see("[role=gridcell]")
    visitor.page.keyboard.press("Home")
    visitor.press("Copy the FEN")
    visitor.see("#shared", "The position is copied")
    assert copied(visitor) == "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def test_without_a_clipboard_the_link_is_selected_in_a_field(visit, finished):
    visitor = visit(f"/games/{finished}", host="games.test")
    visitor.see("[role=gridcell]")
    visitor.press("Copy the link")
    visitor.see("#shared", "Copy it from here")
    selected = visitor.page.evaluate("getSelection().toString()")
    assert re.fullmatch(rf"http://games\.test:\d+/games/{finished}", selected)


def test_a_link_to_a_ply_of_a_running_game_shows_it_while_the_game_goes_on(opponent, visit):
    ada, bob = opponent("Ada"), opponent("Bob")
    number = ada.play(bob)
    ada.move("e2e4")
    bob.move("e7e5")
    ada.hear("go ")
    visitor = visit(f"/games/{number}?ply=1")
    visitor.see(".banner", "Ply 1 of 2; the game goes on")
    ada.say("bestmove g1f3")
    visitor.see(".banner", "Ply 1 of 3; the game goes on")

"""What a person does on the pages, so that tests read as what somebody did."""

import json
import re
from typing import Any

from tests.browser.opponent import Opponent

PATIENCE_MS = 30_000
"""A hang guard."""

POLL_MS = 30


class Visitor:
    """Somebody at a browser. `faults`: what its console said of our pages."""

    def __init__(self, page) -> None:
        self.page = page
        self.faults: list[str] = []
        self.offline = False
        self.name = ""
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", self._hear)

    def _hear(self, message) -> None:
        # The browser itself reports what fails while it is offline, and a 404 that was meant.
        meant = "Failed to load resource" in message.text or (
            self.offline and "WebSocket connection" in message.text
        )
        if message.type == "error" and not meant:
            self.faults.append(message.text)

    # Looking

    def get(self, path: str) -> Any:
        return json.loads(self.page.request.get(path).text())

    def see(self, selector: str, text: str | re.Pattern[str] = "") -> None:
        """Wait until it is shown."""
        found = self.page.locator(selector)
        (found.filter(has_text=text) if text else found).first.wait_for()

    def until(self, script: str) -> None:
        """Wait until this is true in the page. (Playwright's own way needs eval, which the page's
        policy forbids.)"""
        for _ in range(PATIENCE_MS // POLL_MS):
            if self.page.evaluate(script):
                return
            self.page.wait_for_timeout(POLL_MS)
        seen = self.page.locator("main").inner_text()
        raise AssertionError(f"waited in vain until {script}; what is seen: {seen}")

    def board(self) -> dict[str, str]:
        """The pieces by square, as their names say."""
        names = self.page.locator("[role=gridcell]").evaluate_all(
            "cells => cells.map(cell => cell.getAttribute('aria-label'))"
        )
        parts = [name.split(", ") for name in names]
        return {square: piece for square, piece, *_ in parts if piece != "empty"}

    def widest(self) -> int:
        return self.page.evaluate("document.documentElement.scrollWidth")

    # Playing

    def press(self, name: str) -> None:
        """The button of exactly that name."""
        self.page.get_by_role("button", name=name, exact=True).click()

    def come_in(self, name: str) -> None:
        self.name = name
        self.page.get_by_label("Your name").fill(name)
        self.page.get_by_role("button", name="Enter", exact=True).click()
        self.see("#lobby-title")

    def seek(self, game: str, color: str = "", time: str = "300+3") -> None:
        form = self.page.locator("#seek-form")
        form.get_by_label("Game").select_option(game)
        form.get_by_label("Time").fill(time)
        form.get_by_label("Your side").select_option(color)
        form.get_by_role("button", name="Seek a game").click()

    def accept(self) -> None:
        """The first game that somebody offers."""
        self.page.locator("#seeks button").first.click()
        self.begun()

    def play_against(self, rival: Opponent, terms: str = "") -> None:
        """Be challenged by somebody who wants to be Black, and accept."""
        rival.say(f"challenge {self.name} color black {terms}".rstrip())
        self.page.get_by_role("button", name=f"Accept: {rival.name}").click()
        self.see("#table .status", "Your move")

    def begun(self) -> None:
        self.see("#table .status")
        self.see("#table [role=gridcell]")

    @property
    def game(self) -> str:
        return self.page.locator("#table-page").get_attribute("href").rpartition("/")[2]

    @property
    def status(self) -> str:
        return self.page.locator(".status").inner_text()

    def my_turn(self) -> bool:
        """Wait until it is; False: the game is over."""
        self.until(
            "!!document.querySelector('ulci-board')?.legal.size"
            " || !document.querySelector('#act-leave').hidden"
        )
        return self.page.evaluate("document.querySelector('#act-leave').hidden")

    def legal(self) -> dict[str, str]:
        """Legal moves and their notation."""
        return self.get(f"/api/games/{self.game}/legal")["san"]

    def square(self, name: str):
        return self.page.locator(f"[data-square={name}]")

    def click_move(self, move: str) -> None:
        """Click where it comes from, where it goes, and on what it becomes."""
        found = re.fullmatch(r"([a-z]+\d+)([a-z]+\d+)([a-z]?)", move)
        if found is None:
            self.square(move).click()
            return
        self.square(found[1]).click()
        self.square(found[2]).click()
        if found[3]:
            names = {"q": "queen", "r": "rook", "b": "bishop", "n": "knight"}
            self.page.get_by_role("dialog").get_by_role("button", name=names[found[3]]).click()

    def type_move(self, text: str) -> None:
        self.page.get_by_label("Type a move").fill(text)
        self.page.get_by_label("Type a move").press("Enter")

    @property
    def moves_said(self) -> int:
        """How many moves are in the list."""
        return self.page.locator(".moves button").count()

    def said_move(self, plies: int) -> None:
        """Wait until so many moves are in the list."""
        self.until(f"document.querySelectorAll('.moves button').length >= {plies}")

    def resign(self) -> None:
        self.page.get_by_role("button", name="Resign").click()
        self.page.get_by_role("dialog").get_by_role("button", name="Resign").click()


def judged(visitor: Visitor, axe: str) -> list[str]:
    """The serious faults that axe-core finds."""
    visitor.page.evaluate(axe)
    found = visitor.page.evaluate("axe.run().then(({ violations }) => violations)")
    return [
        f"{one['id']}: {one['help']}: {[node['html'][:120] for node in one['nodes']][:3]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]

"""What a person does on the pages, so that tests read as what somebody did."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.browser.opponent import Opponent

PATIENCE_MS = 30_000
"""A hang guard."""

POLL_MS = 30
SLOWEST_POLL_MS = 240


def expect(shown):
    """Playwright's assertions, each of which waits until it holds."""
    from playwright.sync_api import expect as patient

    patient.set_options(timeout=PATIENCE_MS)
    return patient(shown)


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

    def is_here(self, name: str) -> bool | None:
        """What the server says of a player; None: it knows none of that name."""
        players = self.get("/api/players")["players"]
        return next((player["here"] for player in players if player["name"] == name), None)

    def see(self, selector: str, text: str | re.Pattern[str] = "") -> None:
        """Wait until it is shown."""
        found = self.page.locator(selector)
        (found.filter(has_text=text) if text else found).first.wait_for()

    def _looks(self) -> Iterator[None]:
        """Of ever longer pauses, as looking takes the processor from what is waited for."""
        waited, pause = 0, POLL_MS
        while waited < PATIENCE_MS:
            yield
            self.page.wait_for_timeout(pause)
            waited += pause
            pause = min(2 * pause, SLOWEST_POLL_MS)

    def until(self, script: str) -> None:
        """Wait until this is true in the page. (Playwright's own way needs eval, which the page's
        policy forbids.)"""
        for _ in self._looks():
            if self.page.evaluate(script):
                return
        seen = self.page.locator("main").inner_text()
        raise AssertionError(f"waited in vain until {script}; what is seen: {seen}")

    def becomes(self, read: Callable[[], Any], wanted: Any) -> None:
        """Wait until that is what is read: of the server, which may be about to do it, or of the
        page."""
        for _ in self._looks():
            if read() == wanted:
                return
        assert read() == wanted

    def board_shows(self, **pieces: str) -> None:
        """Wait until each of these squares has this piece, or is ``empty``."""
        self.becomes(lambda: {s: self.board().get(s, "empty") for s in pieces}, pieces)

    def focused(self, what: str, wanted: str) -> None:
        """Wait until this of the element that has the focus is that: ``dataset.square``."""
        self.until(f"document.activeElement?.{what} === {json.dumps(wanted)}")

    def board(self) -> dict[str, str]:
        """The pieces by square, as their names say."""
        names = self.page.locator("[role=gridcell]").evaluate_all(
            "cells => cells.map(cell => cell.getAttribute('aria-label'))"
        )
        parts = [name.split(", ") for name in names]
        return {square: piece for square, piece, *_ in parts if piece != "empty"}

    def read_all(self) -> None:
        """Wait until the page has read what the server has answered so far."""
        self.page.evaluate("fetch('/livez', { cache: 'no-store' }).then((answer) => answer.text())")

    def widest(self) -> int:
        return self.page.evaluate("document.documentElement.scrollWidth")

    @contextmanager
    def pressing(self, target) -> Iterator[None]:
        """Hold the mouse's button down on it; the click comes with the end of the block, where it
        is then."""
        self._point_at(target)
        self.page.mouse.down()
        yield
        self._point_at(target)
        self.page.mouse.up()

    def _point_at(self, target) -> None:
        box = target.bounding_box()
        self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    # Playing

    def press(self, name: str) -> None:
        """The button of exactly that name."""
        self.page.get_by_role("button", name=name, exact=True).click()

    def come_in(self, name: str) -> None:
        self.come_in_to_play(name)
        self.see("#lobby-title")

    def come_in_to_play(self, name: str) -> None:
        """By an invitation, where a game begins at once."""
        self.name = name
        self.page.get_by_label("Your name").fill(name)
        self.page.get_by_role("button", name="Enter", exact=True).click()

    def seek(self, game: str, color: str = "", time: str = "300+3") -> None:
        self.choose(game, color, time)
        self.press("Play anybody")

    def choose(self, game: str, color: str = "", time: str = "") -> None:
        """A game, a side, and a time as text."""
        form = self.page.locator("#seek-form")
        radio = form.locator(f"[name=game][value='{game}']")
        if not radio.count():
            form.locator("#more-games > summary").click()
        radio.check()
        form.locator(f"[name=color][value='{color}']").check()
        if time:
            self.type_time(time)

    def type_time(self, time: str) -> None:
        field = self.page.get_by_label("Time as text")
        if not field.is_visible():
            self.page.locator("#more-terms > summary").click()
        field.fill(time)

    def accept(self) -> None:
        """The first game that somebody offers."""
        self.page.locator("#seeks button").first.click()
        self.begun()

    def play_against(self, rival: Opponent, terms: str = "") -> None:
        """Be challenged by somebody who wants to be Black, and accept."""
        rival.say(f"challenge {self.name} color black {terms}".rstrip())
        self.page.get_by_role("button", name=f"Accept: {rival.name}").click()
        rival.hear("position ")  # which it is told when both are ready: now the game has begun
        self.see("#table .status", "Your move")

    def begun(self) -> None:
        """Wait until the game is shown, and the server hears the page: one that was loaded again
        shows its game before that, and can say nothing yet."""
        self.see("#table .status")
        self.see("#table [role=gridcell]")
        expect(self.page.locator("#me")).not_to_be_empty()

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

    def finished_game(self) -> dict[str, Any]:
        """The game as the server has it when it is over."""
        path = f"/api/games/{self.game}"
        self.becomes(lambda: self.get(path)["state"], "finished")
        return self.get(path)

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


def in_both_schemes(visitor: Visitor) -> Iterator[str]:
    """Shows the page in light colors, and then in dark ones."""
    for scheme in ("light", "dark"):
        visitor.page.emulate_media(color_scheme=scheme)
        yield scheme


AXE_OPTIONS = "{ resultTypes: ['violations'], selectors: false }"
"""It makes no list of all that is right, nor paths to what is wrong: half of its time."""


def judged(visitor: Visitor, axe: str) -> list[str]:
    """The serious faults that axe-core finds."""
    if visitor.page.evaluate("!globalThis.axe"):
        visitor.page.evaluate(axe)
    found = visitor.page.evaluate(f"axe.run({AXE_OPTIONS}).then(({{ violations }}) => violations)")
    return [
        f"{one['id']}: {one['help']}: {[node['html'][:120] for node in one['nodes']][:3]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]

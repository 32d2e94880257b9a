"""Somebody with nothing but a finger, on a phone."""

import re

from tests.browser.pages import PATIENCE_MS, POLL_MS, Visitor

LEAST = 24
"""CSS pixels that a target has at least, by WCAG 2.2, 2.5.8."""

HANDY = 44
"""The same by 2.5.5, for what is tapped in haste."""

LONG_PRESS_MS = 800

PROMOTIONS = {"q": "queen", "r": "rook", "b": "bishop", "n": "knight"}

TARGET = """
(element) => {
  const { width, height } = (element.closest('label') ?? element).getBoundingClientRect();
  return { width, height };
}
"""
"""Where a tap means this element: a label is tapped for its field."""

Name = str | re.Pattern[str]


class Finger:
    """It taps nothing that is smaller than `LEAST`."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor
        self.page = visitor.page
        self.touches = self.page.context.new_cdp_session(self.page)

    # What both hands can do

    def press(self, name: Name, role: str = "button") -> None:
        self._tap(self.page.get_by_role(role, name=name, exact=True))

    def follow(self, name: Name) -> None:
        """The first link of that name: a player's is also beside the board."""
        self._tap(self.page.get_by_role("link", name=name, exact=True).first)

    def answer(self, name: Name) -> None:
        """By that button of the dialog that opens."""
        dialog = self.page.get_by_role("dialog")
        dialog.wait_for()
        self._tap(dialog.get_by_role("button", name=name, exact=True))

    def leave_dialog(self) -> None:
        """By a tap beside it."""
        dialog = self.page.get_by_role("dialog")
        dialog.wait_for()
        self.page.touchscreen.tap(5, 5)
        dialog.wait_for(state="detached")

    def unfold(self, summary: str) -> None:
        self._tap(self.page.locator("summary", has_text=summary))

    def fill(self, label: str, text: str) -> None:
        field = self.page.get_by_label(label, exact=True).filter(visible=True)
        self._tap(field)
        assert field.evaluate("field => field === document.activeElement")
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(text)  # as a phone's own keyboard does

    def send(self, button: str) -> None:
        """What was filled in."""
        self.press(button)

    def check(self, label: Name) -> None:
        """A radio button, or a box whether it was checked or not."""
        self._tap(self.page.get_by_label(label, exact=isinstance(label, str)))

    def choose(self, label: str, option: str) -> None:
        """The list that opens is the browser's own, which no test reaches: only that a tap opens
        it is seen here."""
        field = self.page.get_by_role("combobox", name=label, exact=True)
        assert self._size(field) >= LEAST
        field.select_option(label=option)

    def move(self, move: str) -> None:
        """Tap where it comes from, where it goes, and on what it becomes."""
        drop = re.fullmatch(r"([A-Z])@([a-z]+\d+)", move)
        if drop:
            self._tap(self.page.locator(f".pocket-piece:enabled[data-drop='{drop[1]}@']"))
            self._tap(self.visitor.square(drop[2]))
            return
        found = re.fullmatch(r"([a-z]+\d+)([a-z]+\d+)([a-z]?)", move)
        assert found
        for square in found[1], found[2]:
            self._tap(self.visitor.square(square))
        if found[3]:
            self.answer(PROMOTIONS[found[3]])

    def put_back(self, square: str) -> None:
        """What was picked up there, or chosen ahead."""
        self._tap(self.visitor.square(square))

    # A finger alone

    def middle(self, square: str) -> tuple[float, float]:
        box = self.visitor.square(square).bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def down(self, at: tuple[float, float]) -> None:
        self._touch("touchStart", at)

    def slide(self, start: tuple[float, float], end: tuple[float, float], steps: int = 4) -> None:
        for step in range(1, steps + 1):
            share = step / steps
            at = tuple(a + (b - a) * share for a, b in zip(start, end, strict=True))
            self._touch("touchMove", (at[0], at[1]))

    def up(self) -> None:
        self._touch("touchEnd", None)

    def hold(self, square: str) -> None:
        """Long enough for what a browser does when a finger stays where it is."""
        x, y = self.middle(square)
        gesture = {"x": x, "y": y, "duration": LONG_PRESS_MS, "gestureSourceType": "touch"}
        self.touches.send("Input.synthesizeTapGesture", gesture)

    def drag(self, start: str, end: str) -> None:
        """A piece, from square to square."""
        square = self.visitor.square(start)
        square.scroll_into_view_if_needed()
        self.down(self.middle(start))
        self.slide(self.middle(start), self.middle(end))
        self.up()

    def _touch(self, kind: str, at: tuple[float, float] | None) -> None:
        points = [{"x": at[0], "y": at[1]}] if at else []
        self.touches.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def _size(self, locator) -> float:
        """The smaller side of what is tapped, once it is drawn: a list may just be drawn anew."""
        for _ in range(PATIENCE_MS // POLL_MS):
            box = locator.evaluate(TARGET)
            if box["width"]:
                break
            self.page.wait_for_timeout(POLL_MS)
        return min(box["width"], box["height"])

    def _tap(self, locator) -> None:
        locator.wait_for()
        size = self._size(locator)
        assert size >= LEAST, f"{locator} is {size} px small"
        locator.tap()

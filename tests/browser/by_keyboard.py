"""Somebody with nothing but a keyboard, who has to see where the focus is."""

import re
from dataclasses import dataclass

from tests.browser.pages import Visitor, expect

PROMOTIONS = {"q": "queen", "r": "rook", "b": "bishop", "n": "knight"}

RING = 2
"""CSS pixels that a frame around the focus has at least, by WCAG 2.2, 2.4.13."""

UNSEEN = f"""
(() => {{
  const at = document.activeElement;
  if (at === document.body) return "";
  const ringed = [at, at.closest("label"), at.nextElementSibling].some((one) => {{
    if (!one) return false;
    const {{ outlineStyle, outlineWidth }} = getComputedStyle(one);
    return outlineStyle !== "none" && parseFloat(outlineWidth) >= {RING};
  }});
  if (!ringed) return "no frame shows that it has the focus";
  const part = at.matches("input") ? at.closest("label") ?? at : at;
  const {{ left, right, top, bottom }} = part.getBoundingClientRect();
  const [x0, x1] = [Math.max(left, 0), Math.min(right, innerWidth)];
  const [y0, y1] = [Math.max(top, 0), Math.min(bottom, innerHeight)];
  if (x1 <= x0 || y1 <= y0) return "it is out of sight";
  const shares = [0.1, 0.5, 0.9];
  const seen = shares.some((x) => shares.some((y) => {{
    const top = document.elementFromPoint(x0 + (x1 - x0) * x, y0 + (y1 - y0) * y);
    return top && (part.contains(top) || top.contains(part));
  }}));
  return seen ? "" : "something lies over it";
}})()
"""
"""Why whoever looks at the page does not see what has the focus."""

STEPS = {"ArrowRight": (1, 0), "ArrowLeft": (-1, 0), "ArrowUp": (0, 1), "ArrowDown": (0, -1)}

Name = str | re.Pattern[str]


@dataclass(frozen=True)
class Focused:
    """What has the focus, as the browser tells it to a screen reader. node: the browser's number
    of it."""

    role: str
    name: str
    node: int

    def called(self, name: Name) -> bool:
        return self.name == name if isinstance(name, str) else bool(name.search(self.name))


class Keys:
    """Each stop of Tab has to be seen."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor
        self.page = visitor.page
        self._tree = self.page.context.new_cdp_session(self.page)

    # What both hands can do

    def press(self, name: Name, role: str = "button") -> None:
        self.to(name, role)
        self.page.keyboard.press("Enter")

    def follow(self, name: Name) -> None:
        self.press(name, "link")

    def answer(self, name: Name) -> None:
        """By that button of the dialog that opens."""
        self.page.get_by_role("dialog").wait_for()
        self.press(name)

    def leave_dialog(self) -> None:
        dialog = self.page.get_by_role("dialog")
        dialog.wait_for()
        self.page.keyboard.press("Escape")
        dialog.wait_for(state="detached")

    def unfold(self, summary: str) -> None:
        self.page.locator("summary", has_text=summary).wait_for()
        self.to(re.compile(re.escape(summary)), "DisclosureTriangle")
        self.page.keyboard.press("Enter")

    def fill(self, label: str, text: str) -> None:
        self.page.get_by_label(label, exact=True).filter(visible=True).wait_for()
        self.to(label, "textbox", "searchbox", "spinbutton")
        self.page.keyboard.press("Control+a")
        self.page.keyboard.type(text)

    def send(self, button: str) -> None:
        """Submit a form by Enter, which does nothing while the form's button is disabled."""
        expect(self.page.get_by_role("button", name=button, exact=True)).to_be_enabled()
        self.page.keyboard.press("Enter")

    def check(self, label: Name) -> None:
        """A radio button, or a box whether it was checked or not."""
        target = self.page.get_by_label(label, exact=isinstance(label, str))
        target.wait_for()
        if target.get_attribute("type") == "checkbox":
            self.to(label, "checkbox")
            self.page.keyboard.press("Space")
            return
        group = target.get_attribute("name")
        self._to(lambda: self._radio_of(group), f"a radio button of {group}")
        self.to(label, "radio", key="ArrowDown")
        assert target.is_checked()

    def choose(self, label: str, option: str) -> None:
        self.page.get_by_role("combobox", name=label, exact=True).wait_for()
        self.to(label, "combobox")
        chosen = "document.activeElement.selectedOptions[0].text"
        self.page.keyboard.press("Home")
        while (seen := self.page.evaluate(chosen)) != option:
            self.page.keyboard.press("ArrowDown")
            assert self.page.evaluate(chosen) != seen, f"{label} has no {option}"

    def move(self, move: str) -> None:
        """Go onto the board and from square to square; Enter picks up and puts down."""
        drop = re.fullmatch(r"([A-Z])@([a-z]+\d+)", move)
        if drop:
            piece = self.page.locator(f".pocket-piece:enabled[data-drop='{drop[1]}@']")
            piece.wait_for()
            self.press(piece.get_attribute("aria-label"))
            self._act(drop[2])
            return
        found = re.fullmatch(r"([a-z]+\d+)([a-z]+\d+)([a-z]?)", move)
        assert found
        for square in found[1], found[2]:
            self._act(square)
        if found[3]:
            self.answer(PROMOTIONS[found[3]])

    def put_back(self, square: str) -> None:
        """What was picked up, or chosen ahead."""
        del square
        self.page.keyboard.press("Escape")

    # A keyboard alone

    def to(self, name: Name, *roles: str, key: str = "Tab") -> None:
        """Press the key until that has the focus."""
        if roles[:1] in (("button",), ("link",)):
            self.page.get_by_role(roles[0], name=name, exact=True).first.wait_for()
        self._to(
            lambda: self.focused().called(name) and (not roles or self.focused().role in roles),
            f"{' or '.join(roles)} {name}",
            key,
        )

    def round(self) -> list[Focused]:
        """All that Tab leads to, until it comes to the first again."""
        stops: list[Focused] = []
        while True:
            self.page.keyboard.press("Tab")
            here = self.focused()
            if len(stops) > 1 and here.node == stops[0].node:
                return stops
            self._look()
            stops.append(here)

    def focused(self) -> Focused:
        here = self._tree.send("Runtime.evaluate", {"expression": "document.activeElement"})
        asked = {"objectId": here["result"]["objectId"], "fetchRelatives": False}
        node = self._tree.send("Accessibility.getPartialAXTree", asked)["nodes"][0]
        role, name = (node.get(key, {}).get("value") for key in ("role", "name"))
        return Focused(role or "", name or "", node["backendDOMNodeId"])

    def _to(self, reached, what: str, key: str = "Tab") -> None:
        passed: list[Focused] = []
        while not reached():
            here = self.focused()
            if here in passed and here != passed[-1]:  # a date has several stops of its own
                names = [f"{one.role} {one.name}" for one in passed]
                raise AssertionError(f"{key} never reaches {what}, but {names}")
            passed.append(here)
            self.page.keyboard.press(key)
        self._look()

    def _look(self) -> None:
        why = self.page.evaluate(UNSEEN)
        assert not why, f"{self.focused()}: {why}"

    def _radio_of(self, group: str) -> bool:
        return self.page.evaluate(
            "group => { const { type, name } = document.activeElement;"
            " return type === 'radio' && name === group; }",
            group,
        )

    def _act(self, square: str) -> None:
        """Enter on that square."""
        self._to(lambda: self.focused().role == "gridcell", "the board")
        flipped = self.page.evaluate("document.querySelector('ulci-board').flipped")
        turn = -1 if flipped else 1
        while (here := self._square()) != square:
            across, up = (b - a for a, b in zip(_place(here), _place(square), strict=True))
            step = (turn * (across > 0) - turn * (across < 0), 0) if across else (
                0, turn * (up > 0) - turn * (up < 0))  # fmt: skip
            [key] = (key for key, way in STEPS.items() if way == step)
            self.page.keyboard.press(key)
            assert self._square() != here, f"{key} leads nowhere from {here}"
            self._look()
        self.page.keyboard.press("Enter")

    def _square(self) -> str:
        return self.page.evaluate("document.activeElement.dataset.square")


def _place(square: str) -> tuple[int, int]:
    """File and rank of one on a board of at most 26 files."""
    return ord(square[0]), int(square[1:])

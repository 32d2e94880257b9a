"""A real browser on the real server, with engines as opponents.

Debian's chromium-headless-shell and the package playwright are needed; neither brings the other.
`ULCI_TEST_SCREENSHOTS=FOLDER` keeps what the tests of sizes saw, to be looked at."""

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from tests.browser.by_keyboard import Keys
from tests.browser.by_touch import Finger
from tests.browser.opponent import Opponent
from tests.browser.pages import Visitor
from tests.conftest import REQUIRE_ALL
from tests.support import nim
from tests.support.bridges import Bridge, bridged
from tests.support.servers import Server, serving

CHROMIUM = Path("/usr/bin/chromium-headless-shell")
HOUSE = (sys.executable, "-m", "ulci_client.house_engine", "--dialect", "ulci")

AXE = "ULCI_TEST_AXE"

DESKTOP, PHONE = (1280, 800), (380, 700)


def _missing(what: str) -> None:
    if os.environ.get(REQUIRE_ALL):
        pytest.fail(f"{what} is missing")
    pytest.skip(f"{what} is missing")


@contextmanager
def _chromium():
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("playwright (pip install playwright)")
    if not CHROMIUM.exists():
        _missing(f"{CHROMIUM} (apt-get install chromium-headless-shell)")
    with sync_playwright() as playwright:
        # As root, and in containers, Chromium cannot make its sandbox.
        options = ["--no-sandbox", "--host-resolver-rules=MAP *.test 127.0.0.1"]
        # A page of elsewhere, which a test makes up, frames a game of this machine.
        options.append("--disable-features=LocalNetworkAccessChecks")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        yield browser
        browser.close()


class _Shared:
    """The browser of all tests of this folder, which takes a second to start: from the first that
    asks for it to the last that runs before one of another folder. (It has a loop of asyncio in
    this thread, which is no place for the loop of another test.)"""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._browser = None

    def start(self):
        if self._browser is None or not self._browser.is_connected():
            self.close()
            self._browser = self._open.enter_context(_chromium())
        return self._browser

    def close(self) -> None:
        self._browser = None
        self._open.close()


_shared = _Shared()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    if nextitem is None or Path(__file__).parent not in nextitem.path.parents:
        _shared.close()


@pytest.fixture
def chromium():
    """The browser, in which each visitor has a context of its own."""
    return _shared.start()


CONFIG = """
listen = [{ address = "tcp://127.0.0.1:0" }, { address = "ws://127.0.0.1:0" }]
[shutdown]
grace = 0
[play]
delay = 0
"""

CHESS = """
[[pool]]
name = "chess"
time = "300+3"
"""
"""The only pool, unless a test asks for those that a server has by default."""


NIM = f"""
[[game]]
name = "nim"
referee = ["{sys.executable}", "{nim.__file__}"]
[[pool]]
name = "nim"
game = "nim"
time = "60+1"
"""
"""A game that the server does not know, and its referee."""


@contextmanager
def pages_server(
    folder: Path, more: str = "", pools: str = CHESS, options: Sequence[str] = (), play: str = ""
) -> Iterator[Server]:
    """A server with pages, which logs no error. `options`: of its command line. `play`: of its
    configuration's section."""
    config = folder / "server.toml"
    config.write_text(CONFIG + play + pools + more)
    with serving(folder, "--config", str(config), *options) as running:
        yield running
    errors = re.findall(r".*\[(?:error|critical) .*", running.log.read_text())
    assert not errors, errors


@pytest.fixture
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    """Its parameter, if it has one, is more of its configuration."""
    with pages_server(tmp_path, getattr(request, "param", "")) as running:
        yield running


@pytest.fixture
def opponent(server: Server) -> Iterator[Callable[..., Opponent]]:
    """Lets somebody of that name come in by TCP, who plays what the test says."""
    with ExitStack() as stack:

        def come_in(name: str, kind: str = "username") -> Opponent:
            return stack.enter_context(closing(Opponent(server.port(), name, kind)))

        yield come_in


@pytest.fixture
def finished(opponent: Callable[..., Opponent]) -> str:
    """The number of a game of four plies."""
    ada, bob = opponent("Ada"), opponent("Bob")
    number = ada.play(bob)
    for move, answer in (("e2e4", "e7e5"), ("g1f3", "b8c6")):
        ada.move(move)
        bob.move(answer)
    ada.hear("go ")
    ada.say("resign")
    bob.hear("lobby game", " over ")
    return number


@pytest.fixture
def engine(server: Server) -> Iterator[Callable[..., Bridge]]:
    """Lets the house engine seek a game, with these options of the bridge."""
    with ExitStack() as stack:

        def start(*options: str, name: str = "engine") -> Bridge:
            address = f"tcp://127.0.0.1:{server.port()}"
            argv = ("--server", address, "--name", name, *options, "--", *HOUSE)
            return stack.enter_context(bridged(server.folder, name, *argv))

        yield start


KEPT_FOR_PAGES = "cookies,local_storage,indexeddb,cache_storage,service_workers"
"""All that a browser keeps for a page, but its files."""


class Contexts:
    """Browsers of visitors, each of which keeps nothing for the next visitor but the files of the
    server's pages: they take longer to fetch than all else on a page."""

    def __init__(self, chromium, server: Server) -> None:
        self.chromium = chromium
        self.server = server
        self._unused: dict[str, list] = {}

    def open(self, base: str, **options):
        """A context, and a page in it."""
        kept = self._unused.setdefault(_key(base, options), [])
        while kept:
            context = kept.pop()
            page = context.new_page()
            if page.evaluate("String(Date.now).includes('[native code]')"):
                session = context.new_cdp_session(page)
                storage = {"origin": base, "storageTypes": KEPT_FOR_PAGES}
                session.send("Storage.clearDataForOrigin", storage)
                session.detach()
                return context, page
            context.close()  # its clock was replaced, and stays so
        context = self.chromium.new_context(base_url=base, **options)
        return context, context.new_page()

    def leave(self, context, base: str, **options) -> None:
        """The visitor closes all pages."""
        for page in context.pages:
            page.close()
        context.set_offline(False)
        self._unused[_key(base, options)].append(context)

    def close(self) -> None:
        if self.chromium.is_connected():
            for context in chain.from_iterable(self._unused.values()):
                context.close()


def _key(base: str, options: dict) -> str:
    return f"{base} {sorted(options.items())}"


@pytest.fixture(scope="module")
def contexts_of() -> Iterator[Callable[..., Contexts]]:
    """Those of a server, until another one is asked for."""
    kept: list[Contexts] = []

    def of(chromium, server: Server) -> Contexts:
        if not kept or (kept[0].chromium, kept[0].server) != (chromium, server):
            while kept:
                kept.pop().close()
            kept.append(Contexts(chromium, server))
        return kept[0]

    yield of
    for contexts in kept:
        contexts.close()


@pytest.fixture
def visit(chromium, contexts_of, server: Server) -> Iterator[Callable[..., Visitor]]:
    """Opens a page of the server in a browser of its own, under a name that ends with ``.test`` or
    an address of this machine. Whatever the browser's console holds against us fails the test."""
    contexts = contexts_of(chromium, server)
    with ExitStack() as stack:
        visitors = []

        def open_page(
            path: str = "/",
            size: tuple[int, int] = DESKTOP,
            port: int = 0,
            host: str = "127.0.0.1",
            **options,
        ) -> Visitor:
            base = f"http://{host}:{port or server.port('ws')}"
            options["viewport"] = {"width": size[0], "height": size[1]}
            context, page = contexts.open(base, **options)
            stack.callback(contexts.leave, context, base, **options)
            visitor = Visitor(page)
            visitors.append(visitor)
            visitor.page.goto(path)
            return visitor

        yield open_page
        faults = [fault for visitor in visitors for fault in visitor.faults]
        assert not faults, faults


TOUCH = {"size": PHONE, "has_touch": True, "is_mobile": True}
HANDS: dict[str, tuple[type[Finger | Keys], dict[str, Any]]] = {
    "touch": (Finger, TOUCH),
    "keyboard": (Keys, {}),
}


@pytest.fixture(params=HANDS)
def come(request: pytest.FixtureRequest, visit) -> Callable[..., Finger | Keys]:
    """Opens a page like `visit`, for somebody who has only that; once for each."""
    hand, options = HANDS[request.param]
    return lambda path="/play", **more: hand(visit(path, **options, **more))


@pytest.fixture(scope="session")
def axe() -> str:
    path = os.environ.get(AXE)
    if not path:
        _missing(f"{AXE} (npm pack axe-core)")
    return Path(path).read_text()

"""A real browser on the real server, with engines as opponents.

Debian's chromium-headless-shell and the package playwright are needed; neither brings the other.
`ULCI_TEST_SCREENSHOTS=FOLDER` keeps what the tests of sizes saw, to be looked at."""

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

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


@pytest.fixture(scope="module")
def chromium():
    """The browser, which takes a second to start."""
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


CONFIG = """
listen = [{ address = "tcp://127.0.0.1:0" }, { address = "ws://127.0.0.1:0" }]
[play]
delay = 0
away = 1
[shutdown]
grace = 0
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
    folder: Path, more: str = "", pools: str = CHESS, options: Sequence[str] = ()
) -> Iterator[Server]:
    """A server with pages, which logs no error. `options`: of its command line."""
    config = folder / "server.toml"
    config.write_text(CONFIG + pools + more)
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
def engine(server: Server) -> Iterator[Callable[..., Bridge]]:
    """Lets the house engine seek a game, with these options of the bridge."""
    with ExitStack() as stack:

        def start(*options: str, name: str = "engine") -> Bridge:
            address = f"tcp://127.0.0.1:{server.port()}"
            argv = ("--server", address, "--name", name, *options, "--", *HOUSE)
            return stack.enter_context(bridged(server.folder, name, *argv))

        yield start


@pytest.fixture
def visit(chromium, server: Server) -> Iterator[Callable[..., Visitor]]:
    """Opens a page of the server in a browser of its own, under a name that ends with ``.test`` or
    an address of this machine. Whatever the browser's console holds against us fails the test."""
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
            viewport = {"width": size[0], "height": size[1]}
            context = chromium.new_context(base_url=base, viewport=viewport, **options)
            stack.callback(context.close)
            visitor = Visitor(context.new_page())
            visitors.append(visitor)
            visitor.page.goto(path)
            return visitor

        yield open_page
        faults = [fault for visitor in visitors for fault in visitor.faults]
        assert not faults, faults


@pytest.fixture(scope="module")
def axe() -> str:
    path = os.environ.get(AXE)
    if not path:
        _missing(f"{AXE} (npm pack axe-core)")
    return Path(path).read_text()

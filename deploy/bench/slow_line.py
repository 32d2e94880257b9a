"""How soon a page is there over a slow line, in a real browser: 150 ms there and back, 1.6 Mbit/s.

``slow_line.py [--rounds 5]`` starts a server with a running and a finished game and asks Chromium
(Debian's chromium-headless-shell, by playwright) for its first page: with nothing kept, and again.
Prints medians: ms until the page, until the first data of the API, and until the lists of running
and of finished games stand on it; requests, and bytes as they travel.
"""

import argparse
import statistics
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dearest_lines import game
from hostile_guest import Host
from measured_server import served
from players import prepared_game

CHROMIUM = Path("/usr/bin/chromium-headless-shell")
LATENCY_MS, BITS_A_SECOND = 150, 1_600_000
PLIES = 40
PATIENCE_MS = 60_000

CONFIG = """
listen = [{ address = "tcp://127.0.0.1:0" }, { address = "ws://127.0.0.1:0" }]
[database]
url = "sqlite:///{folder}/games.sqlite"
[[pool]]
name = "chess"
time = "600+5"
"""

WATCH = """
(() => {
  const seen = {};
  const look = () => {
    const lists = { running: "#boards .game-card", finished: "#finished tr" };
    for (const [name, selector] of Object.entries(lists)) {
      if (!(name in seen) && document.querySelector(selector)) seen[name] = performance.now();
    }
  };
  window.seen = seen;
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
})()
"""
MEASURED = """
() => {
  const files = performance.getEntriesByType("resource");
  const [page] = performance.getEntriesByType("navigation");
  const api = files.filter((file) => file.name.includes("/api/")).map((file) => file.responseEnd);
  return { page: page.responseEnd, data: Math.min(...api), ...window.seen };
}
"""
COLUMNS = ("page", "data", "running", "finished", "requests", "kB")


def play(host: Host, *, to_the_end: bool) -> None:
    """A game of `PLIES` plies, which White then resigns or which goes on."""
    white, black = game(host, b"game chess time 600+5")
    for ply, move in enumerate(prepared_game()[:PLIES]):
        mover = black if ply % 2 else white
        if ply:
            mover.wait_for(b"go wtime")
        mover.say(move)
    white.wait_for(b"go wtime")
    if to_the_end:
        white.say(b"resign")
        black.wait_for(b" over ")


def visited(context: Any, url: str, slow: Mapping[str, Any]) -> Mapping[str, float]:
    """A visit of a new page of the browser."""
    page = context.new_page()
    wire = context.new_cdp_session(page)
    wire.send("Network.enable")
    wire.send("Network.emulateNetworkConditions", slow)
    sizes: list[float] = []
    wire.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    page.add_init_script(WATCH)
    page.goto(url, wait_until="commit")
    page.locator("#boards .game-card").first.wait_for(timeout=PATIENCE_MS)
    page.locator("#finished tr").first.wait_for(timeout=PATIENCE_MS)
    page.wait_for_timeout(1000)
    seen: dict[str, float] = page.evaluate(MEASURED)
    sent = [size for size in sizes if size > 0]
    page.close()
    return {**seen, "requests": len(sent), "kB": sum(sent) / 1000}


def parsed(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("--rounds", type=int, default=5, help="visits of each kind; their medians are told")
    add("--latency", type=float, default=LATENCY_MS, help="ms, there and back")
    add("--server-cpu", type=int, default=0)
    return parser.parse_args(argv)


def main() -> None:
    """Print what was seen."""
    from playwright.sync_api import sync_playwright

    options = parsed()
    rate = BITS_A_SECOND / 8
    slow = {"offline": False, "latency": options.latency}
    slow |= {"downloadThroughput": rate, "uploadThroughput": rate}
    seen: dict[str, list[Mapping[str, float]]] = {"first visit": [], "again": []}
    with served(CONFIG, options.server_cpu) as server, sync_playwright() as playwright:
        host = Host(server.ports["tcp"], "tcp", "127.0.0.1")
        play(host, to_the_end=True)
        play(host, to_the_end=False)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        url = f"http://127.0.0.1:{server.ports['ws']}/"
        for number in range(options.rounds):
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr, flush=True)
            context = browser.new_context(viewport={"width": 380, "height": 700})
            for name in seen:
                seen[name].append(visited(context, url, slow))
            context.close()
        browser.close()
        host.close()
    print(f"{'':12}" + "".join(f"{name:>10}" for name in COLUMNS))
    for name, visits in seen.items():
        figures = (statistics.median(visit[column] for visit in visits) for column in COLUMNS)
        print(f"{name:12}" + "".join(f"{figure:10.0f}" for figure in figures))


if __name__ == "__main__":
    main()

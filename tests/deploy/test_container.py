"""The container: what its files promise holds, and it builds where something can build it."""

import functools
import http.server
import ipaddress
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from tests.support.containerfile import (
    CONTAINERFILE,
    IGNORED,
    ROOT,
    copied,
    health_check,
    options_of_serve,
    stages,
    values,
)
from tests.support.ports import closed_port
from tests.support.servers import PATIENCE, Server, serving
from ulci_server.app.running import FAREWELL, LAST_COMMIT
from ulci_server.config import Config, load

DEPLOY = ROOT / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
SERVICES = COMPOSE["services"]

BUILD, IMAGE = stages()

BUILDING = 900
"""Seconds for a build: it fetches an image of Python and all dependencies."""

pytestmark = pytest.mark.timeout(2 * BUILDING)


def seconds(text: str) -> int:
    return int(text.removesuffix("s"))


def listeners(options: list[str]) -> list[str]:
    """The URLs of ``--listen``."""
    return [url for option, url in pairwise(options) if option == "--listen"]


def test_what_the_image_is_made_of_exists_and_is_not_ignored() -> None:
    kept = {line[1:] for line in IGNORED.read_text().splitlines() if line.startswith("!")}
    assert {path.relative_to(ROOT).as_posix() for path in copied()} == kept
    for path in copied():
        assert path.exists(), path


def test_its_extras_exist() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    [run] = values(BUILD, "RUN")
    [extras] = re.findall(r"'\.\[(.*?)\]'", run.value)
    assert set(extras.split(",")) <= set(project["optional-dependencies"])


def test_it_does_not_run_as_root() -> None:
    [user] = values(IMAGE, "USER")
    assert int(user.value) > 0
    names = [each.name for each in IMAGE]
    assert "RUN" not in names[names.index("USER") :]
    assert f"--uid {user.value} " in next(iter(values(IMAGE, "RUN"))).value


def test_its_games_are_kept_on_its_volume() -> None:
    [volume] = values(IMAGE, "VOLUME")
    [environment] = values(IMAGE, "ENV")
    variables = dict(word.split("=", 1) for word in environment.words)
    assert variables["ULCI_DATABASE"].startswith(f"sqlite:///{volume.value}/")
    assert SERVICES["server"]["environment"]["ULCI_DATABASE"] == (
        f"${{ULCI_DATABASE:-{variables['ULCI_DATABASE']}}}"
    )
    assert f"data:{volume.value}" in SERVICES["server"]["volumes"]


def test_the_ports_are_those_that_it_listens_on() -> None:
    [expose], [command] = values(IMAGE, "EXPOSE"), values(IMAGE, "CMD")
    assert listeners(command.words) == ["tcp://*:25565", "ws://*:25566"]
    assert [url.rpartition(":")[2] for url in listeners(command.words)] == expose.words
    assert "'127.0.0.1', 25566," in health_check()[-1]


@pytest.mark.system
@pytest.mark.parametrize("whose", ["image", "compose"])
def test_a_server_starts_with_its_options(tmp_path: Path, whose: str) -> None:
    [command] = values(IMAGE, "CMD")
    words = command.words if whose == "image" else SERVICES["server"]["command"]
    assert words[0] == "serve"
    options = [re.sub(r":2556\d$", ":0", word) for word in words[1:]]
    options = [
        word.replace("/etc/ulci/server.toml", str(DEPLOY / "container.toml")) for word in options
    ]
    with serving(tmp_path, *options) as server:
        assert len(server.addresses) == len(listeners(words))
        assert server.stop() == 0


class Answering(http.server.BaseHTTPRequestHandler):
    """Answers with the status of its server, and notes the paths."""

    def do_GET(self) -> None:
        self.server.paths.append(self.path)  # type: ignore[attr-defined]
        self.send_response(self.server.status)  # type: ignore[attr-defined]
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (its name there)
        pass


@contextmanager
def answering(status: int) -> Iterator[tuple[int, list[str]]]:
    """A server that answers so: its port, and the paths that were asked for."""
    with http.server.HTTPServer(("127.0.0.1", 0), Answering) as server:
        server.status, server.paths = status, []  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server.server_port, server.paths  # type: ignore[attr-defined]
        finally:
            server.shutdown()
            thread.join()


def check_health(port: int) -> int:
    python, *words = (word.replace("25566", str(port)) for word in health_check())
    assert python == "python"
    done = subprocess.run(
        [sys.executable, *words],
        env={**os.environ, "http_proxy": "http://192.0.2.1:1"},  # as docker passes its client's on
        stderr=subprocess.DEVNULL, check=False, timeout=PATIENCE,
    )  # fmt: skip
    return done.returncode


@pytest.mark.system
@pytest.mark.parametrize(("status", "code"), [(200, 0), (404, 1), (503, 1)])
def test_the_health_check_believes_the_server(status: int, code: int) -> None:
    with answering(status) as (port, paths):
        assert check_health(port) == code
    assert paths == ["/livez"]


@pytest.mark.system
def test_a_server_is_well(tmp_path: Path) -> None:
    with serving(tmp_path, "--listen", "ws://127.0.0.1:0") as server:
        assert check_health(server.port("ws")) == 0


@pytest.mark.system
def test_the_health_check_fails_where_nobody_listens() -> None:
    with closed_port() as port:
        assert check_health(port) == 1


@pytest.mark.system
@pytest.mark.slow
def test_what_the_build_copies_is_enough_to_install_and_run_it(tmp_path: Path) -> None:
    sources, installed = tmp_path / "src", tmp_path / "installed"
    sources.mkdir()
    for path in copied():
        if path.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
            shutil.copytree(path, sources / path.name, ignore=ignored)
        else:
            shutil.copy(path, sources)
    [run] = values(BUILD, "RUN")
    assert "/opt/ulci" in run.value
    # Its commands are those of this Python, as in the image they are those of its own. To compile
    # all that nothing here imports would take as long again.
    binaries = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["/bin/sh", "-c", run.value.replace("/opt/ulci", str(installed))],
        cwd=sources, env={**os.environ, "PATH": binaries, "PIP_COMPILE": "no"},
        capture_output=True, text=True, check=False, timeout=BUILDING,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    [entry] = values(IMAGE, "ENTRYPOINT")
    assert not (installed / "bin" / "pip").exists()
    program = [str(installed / "bin" / entry.words[0]), "serve"]
    server = Server(tmp_path, "--listen", "tcp://127.0.0.1:0", program=program)
    server.start()
    assert server.stop() == 0
    assert (tmp_path / "ulci.db").exists()


@functools.cache
def builder() -> str | None:
    """A program that can build an image and run it here."""
    for name in ("podman", "docker"):
        with suppress(OSError, subprocess.SubprocessError):
            subprocess.run([name, "info"], check=True, capture_output=True, timeout=60)
            return name
    return None


@pytest.mark.system
@pytest.mark.slow
def test_it_builds_and_becomes_healthy() -> None:
    if (name := builder()) is None:
        pytest.xfail("neither podman nor docker can start a container here")
    tag = f"localhost/ulci-relay-test-{os.getpid()}"
    form = ["--format", "docker"] if name == "podman" else []

    def run(*argv: str) -> str:
        done = subprocess.run(
            [name, *argv], cwd=ROOT, capture_output=True, text=True, check=False, timeout=BUILDING
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    run("build", *form, "-t", tag, "-f", str(CONTAINERFILE), ".")
    try:
        container = run("run", "-d", "--read-only", "--cap-drop=ALL", "--health-interval=1s", tag)
        try:
            deadline = time.monotonic() + PATIENCE
            while (
                state := run("inspect", "-f", "{{.State.Health.Status}}", container)
            ) != "healthy":
                assert time.monotonic() < deadline, (state, run("logs", container))
            assert run("exec", container, "id", "-u") == "10001"
            run("stop", container)
            assert run("inspect", "-f", "{{.State.ExitCode}}", container) == "0"
        finally:
            run("rm", "-f", "-v", container)
    finally:
        run("rmi", tag)


def test_what_compose_mounts_exists() -> None:
    mounted = [
        each.partition(":")[0] for service in SERVICES.values() for each in service["volumes"]
    ]
    for source in mounted:
        if source.startswith("."):
            assert (DEPLOY / source).is_file()
        else:
            assert source in COMPOSE["volumes"]
    build = SERVICES["server"]["build"]
    assert (DEPLOY / build["context"]).resolve() == ROOT
    assert ROOT / build["dockerfile"] == CONTAINERFILE


def test_compose_publishes_nothing_to_the_world_that_is_not_asked_for() -> None:
    for port in SERVICES["server"]["ports"]:
        assert re.fullmatch(r"\$\{ULCI_(TCP|WS):-127\.0\.0\.1:(\d+)\}:\2", port)
    assert "ports" not in SERVICES["database"]


def test_compose_waits_for_the_server_to_end() -> None:
    grace = Config().shutdown.grace
    assert seconds(SERVICES["server"]["stop_grace_period"]) > grace + FAREWELL + LAST_COMMIT


def test_the_server_trusts_the_address_of_the_proxy_and_no_other() -> None:
    gate = load(DEPLOY / "container.toml").of_gate()
    [pool] = COMPOSE["networks"]["inside"]["ipam"]["config"]
    inside, others = map(ipaddress.ip_network, (pool["subnet"], pool["ip_range"]))
    proxy = ipaddress.ip_address(SERVICES["proxy"]["networks"]["inside"]["ipv4_address"])
    assert others.subnet_of(inside)
    assert proxy in inside
    assert proxy not in others
    believed = [each for each in gate.proxies if each.version == 4]
    assert [host for host in inside if any(host in each for each in believed)] == [proxy]
    exempt = [each for each in gate.exempt if each.version == 4]
    assert [host for host in inside if any(host in each for each in exempt)] == [proxy]
    for name in ("server", "database"):
        assert SERVICES[name]["networks"] == ["inside"]


def test_the_options_of_compose_are_options_of_the_command() -> None:
    parsed = options_of_serve(SERVICES["server"]["command"][1:])
    assert parsed["log_json"]
    assert parsed["listen"] == ("tcp://*:25565", "ws://*:25566")

"""What deploy/ has for several servers that act as one."""

import ipaddress
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.support.containerfile import CONTAINERFILE, ROOT, options_of_serve, stages, values
from tests.support.redis_servers import RedisServer
from tests.support.servers import PATIENCE, program
from ulci_server.app.running import FAREWELL, LAST_COMMIT
from ulci_server.bus import HubError, open_hub
from ulci_server.cli.options import BUS_VARIABLE
from ulci_server.config import Config, load

DEPLOY = ROOT / "deploy"
TEXT = (DEPLOY / "compose.cluster.yaml").read_text(encoding="utf-8")
COMPOSE = yaml.safe_load(TEXT)
SERVICES = COMPOSE["services"]
SERVERS = {name: one for name, one in SERVICES.items() if name.startswith("server-")}
TCP = DEPLOY / "nginx-tcp.conf"

PASSWORD = "s3cret"


def test_each_server_has_a_name_of_its_own_and_all_else_is_the_same() -> None:
    parsed = {name: options_of_serve(one["command"][1:]) for name, one in SERVERS.items()}
    assert {name: one.pop("name") for name, one in parsed.items()} == {
        "server-a": "a", "server-b": "b", "server-c": "c",
    }  # fmt: skip
    first, *others = parsed.values()
    assert others == [first, first]
    bus = COMPOSE["x-server"]["environment"][BUS_VARIABLE]
    assert bus == "redis://ulci:${REDIS_PASSWORD:?is missing in .env}@redis"
    assert first["cluster"] is first["database"] is None
    assert first["listen"] == ("tcp://*:25565", "ws://*:25566")
    assert {tuple(sorted(one.keys() - {"command"})) for one in SERVERS.values()} == {
        tuple(sorted(COMPOSE["x-server"]))
    }


def test_the_image_has_what_a_server_of_a_cluster_needs() -> None:
    build, _ = stages()
    [run] = values(build, "RUN")
    assert "'.[cluster]'" in run.value
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "cluster" in project["optional-dependencies"]
    where = COMPOSE["x-server"]["build"]
    assert ROOT / where["dockerfile"] == CONTAINERFILE
    assert (DEPLOY / where["context"]).resolve() == ROOT


def test_what_it_mounts_exists() -> None:
    for service in SERVICES.values():
        for source in (each.partition(":")[0] for each in service.get("volumes", ())):
            if source.startswith("."):
                assert (DEPLOY / source).is_file()
            else:
                assert source in COMPOSE["volumes"]


def test_only_the_proxies_can_be_reached_from_outside() -> None:
    assert {name for name, one in SERVICES.items() if "ports" in one} == {"proxy", "tcp"}
    assert SERVICES["tcp"]["ports"] == ["${ULCI_TCP:-127.0.0.1:25565}:25565"]


def test_it_waits_for_a_server_to_end() -> None:
    grace = Config().shutdown.grace
    waits = int(COMPOSE["x-server"]["stop_grace_period"].removesuffix("s"))
    assert waits > grace + FAREWELL + LAST_COMMIT


def test_the_servers_trust_the_addresses_of_the_proxies_and_no_others() -> None:
    gate = load(DEPLOY / "cluster.toml").of_gate()
    [pool] = COMPOSE["networks"]["inside"]["ipam"]["config"]
    inside, others = map(ipaddress.ip_network, (pool["subnet"], pool["ip_range"]))
    proxies = [
        ipaddress.ip_address(SERVICES[name]["networks"]["inside"]["ipv4_address"])
        for name in ("proxy", "tcp")
    ]
    assert others.subnet_of(inside)
    assert not any(proxy in others for proxy in proxies)
    for named, meant in ((gate.exempt, proxies), (gate.proxies, proxies[:1])):
        networks = [each for each in named if each.version == 4]
        assert [host for host in inside if any(host in each for each in networks)] == meant
    unproxied = len(SERVICES) - len(proxies)
    # The network's own address, that of the host, and one for a container that migrates.
    assert others.num_addresses >= unproxied + 3


def test_both_proxies_know_all_servers() -> None:
    places = [f"{name}:25566" for name in SERVERS]
    assert SERVICES["proxy"]["environment"]["ULCI_UPSTREAM"].split() == places
    assert re.findall(r"^ +server (\S+:\d+) ", TCP.read_text(), re.MULTILINE) == [
        f"{name}:25565" for name in SERVERS
    ]


def test_the_tcp_proxy_lets_in_as_many_from_one_address_as_a_server() -> None:
    [most] = re.findall(r"limit_conn clients (\d+);", TCP.read_text())
    assert int(most) == Config().limits.address_connections


def test_no_password_stands_in_the_files() -> None:
    named = re.findall(r"\$\{\w+_PASSWORD:[-?][^}]*\}|\w+_PASSWORD:|>\$\$REDIS_PASSWORD ", TEXT)
    assert TEXT.count("PASSWORD") == len(named)


def test_no_password_stands_on_a_command_line() -> None:
    # compose puts in what it is told by one $; two are left to the shell in the container.
    words = [word for one in SERVICES.values() for word in one.get("command", ())]
    assert not [word for word in words if re.search(r"(?<!\$)\$[^$]", word)]


def test_without_a_password_for_redis_nothing_starts() -> None:
    # Redis takes an empty one for a password like any other, and lets everybody in.
    assert len(re.findall(r"\$\{REDIS_PASSWORD", TEXT)) == TEXT.count("{REDIS_PASSWORD:?") == 2


@pytest.mark.system
def test_nginx_finds_no_fault_with_the_tcp_proxy(tmp_path: Path) -> None:
    module = Path("/usr/lib/nginx/modules/ngx_stream_module.so")
    nginx = program("nginx")
    if not module.exists():
        pytest.skip("nginx has no module for TCP; install libnginx-mod-stream")
    config = tmp_path / "nginx.conf"
    text = re.sub(r"server-[abc]:", "127.0.0.1:", TCP.read_text())
    config.write_text(f"load_module {module};\npid {tmp_path}/pid;\n{text}")
    done = subprocess.run(
        [nginx, "-t", "-p", str(tmp_path), "-e", "stderr", "-c", str(config)],
        capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.system
async def test_redis_lets_the_servers_talk_and_nobody_else(tmp_path: Path) -> None:
    shell, option, script = SERVICES["redis"]["command"]
    assert (shell, option, [*SERVICES["redis"]["environment"]]) == ("sh", "-c", ["REDIS_PASSWORD"])
    server = RedisServer(tmp_path)
    # The same, at a port of the test.
    script = script.replace("$$", "$").replace("redis-server -", f'{server.program} - "$@"')
    wrapped = tmp_path / "redis"
    wrapped.write_text(f"#!/bin/sh\nREDIS_PASSWORD={PASSWORD}\n{script}")
    wrapped.chmod(0o700)
    server.program = str(wrapped)
    server.start()
    try:
        where = f"127.0.0.1:{server.port}"
        async with open_hub(f"redis://ulci:{PASSWORD}@{where}").connect("ulci:x:1"):
            pass
        with pytest.raises(HubError, match="wants a password"):
            async with open_hub(f"redis://{where}").connect("ulci:x:1"):
                pass
        with pytest.raises(HubError, match="lacks a permission"):
            async with open_hub(f"redis://ulci:{PASSWORD}@{where}").connect("other"):
                pass
    finally:
        server.stop()

"""The command ``ulci-server``."""

import click

from .admin import admin
from .bans import ban
from .check import check_config
from .demo import demo
from .export import export
from .games import games
from .migrate import migrate
from .players import player
from .replay import replay
from .serve import serve
from .verify import verify
from .why import why


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="ulci-relay", message="ulci-server %(version)s")
def main() -> None:
    """Host turn games between people and engines that speak UCI or ULCI.

    No configuration is needed: ulci-server serve
    """


COMMANDS = (
    serve,
    check_config,
    migrate,
    games,
    export,
    why,
    verify,
    player,
    ban,
    admin,
    replay,
    demo,
)

for command in COMMANDS:
    main.add_command(command)

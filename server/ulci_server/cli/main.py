"""The command ``ulci-server``.

A command's module is imported when the command is run, so that what looks into a database need not
wait for what hosts games.
"""

from collections.abc import Mapping

import click

from ulci.command_group import DESCRIPTIONS, LazyGroup, Place

COMMANDS: Mapping[str, Place] = {
    "serve": Place("ulci_server.cli.serve", "Host games.", "serve"),
    "check-config": Place(
        "ulci_server.cli.check", "Check a configuration, and show what it does.", "check_config"
    ),
    "config": Place(
        "ulci_server.cli.explained", "Print every setting, explained, with its default.", "config"
    ),
    "match": Place("ulci_server.cli.match.command", "Play a match between engines.", "match"),
    "tournament": Place(
        "ulci_server.cli.tournament",
        "Make tournaments, look at them, and direct them.",
        "tournament",
    ),
    "migrate": Place(
        "ulci_server.cli.migrate", "Create the tables of a database, or update them.", "migrate"
    ),
    "games": Place("ulci_server.cli.games", "List games, the newest first.", "games"),
    "export": Place(
        "ulci_server.cli.export", "Write games as PGN or JSON, the newest first.", "export"
    ),
    "why": Place("ulci_server.cli.why", "Explain how a game ended, from the record alone.", "why"),
    "verify": Place(
        "ulci_server.cli.verify", "Check that the record agrees with itself.", "verify"
    ),
    "ratings": Place(
        "ulci_server.cli.ratings", "List the ratings of players, live or fitted.", "ratings"
    ),
    "player": Place(
        "ulci_server.cli.players", "Give players accounts, and tokens to prove them by.", "player"
    ),
    "ban": Place("ulci_server.cli.bans", "Ban an account, a guest's name or an address.", "ban"),
    "admin": Place(
        "ulci_server.cli.admin", "End games, kick and ban players of a running server.", "admin"
    ),
    "wire": Place("ulci_server.cli.wire", "Show conversations from a log of the wire.", "wire"),
    "cluster": Place(
        "ulci_server.cli.cluster",
        "Run several servers that act as one, or look at them.",
        "cluster",
    ),
    "demo": Place(
        "ulci_server.cli.demo", "Show a game between two engines, from start to end.", "demo"
    ),
    **DESCRIPTIONS,
}


@click.group(
    cls=LazyGroup,
    places=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="ulci-relay", message="ulci-server %(version)s")
def main() -> None:
    """Host turn games between people and engines that speak UCI or ULCI.

    No configuration is needed: ulci-server serve
    """

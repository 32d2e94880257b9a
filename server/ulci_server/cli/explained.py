"""``ulci-server config``: the configuration file that explains every setting."""

from importlib import resources

import click


@click.command(name="config")
@click.option(
    "--print", "printing", is_flag=True, help="Print every setting, explained, with its default."
)
@click.pass_context
def config(ctx: click.Context, /, *, printing: bool) -> None:
    """Print a configuration that explains every setting and changes none.

    Save it, and change what you like:

        ulci-server config --print > server.toml

    Check it with check-config, and use it: ulci-server serve --config server.toml
    """
    if not printing:
        raise click.UsageError("--print shows all settings; check-config FILE checks a file", ctx)
    click.echo((resources.files("ulci_server.config") / "server.toml").read_text("utf-8"), nl=False)

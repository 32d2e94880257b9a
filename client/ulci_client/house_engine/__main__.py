"""``python -m ulci_client.house_engine`` is ``ulci engine``."""

from .command import command

if __name__ == "__main__":
    command(prog_name="ulci engine")

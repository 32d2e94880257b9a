"""``python -m ulci_server.cli``, where the command itself is not in the PATH."""

from .main import main

main(prog_name="ulci-server")

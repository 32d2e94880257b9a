from pathlib import Path

import pytest

from ulci_client import standard_streams


async def test_a_file_can_be_read_as_well_as_a_pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "moves"
    path.write_bytes(b"e4\n")
    with path.open("rb") as file:
        monkeypatch.setattr(standard_streams, "STDIN", file.fileno())
        assert await standard_streams.read_stdin() == b"e4\n"
        assert await standard_streams.read_stdin() == b""

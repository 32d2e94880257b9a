"""What of the settings a recording keeps."""

import json
from pathlib import Path

from ulci_server.config import load, read_settings, taped

FEN = "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"

SETTINGS = """
listen = [{ address = "tcp://127.0.0.1:0" }]
[database]
url = "postgresql://ada:secret@host/games"
[play]
claims = true
[[pool]]
name = "book"
starts_file = "book.epd"
resign = { moves = 3, score = 600 }
[[pool]]
name = "usual"
"""


def test_a_recording_stands_alone_and_holds_no_password(tmp_path: Path) -> None:
    (tmp_path / "book.epd").write_text(f"startpos\n{FEN}\n")
    path = tmp_path / "server.toml"
    path.write_text(SETTINGS)
    config = load(path)
    kept = json.loads(json.dumps(taped(read_settings(path), config)))
    assert set(kept) == {"play", "pool"}
    again = load(None, kept)
    assert again.pools() == config.pools()
    assert again.play == config.play


def test_without_settings_there_is_nothing_to_keep() -> None:
    assert taped(read_settings(), load()) == {}


def test_tablebases_are_where_they_were(tmp_path: Path) -> None:
    path = tmp_path / "server.toml"
    path.write_text('[tablebases]\npaths = ["syzygy"]\n')
    kept = taped(read_settings(path), load(path))
    assert kept == {"tablebases": {"paths": [str(tmp_path / "syzygy")]}}

"""Engines for tests: the scripted one with its switches, and real ones where they are installed."""

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.wires import HANG
from ulci_client.engine_settings import ClientEngineSettings

SCRIPT = Path(__file__).with_name("scripted_engine.py")

# Debian's place for games is often not in PATH.
STOCKFISH = shutil.which("stockfish", path=f"{os.environ.get('PATH', '')}{os.pathsep}/usr/games")

needs_stockfish = pytest.mark.skipif(STOCKFISH is None, reason="stockfish is not installed")


def scripted(*switches: object, **settings: object) -> ClientEngineSettings:
    """The scripted engine with these switches."""
    argv = (sys.executable, str(SCRIPT), *map(str, switches))
    patient = ClientEngineSettings(argv, start=HANG, ping=HANG, quit=0.3)
    return replace(patient, **settings)  # type: ignore[arg-type]


def lines_of(transcript: Path) -> list[str]:
    """What the engines with this transcript have read so far."""
    return transcript.read_text("utf-8").splitlines() if transcript.exists() else []

"""A program that never answers."""

import signal

signal.pause()

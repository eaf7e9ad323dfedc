"""The short forms of kills.py and load.py; docs/reliability.md has the results of the long forms."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def soak(name, *options):
    script = Path(__file__).with_name(name)
    finished = subprocess.run([sys.executable, script, *options], capture_output=True, text=True)
    assert finished.returncode == 0, f"{finished.stdout}\n{finished.stderr}"


def test_nothing_is_lost_or_repeated_when_the_service_is_killed_under_load():
    soak("kills.py", "--seed", "1", "--kills", "8")


def test_a_loaded_server_leaks_nothing():
    soak("load.py", "--share", "0.02", "--leaks-only")

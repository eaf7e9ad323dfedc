"""A full-screen program with curses: the highlighted entry, keys and the mouse."""

import sys
from pathlib import Path

import pytest

from phux_client import blocking, expect

PROGRAM = Path(__file__).with_name("menu.py")
pytestmark = pytest.mark.phux(command=[sys.executable, str(PROGRAM)], size=(40, 8), env={"TERM": "xterm-256color"})


def test_keys_move_the_highlight(pane: blocking.Pane) -> None:
    assert pane.highlighted(timeout_s=5).text == "Apple"
    expect(pane).to_match_snapshot(format="svg")
    pane.send_keys("Down")
    pane.find("Banana", style="inverse", timeout_s=5)
    pane.send_keys("Enter")
    expect(pane).to_exit(1)


def test_a_click_chooses(pane: blocking.Pane) -> None:
    pane.click("Cherry")
    pane.find("Cherry", style="inverse", timeout_s=5)
    pane.send_keys("Enter")
    expect(pane).to_exit(2)

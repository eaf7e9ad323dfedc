"""A program with readline: typed keys, completion, and the exit status."""

import sys
from pathlib import Path

import pytest

from phux_client import blocking, expect

PROGRAM = Path(__file__).with_name("greeter.py")


@pytest.mark.phux(command=[sys.executable, str(PROGRAM)])
def test_tab_completes_the_name(pane: blocking.Pane) -> None:
    expect(pane).to_show("Name: wor")
    expect(pane).to_be("awaiting_input")
    pane.send_keys("Tab")
    expect(pane).to_show("Name: world")
    pane.send_keys("Enter")
    expect(pane).to_show("Hello, world")
    expect(pane).to_exit(0)

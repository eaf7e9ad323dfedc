"""A Textual program, from an async test."""

import sys
from pathlib import Path

import pytest

from phux_client import Pane, expect

PROGRAM = Path(__file__).with_name("counter.py")


@pytest.mark.anyio
@pytest.mark.phux(command=[sys.executable, str(PROGRAM)], env={"TERM": "xterm-256color"})
async def test_the_buttons_count_and_reset(apane: Pane) -> None:
    await expect(apane, timeout_s=20).to_show("Pressed 0 times")
    await apane.send_keys("Enter")  # the first button has the focus
    await expect(apane).to_show("Pressed 1 times")
    await apane.click("Reset")
    await expect(apane).to_show("Pressed 0 times")

"""Colors of the command line: on a terminal, unless NO_COLOR is set, and never in a pipe."""

from __future__ import annotations

import os
import subprocess

import pytest

from servers import BIN, clean_environment

RED, GREEN, YELLOW = "\x1b[1;31m", "\x1b[32m", "\x1b[1;33m"


@pytest.fixture
def on_a_terminal(server):
    """Run phux with a terminal as its stdout and stderr, and return what it writes there."""

    def run(*words, **variables):
        ours, theirs = os.openpty()
        env = clean_environment() | {"PHUX_SOCKET": server.socket, "TERM": "xterm"} | variables
        subprocess.run([BIN / "phux", *words], env=env, stdin=theirs, stdout=theirs, stderr=theirs, timeout=60)
        os.close(theirs)
        written = b""
        try:
            while more := os.read(ours, 65536):
                written += more
        except OSError:  # Linux: all has been read
            pass
        os.close(ours)
        return written.decode()

    return run


def test_states_exit_codes_and_errors_have_colors_on_a_terminal_only(phux, cli, on_a_terminal):
    pane = phux.new_session("work", shell="sh").pane
    pane.run("true")
    pane.run("false")
    pane.send_keys("read answer", "Enter")
    pane.wait(state="awaiting_input", timeout_s=20)
    assert f"{YELLOW}awaiting_input\x1b[m  " in on_a_terminal("tree", "work")
    listed = on_a_terminal("commands", "work").splitlines()
    assert [color in line for color, line in zip((GREEN, RED), listed, strict=False)] == [True, True]
    assert f"{GREEN}ok\x1b[m   engine" in on_a_terminal("doctor")
    assert on_a_terminal("kill", "missing").startswith(f"{RED}phux:\x1b[m no session")

    assert "\x1b" not in on_a_terminal("tree", "work", NO_COLOR="1")
    assert "\x1b" not in on_a_terminal("kill", "missing", TERM="dumb")
    assert "\x1b" not in cli("tree", "work").out + cli("commands", "work").out + cli("kill", "missing").err

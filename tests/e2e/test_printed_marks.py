"""Programs that print a shell's marks again change nothing: neither its runs nor its prompt."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from servers import kill_service
from shell_panes import MARKED, POSIX, SHELLS

SHELLS_WITH_MARKS = [*MARKED, "mksh"]
BUILTIN = "while read -r l; do printf '%s\\n' \"$l\"; done <{}"
BUILTINS = {"fish": "while read -l l; printf '%s\\n' $l; end <{}"}


@pytest.fixture(params=SHELLS_WITH_MARKS)
def shell(request):
    return request.param


@pytest.fixture
def pane(shell, open_shell, monkeypatch):
    monkeypatch.setitem(SHELLS, "mksh", ["mksh"])
    return open_shell(shell)


def exact_output(phux, marker):
    """Return a pane's output from its journal, which has the marks as the shell has written them."""
    keeper = phux.status().keeper_pid
    found = set()
    for fd in os.listdir(f"/proc/{keeper}/fd"):
        path = f"/proc/{keeper}/fd/{fd}"
        if "phux-journal" in os.readlink(path):
            data = Path(path).read_bytes()
            if marker.encode() in data:
                found.add(data)
    (data,) = found
    return data[: data.rfind(b"\x07") + 1]


def nonce_in(output):
    nonce = re.findall(rb"\x1b\]7748;([0-9a-f]{16});", output)
    assert len(set(nonce)) == 1
    return nonce[0]


def fill(pane, shell, marker):
    """Run commands whose marks are then printed again."""
    assert pane.run(f"echo {marker}", timeout_s=20).exit_code == 0
    assert pane.run("sh -c 'exit 5'", timeout_s=20).exit_code == 5
    if shell in {*POSIX, "mksh"}:
        pane.send_keys("echo 'open", "Enter", "quote'", "Enter")
        pane.wait(regex="^quote$", timeout_s=20)
        pane.wait(state="prompt", timeout_s=20)


def assert_runs_are_right(pane, shell, path):
    builtin = BUILTINS.get(shell, BUILTIN).format(path)
    for show in (f"cat {path}", builtin, f"cat {path}; {builtin}"):
        result = pane.run(f"{show}; sleep 0.05; echo END; sh -c 'exit 9'", timeout_s=30)
        assert (result.exit_code, result.exit_known) == (9, True), show
        assert result.output.endswith("END"), show
        result = pane.run("echo next", timeout_s=30)
        assert (result.exit_code, result.output) == (0, "next"), show


def test_printing_the_raw_log_of_the_pane_changes_nothing(shell, pane, tmp_path, phux):
    fill(pane, shell, f"mine-{tmp_path.name}")
    log = pane.logs(mode="raw").content.encode("utf-8", "surrogateescape")
    assert nonce_in(exact_output(phux, f"mine-{tmp_path.name}")) not in log
    assert log.count(b"\x1b]7748;----------------;") > 5
    (tmp_path / "log").write_bytes(log)
    assert_runs_are_right(pane, shell, tmp_path / "log")


def test_printing_the_exact_marks_of_the_pane_changes_nothing(shell, pane, tmp_path, phux):
    fill(pane, shell, f"mine-{tmp_path.name}")
    marks = b"".join(re.findall(rb"\x1b\]7748;[^\x07]*\x07", exact_output(phux, f"mine-{tmp_path.name}")))
    assert len(marks) > 200
    (tmp_path / "marks").write_bytes(marks + b"\n")
    assert_runs_are_right(pane, shell, tmp_path / "marks")
    kill_service(phux)
    assert_runs_are_right(pane, shell, tmp_path / "marks")


def test_neither_the_environment_nor_listings_of_variables_show_the_nonce(shell, pane, tmp_path, phux):
    marker = f"mine-{tmp_path.name}"
    assert pane.run(f"echo {marker}", timeout_s=20).exit_code == 0
    nonce = nonce_in(exact_output(phux, marker))
    pid = pane.run("sh -c 'echo $PPID'", timeout_s=20).output
    assert nonce not in Path(f"/proc/{pid}/environ").read_bytes()
    listings = {"env", "set -x" if shell == "fish" else "export -p"}
    # The prompts of bash and POSIX shells need it in a variable.
    listings |= {"zsh": {"set", "typeset -p"}, "fish": {"set"}}.get(shell, set())
    for command in sorted(listings):
        assert pane.run(f"{command} >{tmp_path / 'listing'}", timeout_s=20).exit_code == 0, command
        listing = (tmp_path / "listing").read_bytes()
        assert b"HOME" in listing, command
        assert nonce not in listing, command
    result = pane.run("set", raw=True, timeout_s=20)
    assert nonce.decode() not in result.output

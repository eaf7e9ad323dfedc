"""The table of `phux fleet`, and its hosts."""

from __future__ import annotations

import argparse
import time

import pytest

from phux_cli.fleets import Board, Row, table
from phux_cli.main import load_verb
from phux_core.errors import HostError


def row(state, text="", *, ended=None, ok=False):
    return Row(state=state, text=text, ended=ended, ok=ok)


def test_a_table_has_a_line_per_host_and_the_totals():
    rows = {
        "a": row("running", "compiling"),
        "local": row("exit 0", ended=12.0, ok=True),
        "b": row("error", ended=11.0),
    }
    assert table(rows, now=15.0, began=10.0) == [
        "a      running      5 s  compiling",
        "local  exit 0       2 s",
        "b      error        1 s",
        "2 of 3 hosts done, 1 failed, 5 s",
    ]


def test_a_table_fits_its_height_and_shows_running_and_failed_hosts_first():
    rows = {f"done{number}": row("exit 0", ended=1.0, ok=True) for number in range(10)}
    rows |= {"bad": row("exit 1", ended=1.0), "slow": row("running")}
    lines = table(rows, now=1.0, began=0.0, height=5)
    assert [line.split()[0] for line in lines[:3]] == ["done0", "bad", "slow"]
    assert lines[3:] == ["… and 9 more", "11 of 12 hosts done, 1 failed, 1 s"]
    assert table(rows, now=1.0, began=0.0, height=1) == ["… and 12 more", "11 of 12 hosts done, 1 failed, 1 s"]


def test_a_redrawn_table_replaces_the_last_one_and_has_no_control_characters_of_hosts(capsys):
    board = Board(["a"], live=True)
    board.draw()
    board.report("a", error=HostError("a: said \x1b[2J", remedy=""))
    board.draw()
    out = capsys.readouterr().out
    assert out.count("\x1b") == 3  # two erasures, and one movement up
    assert "\x1b[2F\x1b[J" in out
    assert "error" in out
    assert board.rows["a"].ended <= time.monotonic()


@pytest.mark.parametrize(
    ("given", "socket", "found"),
    [
        ([], None, ["local", "box", "far"]),
        (["a,b", "local"], None, ["a", "b", "local"]),
        (["local", "a"], "/tmp/x.sock", ["/tmp/x.sock", "a"]),
    ],
)
def test_the_hosts_are_those_of_the_flags_or_of_the_config_file(given, socket, found, tmp_path, monkeypatch):
    (tmp_path / "config.toml").write_text('[hosts.box]\n[hosts.far]\ndestination = "me@far"\n')
    monkeypatch.setenv("PHUX_CONFIG", str(tmp_path / "config.toml"))
    assert load_verb("fleet").hosts_of(argparse.Namespace(on=given, socket=socket)) == found

"""Error texts for models: remedies name tools instead of shell commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from phux_core import errors
from phux_mcp.answers import _INSTEAD, explain, in_tools

ROOT = Path(__file__).parents[3]


def classes(kind=errors.PhuxError):
    yield kind
    for inner in kind.__subclasses__():
        yield from classes(inner)


@pytest.mark.parametrize("kind", sorted(set(classes()) - {errors.NoServerError}, key=lambda kind: kind.__name__))
def test_no_translated_remedy_mentions_the_command_line(kind):
    remedy = in_tools(kind.default_remedy)
    assert not re.search(r"phux (?!status|server)[a-z]|--[a-z]", remedy), remedy


@pytest.mark.parametrize(
    ("remedy", "expected"),
    [
        (
            "press Enter there, or clear the line: phux send-keys @3 C-c",
            'press Enter there, or clear the line: phux_send_keys with target @3 and keys ["C-c"]',
        ),
        (
            "give it, or if a program has left the echo off: phux send-keys @3 'stty sane' Enter",
            'give it, or if a program has left the echo off: phux_send_keys with target @3 and keys ["stty sane", "Enter"]',
        ),
        ("type its input (phux send-keys @3), or end it", "type its input (phux_send_keys to @3), or end it"),
        ("`phux commands` lists them", "phux_commands lists them"),
        ("look at it: phux snapshot", "look at it: phux_snapshot"),
        ("name a session; `phux ls` lists them", "name a session; phux_ls lists them"),
        (
            "end that program, wait for it (phux wait), or pass --queue to wait for the prompt",
            'end that program, wait for it (phux_wait with state ["prompt"]), or end it with phux_signal',
        ),
        ("enlarge the window (phux resize), or choose", "enlarge the window (phux_resize), or choose"),
    ],
)
def test_shell_commands_in_remedies_are_replaced_with_tools(remedy, expected):
    assert in_tools(remedy) == expected


def test_every_remedy_with_a_translation_exists():
    sources = "".join(
        path.read_text() for package in ("phux_core", "phux_client") for path in (ROOT / package).rglob("*.py")
    )
    assert [remedy for remedy in _INSTEAD if remedy not in sources] == []


def test_the_remedy_for_a_missing_server_keeps_the_shell_command():
    assert "`phux new -d -s work`" in explain(errors.NoServerError("no server is running"))


def test_long_input_is_truncated_in_error_messages():
    assert len(explain(errors.NoSuchTargetError(f"no session is called {'x' * 100_000!r}"))) < 1200

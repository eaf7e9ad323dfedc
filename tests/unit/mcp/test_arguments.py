"""Arguments as models spell them."""

from __future__ import annotations

import pytest

from phux_core.errors import BadRequestError
from phux_mcp.main import load_toolset
from phux_mcp.revisions import NEWEST, OLDEST

TOOLS = load_toolset("phux", "destructive")


def check(name, revision=NEWEST, /, **arguments):
    return TOOLS.find(name, revision).check(arguments, revision)


@pytest.mark.parametrize(
    ("tool", "given", "meant"),
    [
        ("phux_send_keys", {"target": 3, "keys": "Enter"}, {"target": "@3", "keys": ["Enter"]}),
        ("phux_send_keys", {"target": "w", "keys": '["ls", "Enter"]'}, {"target": "w", "keys": ["ls", "Enter"]}),
        ("phux_send_keys", {"target": "w", "keys": "[ -f x ]"}, {"target": "w", "keys": ["[ -f x ]"]}),
        ("phux_send_keys", {"target": "w", "keys": "[" * 9999}, {"target": "w", "keys": ["[" * 9999]}),
        ("phux_send_keys", {"target": "w", "keys": [42]}, {"target": "w", "keys": ["42"]}),
        ("phux_wait", {"state": "Prompt", "timeout_secs": "1.5"}, {"state": ["prompt"], "timeout_secs": 1.5}),
        ("phux_wait", {"state": ["running"], "until": None}, {"state": ["running"]}),
        ("phux_snapshot", {"scrollback": "20", "cells": "true"}, {"scrollback": 20, "cells": True}),
        ("phux_new", {"name": "w", "command": "htop -d 5"}, {"name": "w", "command": ["/bin/sh", "-c", "htop -d 5"]}),
        ("phux_new", {"name": "w", "command": '["htop"]'}, {"name": "w", "command": ["htop"]}),
        ("phux_new", {"name": "w", "command": ""}, {"name": "w"}),
        ("phux_split", {"target": "w", "size": 30}, {"target": "w", "size": "30"}),
        ("phux_split", {"target": "w", "command": "a | b"}, {"target": "w", "command": ["/bin/sh", "-c", "a | b"]}),
        *(
            ("phux_signal", {"target": "w", "signal": spelling}, {"target": "w", "signal": "TERM"})
            for spelling in ("SIGTERM", "sigterm", "term", 15, "15")
        ),
    ],
)
def test_an_argument_of_another_type_is_accepted_if_its_meaning_is_obvious(tool, given, meant):
    assert check(tool, **given).items() >= meant.items()


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("phux_wait", {"timeout_secs": "soon"}),
        ("phux_wait", {"timeout_secs": "9" * 5000}),
        ("phux_wait", {"timeout_secs": "nan"}),
        ("phux_wait", {"state": "asleep"}),
        ("phux_snapshot", {"cells": 1}),
        ("phux_snapshot", {"scrollback": "-1"}),
        ("phux_signal", {"target": "w", "signal": "99"}),
        ("phux_signal", {"target": "w", "signal": "SIGSTOP"}),
        ("phux_send_keys", {"target": True, "keys": ["x"]}),
        ("phux_send_keys", {"target": None, "keys": ["x"]}),
    ],
)
def test_an_argument_without_an_obvious_meaning_is_refused(tool, given):
    with pytest.raises(BadRequestError):
        check(tool, **given)


def test_the_first_revision_accepts_only_the_declared_types():
    with pytest.raises(BadRequestError):
        check("phux_send_keys", OLDEST, target="w", keys="Enter")

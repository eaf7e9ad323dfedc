"""The tools in real shells: effects, omissions within the budget, and refusals."""

from __future__ import annotations

import base64
import json
import re
import sys
import time

import pytest

from phux_mcp.budget import TOKENS, tokens
from servers import BIN, eventually
from validation import validate


@pytest.fixture
def work(modern):
    modern.pane = modern.document("phux_new", name="work")["target"]
    return modern


def test_a_snapshot_with_since_has_only_the_rows_that_changed(work):
    seen = work.document("phux_snapshot", target="work")
    assert work.document("phux_snapshot", target="work", since=seen["seq"])["changed"] == []
    work.document("phux_run", target="work", command="echo one")
    changes = work.document("phux_snapshot", target="work", since=seen["seq"])
    assert changes.pop("target") == work.pane
    validate("screen-changes", {**changes, "pane": 1})
    assert "one" in [row["text"] for row in changes["changed"]]
    assert "lines" not in changes


def test_an_act_drives_a_repl_step_by_step(work):
    start = [f"{sys.executable} -q -i -S", "Enter"]
    first = work.document("phux_act", target="work", keys=start, until=">>>", timeout_secs=20)
    assert first["outcome"] == "met"
    step = work.document("phux_act", target="work", keys=["6 * 7", "Enter"], regex="^42$", since=first["seq"])
    assert (step["outcome"], step["met_line"]) == ("met", "42")
    assert "42" in [row["text"] for row in step["changed"]]  # the next prompt may have changed another row
    # Until Python's line editor starts, the terminal driver handles C-d.
    work.document("phux_wait", target="work", regex="^>>>$", timeout_secs=20)
    ended = work.document("phux_act", target="work", keys=["C-d"], state=["prompt"], timeout_secs=20)
    assert (ended["outcome"], ended["state"]) == ("met", "prompt")


def test_an_act_reports_a_timeout_and_a_stop(work):
    late = work.document("phux_act", target="work", keys=["true", "Enter"], until="never", timeout_secs=0.3)
    assert late["outcome"] == "timed_out"
    stopped = work.document("phux_act", target="work", keys=["echo boom", "Enter"], until="never", stop="^boom$")
    assert (stopped["outcome"], stopped["met_line"]) == ("stopped", "boom")


def test_an_act_uses_the_mouse_and_then_types(work):
    start = ["clear; printf '\\033[?1000h\\033[?1006h   O''K\\n'; stty -echo; cat -v", "Enter"]
    work.document("phux_act", target="work", keys=start, until="   OK", timeout_secs=20)
    clicked = work.document("phux_act", target="work", mouse={"action": "click", "at": "OK"}, keys=["Enter"])
    assert (clicked["outcome"], [row["text"] for row in clicked["changed"]]) == ("met", ["^[[<0;4;1M^[[<0;4;1m"])
    scroll = {"action": "scroll", "direction": "up", "times": 2}
    scrolled = work.document("phux_act", target="work", mouse=json.dumps(scroll), keys=["Enter"], until="^[[<64")
    assert scrolled["met_line"].count("^[[<64") == 2

    def refused(mouse, *words, **more):
        failed = work.call("phux_act", target="work", mouse=mouse, timeout_secs=0.3, **more)
        assert failed["isError"]
        assert all(word in failed["content"][0]["text"] for word in words), failed

    refused({"action": "click", "at": "missing"}, "missing")
    refused({"action": "click"}, "at", "place")
    refused({"action": "drag", "at": "OK", "to": 3}, "to", "place")
    refused({"action": "poke", "at": "OK"}, "poke", "double_click")
    refused({"action": "click", "at": [1, 2], "x": 1}, "'x'", "button")
    refused({"action": "click", "at": [99, 2]}, "no cell")
    refused(None, "no keys were given")
    work.document("phux_act", target="work", keys=["C-c"], state=["prompt"])
    work.document("phux_run", target="work", command="printf '\\033[?1000l'")
    refused({"action": "click", "at": [0, 0]}, "did not request")


def test_a_run_returns_the_requested_part_of_its_output(work):
    numbers = "seq 1 5000"
    plain = work.document("phux_run", target="work", command=numbers, max_bytes=200)
    assert plain["truncated"]
    assert "phux_logs with command_id" in plain["hint"]
    assert work.document("phux_run", target="work", command=numbers, tail=2)["output"] == "4999\n5000"
    assert work.document("phux_run", target="work", command=numbers, head=2)["output"] == "1\n2"
    chosen = work.document("phux_run", target="work", command=f"{numbers}; false", grep="^12.4$")
    assert chosen["output"].split() == [f"12{digit}4" for digit in range(10)]
    assert (chosen["exit_code"], chosen["total_lines"]) == (1, 5000)


def test_the_result_of_a_run_with_an_unknown_exit_code_has_a_note(work):
    work.document("phux_new", name="plain", command=["bash", "-i"])
    work.document("phux_run", target="plain", command="shopt -u promptvars")  # PS1 cannot report the exit code then
    result = work.document("phux_run", target="plain", command="echo out; unset PROMPT_COMMAND")
    assert (result["output"], result["exit_code"], result["exit_known"]) == ("out", 255, False)
    assert "did not report its exit code" in result["note"]
    assert "note" not in work.document("phux_run", target="work", command="true")


def test_other_tools_wait_for_and_read_the_output_of_a_detached_run(work):
    started = work.document("phux_run", target="work", command="echo up; exec sleep 100", detach=True)
    assert (started["outcome"], started["target"]) == ("started", work.pane)
    waited = work.document("phux_wait", target="work", until="up", since=started["since"])
    assert waited["outcome"] == "met"
    assert work.document("phux_logs", command_id=started["command_id"])["content"] == "up"
    assert work.document("phux_logs", command=started["command_id"])["content"] == "up"  # the old name of the parameter
    assert "`grep`" in work.failure("phux_run", target="work", command="x", detach=True, grep="x")


def test_a_signal_ends_the_running_command(work):
    started = work.document("phux_run", target="work", command="sleep 100", detach=True)
    work.document("phux_wait", target="work", state=["running"], timeout_secs=10)
    assert work.document("phux_signal", target="work", signal="TERM")["command"] == "sleep"
    work.document("phux_wait", target="work", state=["prompt"], timeout_secs=10)
    (entry,) = work.document("phux_commands", target="work")["commands"]
    assert (entry["id"], entry["exit_code"]) == (started["command_id"], 143)
    assert '"INT", "TERM"' in work.failure("phux_signal", target="work", signal="STOP")


def test_a_run_whose_command_waits_for_a_person_returns_at_once_and_says_how_to_go_on(work):
    ask = "sleep 0.2; read -p 'Name? ' x; stty -echo; read -p 'Password: ' y; stty echo; echo got $x; (exit 4)"
    asked = work.document("phux_run", target="work", command=ask)
    assert (asked["outcome"], asked["state"], asked["output"]) == ("awaiting_input", "awaiting_input", "Name? ")
    assert f'phux_wait with command_id "{asked["command_id"]}"' in asked["hint"]
    assert f"(phux_send_keys to {work.pane})" in work.failure("phux_run", target="work", command="true")
    work.document("phux_act", target=work.pane, keys=["Ada", "Enter"], until="Password:")
    secret = work.document("phux_wait", command_id=asked["command_id"], timeout_secs=0.1)
    assert secret["outcome"] == "awaiting_secret"
    assert "ask the person" in secret["hint"]
    waiting = work.start("phux_wait", command_id=asked["command_id"])
    assert work.is_silent(0.7)  # it waits for the person, and does not report the same question again
    work.document("phux_send_keys", target="work", keys=["s3cret", "Enter"])
    ended = work.reply(waiting)["result"]["structuredContent"]
    assert (ended["outcome"], ended["exit_code"]) == ("finished", 4)
    assert ended["output"].endswith("got Ada")
    assert "s3cret" not in work.text("phux_logs", target="work")


def test_a_long_run_returns_its_output_so_far_and_can_be_waited_for(work):
    running = work.document("phux_run", target="work", command="echo part; sleep 1; seq 100; false", yield_s=0.3)
    assert (running["outcome"], running["output"], running["state"]) == ("running", "part", "running")
    assert work.document("phux_wait", command_id=running["command_id"], timeout_secs=0.1)["outcome"] == "running"
    ended = work.document("phux_wait", command_id=running["command_id"])
    assert (ended["outcome"], ended["exit_code"], ended["omitted_lines"]) == ("finished", 1, 51)
    assert ended["output"].splitlines()[-1] == "100"
    late = work.document("phux_run", target="work", command="sleep 100", timeout_secs=0.2)
    assert (late["outcome"], "timeout of 0.2 s" in late["message"]) == ("timed_out", True)
    assert "command_id" in late
    assert "`until`" in work.failure("phux_wait", command_id="1.1", until="x")


def test_waits_match_only_the_output_of_the_command_that_was_started(work):
    work.document("phux_run", target="work", command="echo READY")
    for since in (True, False):
        began = time.monotonic()
        started = work.document("phux_run", target="work", command="sleep 0.5; echo READY", detach=True)
        place = {"since": started["since"]} if since else {}
        waited = work.document("phux_wait", target=started["target"], until="READY", **place)
        assert (waited["outcome"], waited["line"]) == ("met", "READY")
        assert time.monotonic() - began > 0.5
        work.document("phux_wait", command_id=started["command_id"])
    work.document("phux_send_keys", target="work", keys=["sleep 0.5; echo READY", "Enter"])
    began = time.monotonic()
    assert work.document("phux_wait", target="work", until="READY")["outcome"] == "met"
    assert time.monotonic() - began > 0.3
    act = work.document("phux_act", target="work", keys=["sleep 0.5; echo READY", "Enter"], regex="READY")
    assert act["met_line"] == "READY"
    typed = work.document("phux_act", target="work", keys=["echo typed"], until="echo typed", timeout_secs=0.2)
    assert typed["outcome"] == "timed_out"
    assert "output_only" in typed["hint"]


def test_logs_searches_and_the_ledger_find_earlier_output_and_commands(work, cli):
    work.document("phux_run", target="work", command="seq 1 100; echo needle")
    logs = work.document("phux_logs", target="work", lines=3)
    assert "needle" in logs["content"]
    assert logs["hint"]
    assert work.document("phux_logs", target="work", grep="^7.$", context=0)["content"].split() == [
        str(number) for number in range(70, 80)
    ]
    more = work.document("phux_run", target="work", command="echo later")
    assert "needle" not in work.document("phux_logs", target="work", since=more["seq"]["start"])["content"]
    matches = work.document("phux_search", pattern="^needle$")["matches"]
    assert [match["target"] for match in matches] == [work.pane]
    assert work.document("phux_search", pattern="^5", session="work", max_matches=1)["truncated"]
    work.document("phux_new", name="gone", command=["echo", "of a pane that is gone"])
    work.document("phux_wait", target="gone", state=["dead"])
    assert cli("kill", "gone").code == 0
    assert work.document("phux_search", pattern="^of a pane")["matches"] == []
    assert len(work.document("phux_search", pattern="^of a pane", everywhere=True)["matches"]) == 1
    ran = [one["command"] for one in work.document("phux_commands")["commands"]]
    assert ran[-2:] == ["seq 1 100; echo needle", "echo later"]
    newest = work.document("phux_commands", target="work", max_commands=1)
    assert (newest["commands"][0]["command"], newest["omitted"]) == ("echo later", 1)


def test_what_failed_is_found_by_time_exit_code_and_text_also_in_closed_panes(work, cli):
    work.document("phux_new", name="gone", command=["bash", "--norc"])
    work.document("phux_run", target="gone", command="echo broken there; (exit 4)")
    assert cli("kill", "gone").code == 0
    work.document("phux_run", target="work", command="echo broken here; (exit 5)")
    work.document("phux_run", target="work", command="echo not broken")
    when = {"everywhere": True, "failed": True, "since": "today"}
    found = work.document("phux_commands", **when, grep="broken")["commands"]
    assert [entry["exit_code"] for entry in found] == [4, 5]
    assert work.document("phux_commands", everywhere=True, until="yesterday")["commands"] == []
    (match,) = work.document("phux_search", pattern="^broken", exit_code="4", everywhere=True, since="1h")["matches"]
    assert match["text"] == "broken there"
    assert work.document("phux_logs", command_id=match["command_id"])["content"] == "broken there"
    assert work.document("phux_search", pattern="broken$", **when)["matches"] == []
    assert "is not a time" in work.failure("phux_commands", since="soon")


def test_windows_and_panes_are_created_arranged_and_named(work):
    below = work.document("phux_split", target="work", direction="down", size="30%", command=["cat"])
    window = work.document("phux_split", target="work", window=True, name="second", select=True)
    assert (window["window"], window["window_name"]) == (1, "second")
    assert work.document("phux_select", target=below["target"])["window"] == 0
    assert work.document("phux_resize", target=below["target"], rows=5)["rows"] == 5
    moved = work.document("phux_resize", target=below["target"], side="up", by=2)
    assert moved["rows"] == 7
    assert work.document("phux_resize", target=below["target"], zoom=True)["zoomed"]
    assert work.document("phux_rename", target="work:second", name="other")["window_name"] == "other"
    assert work.document("phux_rename", target="work", name="play")["session"] == "play"
    tree = work.document("phux_tree")
    assert [len(window["panes"]) for window in tree["sessions"][0]["windows"]] == [2, 1]
    assert "no direction" in work.failure("phux_split", target="play", window=True, direction="down")
    assert "no name" in work.failure("phux_split", target="play", name="x")
    assert "send `zoom` alone" in work.failure("phux_resize", target="play", zoom=True, cols=3)
    assert "the size is missing" in work.failure("phux_resize", target="play")


def test_a_selection_shown_only_by_color_is_reported_as_text(work):
    draw = "printf '\\033[H\\033[2J  one\\n\\033[7m  two\\033[m\\n\\033[34m  three\\033[m\\n'"
    done = work.document("phux_act", target="work", keys=[draw, "Enter"], regex="^  three$", cells=True)
    assert {"row": 1, "col": 0, "text": "  two", "style": "inverse"} in done["highlights"]
    assert {"row": 2, "col": 0, "text": "  three", "style": "fg=4"} in done["highlights"]
    assert "highlights" not in work.document("phux_snapshot", target="work")


def test_pasted_text_reaches_the_shell(work):
    work.document("phux_paste", target="work", text="echo pasted")
    work.document("phux_send_keys", target="work", keys=["Enter"])
    assert work.document("phux_wait", target="work", regex="^pasted$", timeout_secs=10)["outcome"] == "met"


def test_literal_keys_are_text(work):
    work.document("phux_send_keys", target="work", keys=["Enter"], literal=True)
    assert (
        work.document("phux_wait", target="work", until="$ Enter", output_only=False, timeout_secs=10)["outcome"]
        == "met"
    )


def test_arguments_and_keys_are_accepted_as_models_spell_them(work):
    sent = work.document("phux_send_keys", target="work", keys="cat", literal=None)
    assert sent["sent"]
    work.document("phux_send_keys", target="work", keys=["<CR>"])
    work.document("phux_wait", target="work", state="awaiting_input", timeout_secs="10")
    hint = work.document("phux_send_keys", target="work", keys=["end", "home", "Home", "ArrowRight"])["hint"]
    assert '"end" was typed as text; the key is "End"' in hint
    work.document("phux_wait", target="work", until="endhome", timeout_secs=10)
    done = work.document("phux_act", target="work", keys="Ctrl+C", state="prompt", timeout_secs="10")
    assert done["outcome"] == "met"
    work.document("phux_run", target="work", command="sleep 100", detach="true")
    work.document("phux_wait", target="work", state=["running"], timeout_secs=10)
    assert work.document("phux_signal", target=int(work.pane[1:]), signal="SIGTERM")["signal"] == "TERM"
    work.document("phux_new", name="line", command="echo one && echo two; cat")
    assert work.document("phux_wait", target="line", until="two", timeout_secs=10)["outcome"] == "met"


# Texts


def test_a_text_has_neither_defaults_nor_arguments_nor_blank_rows(work):
    texts = {
        "ls": work.text("phux_ls"),
        "new": work.text("phux_new", name="other"),
        "run": work.text("phux_run", target="work", command="true"),
        "output": work.text("phux_run", target="work", command="echo hi; (exit 3)"),
        "send": work.text("phux_send_keys", target=work.pane, keys=["# x"]),
        "act": work.text("phux_act", target="work", keys=["C-u"], idle_ms=50),
        "wait": work.text("phux_wait", target="work", until="hi", timeout_secs=10),
        "screen": work.text("phux_snapshot", target="work"),
        "logs": work.text("phux_logs", target="work", lines=2),
        "commands": work.text("phux_commands", target="work"),
        "split": work.text("phux_split", target="work"),
        "tree": work.text("phux_tree"),
    }
    documents = {name: json.loads(text) for name, text in texts.items()}
    assert documents["ls"] == {"sessions": [{"name": "work", "windows": 1, "attached": False}]}
    assert documents["new"] == {"target": "@2"}
    assert documents["run"] == {"exit_code": 0, "output": ""}
    assert documents["output"] == {"exit_code": 3, "output": "hi"}
    assert documents["send"] == {"sent": True}
    assert documents["act"].keys() <= {"target", "seq", "changed", "cursor", "state", "outcome", "blank"}
    assert documents["wait"].keys() == {"target", "outcome", "line", "seq", "state", "screen_tail"}
    assert documents["screen"].keys() == {"target", "cursor", "seq", "state", "lines"}
    assert documents["screen"]["lines"][-1]
    ran, *_ = documents["commands"]["commands"]
    assert ran.keys() == {"command_id", "command", "cwd", "started_at", "exit_code"}
    for name, text in texts.items():
        assert not re.search(r'"(schema_version|pane|terminal|terminal_id|polls)"|": |null', text), name


def test_rows_that_became_blank_are_named_by_their_numbers(work):
    work.document("phux_run", target="work", command="seq 1 40")
    text = json.loads(work.text("phux_act", target="work", keys=["clear; echo top; cat", "Enter"], until="top"))
    assert text["blank"].endswith("-23")
    assert all(row["text"] for row in text["changed"])


def test_every_result_names_panes_by_target(work):
    def keys(value):
        if isinstance(value, list):
            return set().union(*map(keys, value))
        return set(value).union(*map(keys, value.values())) if isinstance(value, dict) else set()

    started = work.document("phux_run", target="work", command="echo needle", detach=True)
    results = [
        started,
        work.document("phux_wait", target="work", state=["prompt"], timeout_secs=10),
        work.document("phux_send_keys", target="work", keys=["x"]),
        work.document("phux_act", target="work", keys=["C-u"], idle_ms=50),
        work.document("phux_snapshot", target="work"),
        work.document("phux_logs", target="work"),
        work.document("phux_logs", command_id=started["command_id"]),
        work.document("phux_search", pattern="needle"),
        work.document("phux_commands"),
        work.document("phux_split", target="work"),
    ]
    for result in results:
        assert not keys(result) & {"pane", "terminal", "terminal_id"}
        assert "target" in keys(result)
    assert {result["target"] for result in results[:7]} == {work.pane}
    tree = work.document("phux_tree")
    (window,) = tree["sessions"][0]["windows"]
    assert [pane["target"] for pane in window["panes"]] == [work.pane, "@2"]
    assert (window["layout"]["first"], tree["focused_pane"]) == (work.pane, work.pane)


def test_highlights_are_returned_without_cells(work):
    draw = "printf '\\033[H\\033[2J  one\\n\\033[7m  two\\033[m\\n'"
    done = work.document("phux_act", target="work", keys=[draw, "Enter"], regex="^  two$", highlights=True)
    assert {"row": 1, "col": 0, "text": "  two", "style": "inverse"} in done["highlights"]
    assert "cells" not in done
    screen = work.call("phux_snapshot", target="work", cells=True)
    assert screen["structuredContent"]["cells"]
    assert "cells" not in json.loads(screen["content"][0]["text"])


# Omissions


def test_every_default_result_stays_within_the_budget(work):
    work.document("phux_resize", target="work", cols=300, rows=100)
    heavy = f"yes {chr(0x6F22) * 149} | head -n 400"
    work.document("phux_run", target="work", command=f"PS1=; {heavy}", max_bytes=100)
    for number in range(15):
        work.document("phux_run", target="work", command=f": {number} {'x' * 1500}")
    for number in range(40):
        work.document("phux_new", name=f"session {number}", command=["cat"])
    results = {
        "run": work.text("phux_run", target="work", command=heavy),
        "numbers": work.text("phux_run", target="work", command="seq 1 100000"),
        "grep": work.text("phux_run", target="work", command=heavy, grep="."),
        "screen": work.text("phux_snapshot", target="work"),
        "history": work.text("phux_snapshot", target="work", scrollback=0),
        "cells": work.text("phux_snapshot", target="work", cells=True, scrollback=0),
        "act": work.text("phux_act", target="work", keys=[heavy, "Enter"], since=0, cells=True),
        "logs": work.text("phux_logs", target="work", lines=100000),
        "search": work.text("phux_search", pattern=".", max_matches=1000, context=3),
        "commands": work.text("phux_commands", max_commands=1000),
        "tree": work.text("phux_tree"),
    }
    assert {name: tokens(text) for name, text in results.items() if tokens(text) > TOKENS} == {}
    for name, text in results.items():
        document = json.loads(text)
        assert document.get("hint") or document["omitted"]["hint"], name
    assert json.loads(results["history"])["omitted"]["scrollback_rows"] > 0
    assert tokens(work.text("phux_snapshot", target="work", scrollback=0, max_bytes=200_000)) > TOKENS
    (one,) = work.document("phux_tree", session="session 39")["sessions"]
    assert one["name"] == "session 39"
    assert len(work.document("phux_tree", max_bytes=500_000)["sessions"]) == 41
    assert "is not a session" in work.failure("phux_tree", session="work:0")


def test_omitted_output_can_be_read_without_running_the_command_again(work):
    ran = work.document("phux_run", target="work", command="seq 1 50000; echo once >> ran")
    assert ran["truncated"]
    command = ran["hint"].split('"')[1]
    found = work.document("phux_logs", command_id=command, grep="^2345.$")["content"].split()
    assert found == [f"2345{digit}" for digit in range(10)]
    assert work.document("phux_run", target="work", command="cat ran; rm ran")["output"] == "once"
    hint = work.document("phux_logs", command_id=command)["hint"]
    target, place = re.search(r"target (@\d+) instead, from_byte (\d+)", hint).groups()
    pieces, going_on = [], True
    while going_on:
        read = work.document("phux_logs", target=target, from_byte=int(place), max_bytes=100_000)
        pieces.append(read["content"])
        place, going_on = read["next_byte"], not read["eof"]
    assert [line for line in "\n".join(pieces).splitlines() if line.isdecimal()] == [*map(str, range(1, 50001))]


def test_a_watch_ends_when_the_budget_is_used_up(work):
    watching = work.start("phux_watch", target="work", events=["title_changed"], max_events=1000, timeout_secs=20)
    titles = "for i in $(seq 1 600); do printf '\\033]0;%0200d\\007' $i; sleep 0.01; done"
    work.document("phux_send_keys", target="work", keys=[titles, "Enter"])
    watched = work.reply(watching)["result"]["structuredContent"]
    assert watched["outcome"] == "full"
    assert 10 < watched["count"] < 600
    assert "call again" in watched["hint"]
    work.document("phux_send_keys", target="work", keys=["C-c"])


# Safety


def test_a_tool_that_is_not_allowed_cannot_be_called(start_host):
    host = start_host("--safety", "read-only").begin("2025-11-25")
    assert host.error("tools/call", {"name": "phux_new", "arguments": {"name": "x"}})["code"] == -32602
    assert host.document("phux_ls")["sessions"] == []


def test_kill_can_be_called_at_the_destructive_safety_level(start_host):
    host = start_host("--safety", "destructive").begin("2025-11-25")
    host.document("phux_new", name="work")
    assert host.document("phux_kill", target="work")["killed"] == 1
    assert host.document("phux_ls")["sessions"] == []


@pytest.mark.parametrize("told", [True, False], ids=["pane known by environment", "pane known by ancestors"])
def test_the_pane_that_the_host_runs_in_is_never_ended(cli, told):
    cli.json("new", "-s", "home")
    cli.json("new", "-s", "other")
    unset = "" if told else "env -u PHUX_PANE "
    calls = [
        {
            "jsonrpc": "2.0",
            "id": number,
            "method": "tools/call",
            "params": {"name": name, "arguments": {"target": target}},
        }
        for number, (name, target) in enumerate(
            [("phux_kill", "home"), ("phux_kill", "home:0.0"), ("phux_signal", "home"), ("phux_kill", "other")]
        )
    ]
    begin = {"jsonrpc": "2.0", "id": "b", "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}
    (cli.cwd / "calls").write_text("".join(json.dumps(line) + "\n" for line in [begin, *calls]))
    # The shell is the parent of the adapter, as a host is.
    command = f"{unset}{BIN / 'phux-mcp'} --safety destructive < calls > replies; true"
    assert cli("run", "home", command, "--timeout", "30").code == 0
    replies = {reply["id"]: reply for reply in map(json.loads, (cli.cwd / "replies").read_text().splitlines())}
    for number in range(3):
        result = replies[number]["result"]
        assert result["isError"]
        assert "this host runs in it" in result["content"][0]["text"]
    assert not replies[3]["result"]["isError"]
    eventually(lambda: [one["name"] for one in cli.json("ls")["sessions"]] == ["home"])


def test_a_pane_of_another_server_with_the_hosts_pane_id_can_be_ended(start_host, socket, tmp_path):
    host = start_host(
        *("--safety", "destructive", "--socket", socket), PHUX_SOCKET=str(tmp_path / "other.sock"), PHUX_PANE="@1"
    ).begin("2025-11-25")
    assert host.document("phux_new", name="work")["target"] == "@1"
    assert host.document("phux_kill", target="@1")["killed"] == 1


# Resources


def test_the_log_of_a_pane_is_a_resource_with_change_notifications(work):
    work.document("phux_run", target="work", command="echo into the log")
    log = f"phux://pane/{work.pane[1:]}/log"
    read = work.result("resources/read", {"uri": log})["contents"][0]
    assert "into the log" in read["text"].splitlines()
    for uri in (log, "phux://sessions"):
        assert work.result("resources/subscribe", {"uri": uri}) == {}
    work.document("phux_new", name="another")
    work.document("phux_run", target="work", command="echo more")
    told = [message["params"]["uri"] for message in work.notifications]
    while len(set(told)) < 2:
        told.append(work.receive()["params"]["uri"])
    for uri in (log, "phux://sessions"):
        work.result("resources/unsubscribe", {"uri": uri})


def test_a_pane_that_writes_continuously_is_reported_at_intervals(work):
    screen = f"phux://pane/{work.pane[1:]}/screen"
    work.document("phux_send_keys", target="work", keys=["yes", "Enter"])
    work.document("phux_wait", target="work", regex="^y$")
    work.result("resources/subscribe", {"uri": screen})  # while the program writes
    began = time.monotonic()
    for _ in range(3):
        assert work.receive(10)["params"]["uri"] == screen
    assert time.monotonic() - began > 0.36  # although the program writes thousands of times a second
    work.document("phux_send_keys", target="work", keys=["C-c"])
    work.result("resources/unsubscribe", {"uri": screen})


@pytest.mark.parametrize(
    "uri", ["phux://pane/9999/screen", "phux://nonsense", "file:///etc/passwd", "phux://pane/1/nonsense"]
)
def test_a_missing_resource_is_an_error(shared, uri):
    shared.begin("2025-11-25")
    assert shared.error("resources/read", {"uri": uri})["code"] == -32002
    assert shared.error("resources/subscribe", {"uri": uri})["code"] == -32002


def test_a_result_with_a_part_of_the_output_links_to_the_whole_output(work):
    content = work.call("phux_run", target="work", command="seq 1 3000; (exit 3)", tail=2)["content"]
    assert json.loads(content[0]["text"])["output"] == "2999\n3000"
    assert (content[1]["type"], content[1]["mimeType"]) == ("resource_link", "text/plain")
    (read,) = work.result("resources/read", {"uri": content[1]["uri"]})["contents"]
    assert read["text"].split() == [str(number) for number in range(1, 3001)]
    assert len(work.call("phux_run", target="work", command="echo short")["content"]) == 1
    assert work.error("resources/read", {"uri": "phux://command/1.99"})["code"] == -32002
    assert work.error("resources/subscribe", {"uri": "phux://command/99.1"})["code"] == -32002


def test_the_host_is_told_when_the_list_of_resources_changes(work):
    assert work.is_silent()  # it has not asked for the list
    work.result("resources/list")
    work.document("phux_new", name="another")
    work.notifications or work.notifications.append(work.receive())
    assert {message["method"] for message in work.notifications} == {"notifications/resources/list_changed"}
    uris = {entry["uri"] for entry in work.result("resources/list")["resources"]}
    assert "phux://pane/2/screen" in uris


@pytest.mark.parametrize(
    ("ref", "name", "typed", "value"),
    [
        ({"type": "ref/prompt", "name": "run-and-fix"}, "target", "wo", "work"),
        ({"type": "ref/prompt", "name": "run-and-fix"}, "target", "@", "@1"),
        ({"type": "ref/prompt", "name": "run-and-fix"}, "command", "make", "make tests || true"),
        ({"type": "ref/prompt", "name": "drive-a-TUI"}, "program", "make", "make tests || true"),
        ({"type": "ref/resource", "uri": "phux://pane/{id}/screen"}, "id", "", "1"),
        ({"type": "ref/resource", "uri": "phux://command/{id}"}, "id", "1.", "1.1"),
    ],
)
def test_arguments_of_prompts_and_templates_are_completed(start_shared, ref, name, typed, value):
    host = start_shared().begin("2025-11-25")
    if not host.document("phux_ls")["sessions"]:
        host.document("phux_new", name="work")
        host.document("phux_run", target="work", command="make tests || true")
    completion = host.result("completion/complete", {"ref": ref, "argument": {"name": name, "value": typed}})
    assert value in completion["completion"]["values"]
    assert completion["completion"]["hasMore"] is False


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"ref": {"type": "ref/prompt", "name": "nonsense"}, "argument": {"name": "x", "value": ""}},
        {"ref": {"type": "ref/prompt", "name": "run-and-fix"}, "argument": {"name": "x", "value": ""}},
        {"ref": {"type": "ref/prompt", "name": "run-and-fix"}, "argument": {"name": "target", "value": 1}},
        {"ref": {"type": "ref/resource", "uri": "phux://sessions"}, "argument": {"name": "id", "value": ""}},
        {"ref": {"type": "ref/tool"}, "argument": {"name": "id", "value": ""}},
    ],
)
def test_an_invalid_completion_is_an_error(shared, params):
    shared.begin("2025-11-25")
    assert shared.error("completion/complete", params)["code"] == -32602


def test_a_snapshot_has_an_image_on_request(work):
    text, image = work.call("phux_snapshot", target="work", image=True)["content"]
    assert text["type"] == "text"
    assert (image["type"], image["mimeType"]) == ("image", "image/png")
    assert base64.b64decode(image["data"]).startswith(b"\x89PNG")

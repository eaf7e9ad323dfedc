"""The catalog: small, complete, and true to the schemas."""

from __future__ import annotations

import io
import json
import os
import sys

import jsonschema
import pytest

from phux_core.errors import BadRequestError
from phux_core.kinds import TEXT, Param, number, whole
from phux_mcp import main, prompts
from phux_mcp.catalog import SAFETY, Tool
from phux_mcp.main import PROFILES, load_toolset
from phux_mcp.revisions import NEWEST, OLDEST, REVISIONS

READING = {
    *("phux_ls", "phux_snapshot", "phux_wait", "phux_tree", "phux_watch", "phux_logs", "phux_search", "phux_commands")
}
TOOLS = [
    *("phux_ls", "phux_snapshot", "phux_send_keys", "phux_run", "phux_wait", "phux_new"),
    *("phux_tree", "phux_watch", "phux_logs", "phux_search", "phux_commands", "phux_paste", "phux_signal", "phux_act"),
    *("phux_split", "phux_select", "phux_rename", "phux_resize", "phux_kill"),
]


def listing(profile="phux", safety="destructive", revision=NEWEST):
    return load_toolset(profile, safety).listing(revision)


def test_the_tools_are_these_and_at_most_twenty():
    assert [tool["name"] for tool in listing()] == TOOLS
    assert len(TOOLS) <= 20


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("revision", REVISIONS.values(), ids=list(REVISIONS))
def test_the_catalog_is_small_and_its_words_are_short(profile, revision):
    toolset = load_toolset(profile, "destructive")
    assert len(json.dumps(toolset.listing(revision))) < 25_000  # also as a host that writes blanks passes it on
    assert len(toolset.instructions) < 2048
    for tool in toolset.listing(revision):
        assert len(tool["description"]) < 2048
        assert tool["name"].isidentifier()


@pytest.mark.parametrize("profile", PROFILES)
def test_every_schema_is_one(profile):
    for tool in listing(profile):
        jsonschema.Draft202012Validator.check_schema(tool["inputSchema"])
        assert tool["inputSchema"]["additionalProperties"] is False
        if "outputSchema" in tool:
            jsonschema.Draft202012Validator.check_schema(tool["outputSchema"])
            assert tool["outputSchema"]["type"] == "object"


def test_what_a_host_may_do_is_what_it_is_shown():
    shown = {safety: {tool["name"] for tool in listing(safety=safety)} for safety in SAFETY}
    assert shown["read-only"] < shown["mutating"] < shown["destructive"]
    assert shown["destructive"] - shown["mutating"] == {"phux_kill"}
    assert shown["read-only"] == READING
    read_only = {tool["name"] for tool in listing() if tool["annotations"].get("readOnlyHint")}
    assert read_only == shown["read-only"]
    assert [tool["name"] for tool in listing() if tool["annotations"].get("destructiveHint")] == ["phux_kill"]


def test_what_is_not_allowed_is_not_found():
    assert load_toolset("phux", "mutating").find("phux_kill", NEWEST) is None
    assert load_toolset("phux", "read-only").find("phux_run", NEWEST) is None


def test_every_tool_takes_a_socket_and_names_only_tools_that_are_there():
    toolset = load_toolset("phux", "destructive")
    for tool in toolset.listing(NEWEST):
        assert tool["inputSchema"]["properties"]["socket"]["type"] == "string"
    words = json.dumps(toolset.listing(NEWEST)) + toolset.instructions
    for name in (prompt["name"] for prompt in prompts.listing()):
        given = dict.fromkeys(("command", "program", "goal"), "x")
        known = {one["name"] for prompt in prompts.listing() if prompt["name"] == name for one in prompt["arguments"]}
        filled = {key: value for key, value in given.items() if key in known}
        words += prompts.get(name, filled)["messages"][0]["content"]["text"]
    named = {word.strip("`'\".,;:()[]{}\\") for word in words.replace("/", " ").split() if "phux_" in word}
    assert {name.split("'")[0] for name in named if name.startswith("phux_")} <= set(TOOLS)


def test_a_server_is_looked_for_in_the_runtime_directory_that_a_host_does_not_tell_of(monkeypatch, tmp_path):
    monkeypatch.setattr(main, "_RUNTIME", str(tmp_path))
    monkeypatch.setattr(sys, "stdout", io.StringIO())

    def found(told):
        monkeypatch.setenv("XDG_RUNTIME_DIR", told)
        assert main.main(["--schema"]) == 0
        return os.environ["XDG_RUNTIME_DIR"]

    assert found("") == ""
    (tmp_path / str(os.getuid()) / "phux").mkdir(parents=True)
    assert found("") == str(tmp_path / str(os.getuid()))
    assert found("/elsewhere") == "/elsewhere"


async def nothing(_call, _arguments):
    """Do nothing."""


TOOL = Tool(
    "tool",
    "A tool",
    "Does nothing.",
    nothing,
    params=[
        Param("text", TEXT, "some text", required=True),
        Param("count", whole(1, 9), ""),
        Param("time", number(), ""),
    ],
    seed=("text",),
)


@pytest.mark.parametrize(
    ("given", "revision", "says"),
    [
        ({}, NEWEST, "tool needs the parameter `text`; send a string: some text"),
        ({"text": "x", "other": 1}, NEWEST, "tool has no parameter 'other'; it accepts text, count, time"),
        ({"text": "x", "count": 1}, OLDEST, "tool has no parameter 'count'; it accepts text"),
        ({"text": "x", "count": 1.5}, NEWEST, "a whole number from 1 to 9"),
        ({"text": "x", "count": 10**400}, NEWEST, "a whole number from 1 to 9"),
        ({"text": "x", "time": float("nan")}, NEWEST, "send a number from 0"),
    ],
)
def test_wrong_arguments_are_refused_with_what_to_send_instead(given, revision, says):
    with pytest.raises(BadRequestError) as caught:
        TOOL.check(given, revision)
    assert says in f"{caught.value.message}; {caught.value.remedy}"


def test_right_arguments_come_back_with_whole_numbers_whole():
    checked = TOOL.check({"text": "", "count": 2.0, "time": 0.5}, NEWEST)
    assert checked == {"text": "", "count": 2, "time": 0.5}
    assert isinstance(checked["count"], int)


def test_null_is_the_same_as_an_omitted_argument():
    assert TOOL.check({"text": "x", "time": None}, NEWEST) == {"text": "x"}

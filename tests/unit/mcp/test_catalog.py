"""The tool catalog: its size, its tools, its schemas and its argument checks."""

from __future__ import annotations

import json
import os

import jsonschema
import pytest

from phux_core.errors import BadRequestError
from phux_core.kinds import TEXT, Param, number, whole
from phux_mcp import environment, prompts
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


def test_the_catalog_lists_exactly_the_expected_tools_and_at_most_twenty():
    assert [tool["name"] for tool in listing()] == TOOLS
    assert len(TOOLS) <= 20


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("revision", REVISIONS.values(), ids=list(REVISIONS))
def test_the_catalog_and_its_descriptions_stay_within_size_limits(profile, revision):
    toolset = load_toolset(profile, "destructive")
    assert len(json.dumps(toolset.listing(revision))) < 25_000  # with blanks, which some hosts add to the JSON
    assert len(toolset.instructions) < 2048
    for tool in toolset.listing(revision):
        assert len(tool["description"]) < 2048
        assert tool["name"].isidentifier()


def test_the_catalog_that_a_model_reads_has_less_than_3000_tokens():
    shown = [{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in listing()]
    # A tokenizer makes about one token of 4.3 characters; tests/bench/bench_tokens.py counts tokens.
    assert len(json.dumps(shown, separators=(",", ":"))) < 12_900


@pytest.mark.parametrize("profile", PROFILES)
def test_every_tool_schema_is_valid(profile):
    for tool in listing(profile):
        jsonschema.Draft202012Validator.check_schema(tool["inputSchema"])
        if "outputSchema" in tool:
            jsonschema.Draft202012Validator.check_schema(tool["outputSchema"])
            assert tool["outputSchema"]["type"] == "object"


def test_each_safety_level_lists_only_the_tools_it_allows():
    shown = {safety: {tool["name"] for tool in listing(safety=safety)} for safety in SAFETY}
    assert shown["read-only"] < shown["mutating"] < shown["destructive"]
    assert shown["destructive"] - shown["mutating"] == {"phux_kill"}
    assert shown["read-only"] == READING
    read_only = {tool["name"] for tool in listing() if tool["annotations"].get("readOnlyHint")}
    assert read_only == shown["read-only"]


def test_the_annotations_say_what_a_tool_can_do():
    hints = {tool["name"]: tool["annotations"] for tool in listing()}
    runs_programs = {"phux_run", "phux_act", "phux_send_keys", "phux_paste", "phux_new", "phux_split"}
    assert {name for name, hint in hints.items() if hint["openWorldHint"]} == runs_programs
    destructive = {name for name, hint in hints.items() if hint.get("destructiveHint")}
    assert destructive == runs_programs | {"phux_kill", "phux_signal"}
    for hint in hints.values():
        assert ("destructiveHint" in hint) != hint.get("readOnlyHint", False)
    for profile, names in {
        "tmux": {"create_session", "create_window", "split_window", "send_keys"},
        "terminally": {"create_tab", "execute_command", "start_process"},
    }.items():
        hints = {tool["name"].removeprefix("tmux_"): tool["annotations"] for tool in listing(profile)}
        assert {name for name, hint in hints.items() if hint["openWorldHint"]} == names


def test_tools_that_the_safety_level_does_not_allow_are_not_found():
    assert load_toolset("phux", "mutating").find("phux_kill", NEWEST) is None
    assert load_toolset("phux", "read-only").find("phux_run", NEWEST) is None


def test_every_tool_accepts_a_socket_and_all_texts_mention_only_existing_tools():
    toolset = load_toolset("phux", "destructive")
    for name in TOOLS:
        tool = toolset.find(name, NEWEST)
        required = {param.name: "INT" if param.name == "signal" else "x" for param in tool.params if param.required}
        assert tool.check({**required, "socket": "/x"}, NEWEST)["socket"] == "/x"
    text = json.dumps(toolset.listing(NEWEST)) + toolset.instructions
    for name in (prompt["name"] for prompt in prompts.listing()):
        given = dict.fromkeys(("command", "program", "goal"), "x")
        known = {one["name"] for prompt in prompts.listing() if prompt["name"] == name for one in prompt["arguments"]}
        filled = {key: value for key, value in given.items() if key in known}
        text += prompts.get(name, filled)["messages"][0]["content"]["text"]
    named = {word.strip("`'\".,;:()[]{}\\") for word in text.replace("/", " ").split() if "phux_" in word}
    assert {name.split("'")[0] for name in named if name.startswith("phux_")} <= set(TOOLS)


def test_the_default_runtime_directory_is_used_when_the_host_sets_none(monkeypatch, tmp_path):
    monkeypatch.setattr(environment, "_RUNTIME", str(tmp_path))

    def runtime_directory_with(value):
        monkeypatch.setenv("XDG_RUNTIME_DIR", value)
        environment.complete(None)
        return os.environ["XDG_RUNTIME_DIR"]

    assert runtime_directory_with("") == ""
    (tmp_path / str(os.getuid()) / "phux").mkdir(parents=True)
    assert runtime_directory_with("") == str(tmp_path / str(os.getuid()))
    assert runtime_directory_with("/elsewhere") == "/elsewhere"


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
    ("given", "revision", "expected"),
    [
        ({}, NEWEST, "tool needs the parameter `text`; send a string: some text"),
        ({"text": "x", "other": 1}, NEWEST, "tool has no parameter 'other'; it accepts text, count, time"),
        ({"text": "x", "count": 1}, OLDEST, "tool has no parameter 'count'; it accepts text"),
        ({"text": "x", "count": 1.5}, NEWEST, "a whole number from 1 to 9"),
        ({"text": "x", "count": 10**400}, NEWEST, "a whole number from 1 to 9"),
        ({"text": "x", "time": float("nan")}, NEWEST, "send a number from 0"),
    ],
)
def test_invalid_arguments_are_refused_with_the_accepted_values(given, revision, expected):
    with pytest.raises(BadRequestError) as caught:
        TOOL.check(given, revision)
    assert expected in f"{caught.value.message}; {caught.value.remedy}"


def test_valid_arguments_are_returned_with_whole_numbers_as_int():
    checked = TOOL.check({"text": "", "count": 2.0, "time": 0.5}, NEWEST)
    assert checked == {"text": "", "count": 2, "time": 0.5}
    assert isinstance(checked["count"], int)


def test_an_argument_that_is_null_counts_as_omitted():
    assert TOOL.check({"text": "x", "time": None}, NEWEST) == {"text": "x"}

"""Setting one entry in a host's configuration file changes no other byte."""

from __future__ import annotations

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phux_mcp.config_text import ConfigError, set_in_json, set_in_toml

PATH = ("mcpServers", "phux")
ENTRY = {"command": "/bin/phux-mcp", "args": ["--safety", "read-only"]}


def kept_around(old, new):
    """Return True if the new text consists of the old text and one insertion."""
    prefix = next((place for place, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), len(old))
    return new.endswith(old[prefix:])


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "{\n}\n",
        '{"a": 1}',
        '{\n  "a": 1\n}\n',
        '{\n  "a": 1,\n}\n',
        '{\n\t"a": {\n\t\t"b": [1, 2, {"c": "}"}]\n\t}\n}\n',
        '{\n  // mine\n  "a": 1, /* and */ "b": "// no comment"\n  // the end\n}\n',
        '{\r\n    "a": 1\r\n}\r\n',
        '{"mcpServers": {}}',
        '{\n  "mcpServers": {\n    "other": {"command": "x", "env": {"KEY": "s3cret"}}\n  },\n  "z": null\n}\n',
        '{\n  "mcpServers": {\n    "other": {}, // last\n  }\n}',
        '\ufeff{\n  "mcpServers": { }\n}\n',
        '{"mcpServers": {"phux": {}}}',
    ],
)
def test_json_text_around_the_entry_is_unchanged(text):
    new = set_in_json(text, PATH, ENTRY)
    assert kept_around(text, new)
    assert set_in_json(new, PATH, ENTRY) == new
    assert without_comments(new)["mcpServers"]["phux"] == ENTRY
    old, expected = without_comments(text), without_comments(new)
    for key in old:
        if key != "mcpServers":
            assert old[key] == expected[key]
    for key, value in old.get("mcpServers", {}).items():
        if key != "phux":
            assert expected["mcpServers"][key] == value


def without_comments(text):
    """Parse JSON with comments, independently of the tested code."""
    text = text.lstrip("\ufeff")
    kept, place, inside = [], 0, False
    while place < len(text):
        if inside or text[place] == '"':
            inside = (text[place] != '"') if inside else True
            step = 2 if text[place] == "\\" else 1
        elif text.startswith("//", place):
            place = (text + "\n").index("\n", place)
            continue
        elif text.startswith("/*", place):
            place = text.index("*/", place) + 2
            continue
        else:
            step = 1
        kept.append(text[place : place + step])
        place += step
    plain = "".join(kept)
    for closing in "}]":
        pieces = plain.split(closing)
        plain = closing.join([piece.rstrip().removesuffix(",") for piece in pieces[:-1]] + pieces[-1:])
    return json.loads(plain)


def test_an_existing_json_entry_is_updated_and_keeps_its_comments_and_other_keys():
    text = '{\n  "mcpServers": {\n    "phux": {\n      "command": "old", // why\n      "env": {"A": "b"},\n      "args": []\n    }\n  }\n}\n'
    new = set_in_json(text, PATH, ENTRY)
    assert "// why" in new
    assert without_comments(new)["mcpServers"]["phux"] == ENTRY | {"env": {"A": "b"}}


def test_an_empty_file_becomes_a_complete_configuration():
    assert json.loads(set_in_json("", PATH, ENTRY)) == {"mcpServers": {"phux": ENTRY}}
    assert tomllib.loads(set_in_toml("", ("mcp_servers", "phux"), ENTRY)) == {"mcp_servers": {"phux": ENTRY}}


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "nonsense",
        '{"a": }',
        '{"a" 1}',
        '{"a": 1} x',
        '{"mcpServers": 3}',
        '{"mcpServers": {"phux": "x"}}',
        '{"a": "',
    ],
)
def test_json_that_cannot_be_edited_safely_is_refused(text):
    with pytest.raises(ConfigError):
        set_in_json(text, PATH, ENTRY)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(max_size=6), JSON, max_size=4), st.sampled_from([None, 2, "\t"]))
def test_the_entry_is_added_to_any_json_object(document, indent):
    text = json.dumps(document, indent=indent)
    new = set_in_json(text, PATH, ENTRY)
    assert kept_around(text, new)
    assert json.loads(new) == document | {"mcpServers": {"phux": ENTRY}}


TABLE = ("mcp_servers", "phux")


@pytest.mark.parametrize(
    "text",
    [
        '# mine\nmodel = "x"\n',
        'model = "x"',
        '[mcp_servers.other]\ncommand = "y" # why\n\n[mcp_servers.other.env]\nKEY = "s3cret"\n',
        "[mcp_servers.phux.env]\nA = 'b'\n",
    ],
)
def test_toml_text_before_a_new_table_is_unchanged(text):
    new = set_in_toml(text, TABLE, ENTRY)
    assert set_in_toml(new, TABLE, ENTRY) == new
    assert new.startswith(text) or "phux" in text
    assert {key: tomllib.loads(new)["mcp_servers"]["phux"][key] for key in ENTRY} == ENTRY


def test_an_existing_toml_table_is_updated_and_keeps_its_comments_and_other_keys():
    text = (
        '[mcp_servers.phux] # ours\ncommand = "old" \nenabled = true # keep\nargs = []\n\n[other]\ncommand = "theirs"\n'
    )
    new = set_in_toml(text, TABLE, ENTRY)
    assert tomllib.loads(new) == {
        "mcp_servers": {"phux": {**ENTRY, "enabled": True}},
        "other": {"command": "theirs"},
    }
    assert "# ours" in new
    assert "enabled = true # keep\n" in new


@pytest.mark.parametrize(
    "text",
    [
        "nonsense",
        'mcp_servers = { phux = { command = "old" } }\n',
        '[mcp_servers]\nphux = { command = "old" }\n',
        '[mcp_servers.phux]\nargs = [\n  "--old",\n]\n',
        "mcp_servers = 3\n",
    ],
)
def test_toml_that_cannot_be_edited_line_by_line_is_refused(text):
    with pytest.raises(ConfigError):
        set_in_toml(text, TABLE, ENTRY)

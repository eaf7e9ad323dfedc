"""Setting one entry in a host's configuration file keeps the others."""

from __future__ import annotations

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phux_mcp.config_text import ConfigError, set_in_json, set_in_toml

PATH = ("mcpServers", "phux")
ENTRY = {"command": "/bin/phux-mcp", "args": ["--safety", "read-only"]}


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{\n  "a": 1\n}\n',
        '{\n\t"a": {\n\t\t"b": [1, 2, {"c": "}"}]\n\t}\n}\n',
        '{\r\n    "a": 1\r\n}\r\n',
        '{\n  "mcpServers": {\n    "other": {"command": "x", "env": {"KEY": "s3cret"}}\n  },\n  "z": null\n}\n',
        '\ufeff{\n  "mcpServers": { }\n}\n',
        '{"mcpServers": {"phux": {"command": "old", "env": {"A": "b"}}}}',
        '{"\u00e9": "\\u00e9", "big": 12345678901234567890, "small": 1.0}',
    ],
)
def test_other_entries_of_json_are_unchanged(text):
    new = set_in_json(text, PATH, ENTRY)
    assert set_in_json(new, PATH, ENTRY) == new
    expected = json.loads(text.removeprefix("\ufeff"))
    ours = expected.setdefault("mcpServers", {}).setdefault("phux", {})
    ours.update(ENTRY)
    assert json.loads(new) == expected
    assert ("\r\n" in new, "\n\t" in new) == ("\r\n" in text, "\n\t" in text)
    assert text.isascii() == new.isascii() or text.startswith("\ufeff")


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
        '{\n  // mine\n  "a": 1\n}\n',
        '{\n  "a": 1,\n}\n',
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
    new = set_in_json(json.dumps(document, indent=indent), PATH, ENTRY)
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

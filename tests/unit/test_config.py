"""The config file: its path, its values and its error messages."""

from __future__ import annotations

import contextlib
import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phux_core import config
from phux_core.engine.protocol import DEFAULT_HISTORY
from phux_core.errors import BadConfigError


def test_a_missing_or_empty_file_gives_the_default_values(tmp_path):
    (tmp_path / "file").write_text("")
    expected = {name: key.default for name, key in config.KEYS.items() if "*" not in name}
    for path in ("absent.toml", "absent/config.toml", "file/config.toml", "file"):
        values = config.load(str(tmp_path / path))
        assert {name: value for name, value in values.items() if value != {}} == expected


def test_values_in_the_file_are_returned(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text('# mine\nhistory-limit = 0\nshell = "zsh"\n"window-size" = "manual"\n')
    values = config.load(str(path))
    assert (values["history-limit"], values["shell"], values["window-size"]) == (0, "zsh", "manual")


@pytest.mark.parametrize(
    ("text", "line", "key", "remedy"),
    [
        ("history-limit = 0\nhistory-limits = 1\n", 2, "`history-limits`", "the keys are: history-limit, log"),
        ("\n\nhistory-limit = -1", 3, "`history-limit` is -1", "use a whole number from 0 to 1000000"),
        ("history-limit = 1000001", 1, "`history-limit` is 1000001", "use a whole number"),
        ("history-limit = true", 1, "`history-limit` is True", "use a whole number"),
        ("history-limit = 1.5", 1, "`history-limit` is 1.5", "use a whole number"),
        ("  shell = []", 1, "`shell` is []", "use the name or path of a program"),
        ('shell = ""', 1, "`shell` is ''", "use the name or path of a program"),
        ('shell = "a"\n"window-size" = "huge"', 2, "`window-size` is 'huge'", 'use "smallest", "largest"'),
        ("# x\n[shell]\nname = 'sh'", 2, "`shell` is {'name': 'sh'}", "use the name or path"),
        ("# x\nshell.name = 'sh'", 2, "`shell` is {'name': 'sh'}", "use the name or path"),
        ("[what]\n[what.ever]\nx = 1", 1, "`what`", "the keys are"),
        ('history-limit = 1\n"win dow" = 1', 2, "`win dow`", "the keys are"),
    ],
)
def test_the_error_for_an_invalid_entry_names_the_file_the_line_and_the_key(text, line, key, remedy):
    with pytest.raises(BadConfigError) as caught:
        config.parse(text, "/etc/x.toml")
    assert caught.value.message.startswith(f"/etc/x.toml, line {line}: ")
    assert key in caught.value.message
    assert caught.value.remedy.startswith(remedy)
    assert (caught.value.code, caught.value.exit_code) == ("bad_config", 2)


@pytest.mark.parametrize(
    ("text", "line"), [("history-limit = \n", 1), ("a = 1\na = 2\n", 2), ("shell = 'x'\nnonsense\n", 2)]
)
def test_the_error_for_invalid_toml_names_the_line(text, line):
    with pytest.raises(BadConfigError, match=rf"^/x is not valid TOML: .*line {line}"):
        config.parse(text, "/x")


def test_each_entry_of_the_table_of_keys_is_checked():
    assert config.parse("", "/x")["keys"] == {}
    assert config.parse('[keys]\n"C-a" = "detach"', "/x")["keys"] == {"C-a": "detach"}
    with pytest.raises(BadConfigError, match=r"^/x, line 3: `keys.b` is 1$"):
        config.parse('[keys]\na = ":x"\nb = 1', "/x")
    with pytest.raises(BadConfigError, match=r"^/x, line 2: `keys.C-nothing` is not the name of a key$"):
        config.parse('[keys]\n"C-nothing" = "detach"', "/x")
    with pytest.raises(BadConfigError, match=r"^/x, line 1: `keys` is 1$") as caught:
        config.parse("keys = 1", "/x")
    assert caught.value.remedy == "write it as a table, [keys]"


def test_an_unreadable_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(BadConfigError, match=r"cannot read .*: it is not a regular file"):
            config.load(str(path))
    (tmp_path / "latin").write_bytes(b"\nshell = '\xe9'\n")
    with pytest.raises(BadConfigError, match="line 2: the text is not UTF-8"):
        config.load(str(tmp_path / "latin"))
    (tmp_path / "huge").write_bytes(b"#" * (1 << 20) + b"\n")
    with pytest.raises(BadConfigError, match="is larger than 1048576 bytes"):
        config.load(str(tmp_path / "huge"))


@pytest.mark.parametrize(
    ("environ", "path"),
    [
        ({"XDG_CONFIG_HOME": "/c", "HOME": "/h"}, "/c/phux/config.toml"),
        ({"XDG_CONFIG_HOME": "relative", "HOME": "/h"}, "/h/.config/phux/config.toml"),
        ({"PHUX_CONFIG": "/x.toml", "XDG_CONFIG_HOME": "/c"}, "/x.toml"),
        ({"PHUX_CONFIG": "", "XDG_CONFIG_HOME": "/c"}, "/c/phux/config.toml"),
        ({"HOME": "/h"}, "/h/.config/phux/config.toml"),
    ],
)
def test_the_path_depends_on_phux_config_xdg_config_home_and_home(monkeypatch, environ, path):
    monkeypatch.setattr(os, "environ", environ)
    assert config.config_path() == path


def test_the_default_history_limit_equals_that_of_the_engine():
    assert config.KEYS["history-limit"].default == DEFAULT_HISTORY


@given(st.text(max_size=200))
def test_any_text_is_parsed_or_refused(text):
    with contextlib.suppress(BadConfigError):
        assert config.parse(text, "/x").keys() >= {"history-limit", "shell", "window-size"}


def test_the_options_of_hosts_are_returned_as_they_are_written():
    text = '[hosts.box]\nphux = "/opt/phux"\n[hosts."me@far.example:22"]\nssh-args = ["-v"]\nkeep = 0\n'
    tables = config.parse(text, "c")["hosts"]
    assert tables == {"box": {"phux": "/opt/phux"}, "me@far.example:22": {"ssh-args": ["-v"], "keep": 0}}


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("hosts = 1", "line 1: `hosts` is 1"),
        ("[hosts]\nbox = 1", "line 2: `hosts.box` is 1"),
        ("[hosts.box]\nkeep = -1", "line 2: `hosts.box.keep` is -1"),
        ('[hosts.box]\nssh-args = "-v"', "line 2: `hosts.box.ssh-args` is '-v'"),
        ("[hosts.box]\nport = 22", "line 2: unknown key `hosts.box.port`"),
        ('[hosts."a.b"]\nphux = 1', "line 2: `hosts.a.b.phux` is 1"),
    ],
)
def test_a_mistake_in_the_options_of_a_host_is_named(text, where):
    with pytest.raises(BadConfigError, match=re.escape(where)):
        config.parse(text, "c")

"""The server applies the config file, and refuses to start if the file has an error."""

from __future__ import annotations

import subprocess

import pytest

from phux_client import blocking
from phux_core.errors import BadConfigError
from servers import BIN, Cli


@pytest.fixture
def home(tmp_path):
    """A separate config home for the test."""
    (tmp_path / "config" / "phux").mkdir(parents=True)
    return tmp_path / "config"


@pytest.fixture
def cli(tmp_path, home):
    cli = Cli(str(tmp_path / "phux.sock"), tmp_path, {"XDG_CONFIG_HOME": str(home), "PHUX_CONFIG": ""})
    yield cli
    cli("kill", "--server")


def write(home, text):
    path = home / "phux" / "config.toml"
    path.write_text(text)
    return path


def test_history_limit_and_shell_are_read_from_the_config_file(cli, home, tmp_path):
    shell = tmp_path / "my shell"
    shell.symlink_to("/bin/sh")
    write(home, f'history-limit = 7\nshell = "{shell}"\n')
    cli.json("new", "-s", "work")
    result = cli.json("run", "work", 'seq 1 100; echo "$SHELL"')
    assert result["output"].splitlines()[-1] == str(shell)
    assert len(cli.json("snapshot", "work", "--scrollback", "0")["scrollback"]) == 7
    (session,) = cli.json("tree")["sessions"]
    assert session["windows"][0]["name"] == "my shell"


def test_a_missing_shell_is_reported(cli, home):
    write(home, 'shell = "no-such-shell"')
    error = cli("new", "--json", "-s", "work").error
    assert error["error"]["message"] == (
        "the shell that the config file names, 'no-such-shell' cannot be executed: it is not in PATH"
    )
    assert cli.json("new", "-s", "work", "--", "sleep", "1000")["session"] == "work"


def test_an_error_in_the_config_file_prevents_the_start_and_names_the_line(cli, home, tmp_path, monkeypatch):
    path = write(home, "# mine\n\nhistory-limit = -5\n")
    message = f"{path}, line 3: `history-limit` is -5"
    error = cli("new", "--json", "-s", "work").error
    assert error["error"] == {"code": "bad_config", "message": message}
    assert error["exit_code"] == 2
    assert cli("ls", "--json").error["error"]["code"] == "no_server"
    foreground = subprocess.run([BIN / "phux", "server"], env=cli.env, capture_output=True, text=True, timeout=30)
    assert foreground.returncode == 2
    assert foreground.stderr.splitlines()[0] == f"phux server: {message}"
    monkeypatch.setenv("PHUX_CONFIG", str(path))
    with pytest.raises(BadConfigError, match="line 3"):
        blocking.connect(cli.socket, start=True)
    write(home, "history-limit = 5\n")
    assert cli.json("new", "-s", "work", "--", "sleep", "1000")["session"] == "work"


def test_an_embedded_server_does_not_read_the_config_file(home, monkeypatch):
    monkeypatch.setenv("PHUX_CONFIG", str(write(home, "nonsense")))
    with blocking.embedded(engine="pyte") as phux:
        assert phux.status().sessions == 0

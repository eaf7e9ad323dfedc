"""``phux mcp setup``, ``phux mcp check`` and ``phux mcp --schema``."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path

import pytest

from mcp_host import Host
from phux_mcp.setup import HOSTS
from servers import BIN

COMMAND = str(BIN / "phux-mcp")
FILES = {
    "claude-code": ".claude.json",
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "codex": ".codex/config.toml",
    "cursor": ".cursor/mcp.json",
    "vscode": ".config/Code/User/mcp.json",
    "gemini": ".gemini/settings.json",
    "opencode": ".config/opencode/opencode.json",
}

MOVING = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "OPENCODE_CONFIG_DIR")


@pytest.fixture
def home(tmp_path):
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def setup(cli, home):
    """Run setup in a separate home directory, without a server."""

    def run(*words, socket=""):
        nowhere = dict.fromkeys((*MOVING, "XDG_CONFIG_HOME"), "")
        return cli("mcp", "setup", *words, HOME=str(home), PHUX_SOCKET=socket, **nowhere)

    return run


def entry(host, text):
    document = tomllib.loads(text) if host == "codex" else json.loads(text)
    for key in HOSTS[host].path:
        document = document[key]
    return document


def program(words):
    """Return a command without the variables for its environment."""
    return words[: words.index("--env")]


@pytest.mark.parametrize("host", FILES)
def test_setup_writes_the_configuration_that_it_prints(setup, home, host):
    printed = setup(host)
    assert printed.code == 0
    first, _, text = printed.out.partition("\n")
    assert first == f"# {host}: {home / FILES[host]}"
    written = setup(host, "--write")
    assert written.code == 0, written.err
    file = home / FILES[host]
    assert file.read_text().strip() == text.strip()
    assert file.stat().st_mode & 0o777 == 0o600
    found = entry(host, text)
    command = found["command"]
    assert program(command if isinstance(command, list) else [command, *found["args"]]) == [COMMAND]
    assert setup(host, "--write").out == f"phux is already set up in {file}\n"
    assert [one.name for one in file.parent.iterdir()] == [file.name]  # nothing changed, so no backup


def test_setup_without_a_host_prints_all_configurations_and_writes_none(setup, home):
    printed = setup()
    assert [line.split(":")[0][2:] for line in printed.out.splitlines() if line.startswith("# ")] == list(FILES)
    assert setup("--write").code == 2
    assert list(home.iterdir()) == []


def test_setup_keeps_other_settings_and_a_backup(setup, home):
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    text = '{\n\t"mcpServers": {\n\t\t"other": {"command": "x", "env": {"KEY": "s3cret"}}\n\t}\n}\n'
    file.write_text(text)
    file.chmod(0o640)
    assert setup("cursor", "--write").code == 0
    backup = file.with_name("mcp.json.phux-backup")
    assert backup.read_text() == text
    new = json.loads(file.read_text())
    assert new["mcpServers"].pop("phux")["command"] == COMMAND
    assert new == json.loads(text)
    assert {one.stat().st_mode & 0o777 for one in (file, backup)} == {0o640}
    assert setup("cursor", "--write", "--safety", "read-only").code == 0
    assert '"--safety"' in file.read_text()
    assert sorted(one.name for one in file.parent.iterdir()) == [
        "mcp.json",
        "mcp.json.phux-backup",
        "mcp.json.phux-backup.2",
    ]


def test_a_symbolic_link_to_the_configuration_is_kept(setup, home, tmp_path):
    (tmp_path / "dotfiles").mkdir()
    real = tmp_path / "dotfiles" / "settings.json"
    real.write_text("{}\n")
    (home / ".gemini").mkdir()
    (home / ".gemini" / "settings.json").symlink_to(real)
    assert setup("gemini", "--write").code == 0
    assert (home / ".gemini" / "settings.json").is_symlink()
    assert "phux" in real.read_text()


@pytest.mark.parametrize("text", ['{"mcpServers": oops', '{\n  // mine\n  "mcpServers": {}\n}\n'])
def test_setup_does_not_change_a_file_that_it_cannot_edit(setup, home, text):
    file = home / ".gemini" / "settings.json"
    file.parent.mkdir()
    file.write_text(text)
    refused = setup("gemini", "--write")
    assert refused.code == 2
    assert "was not changed" in refused.err
    assert "without --write, it is printed" in refused.err
    assert file.read_text() == text
    assert len(list(file.parent.iterdir())) == 1


def test_setup_writes_its_flags_into_the_configuration(setup):
    text = setup("codex", "--safety", "destructive", "--profile", "tmux", "--socket", "/tmp/x.sock").out
    assert program(entry("codex", text)["args"]) == [
        "--safety",
        "destructive",
        "--profile",
        "tmux",
        "--socket",
        "/tmp/x.sock",
    ]


def test_setup_writes_the_socket_of_the_environment_into_the_configuration(setup):
    of_environment = setup("codex", socket="/tmp/y.sock").out
    assert program(entry("codex", of_environment)["args"]) == ["--socket", "/tmp/y.sock"]
    named = setup("codex", "--socket", "/tmp/x.sock", socket="/tmp/y.sock").out
    assert program(entry("codex", named)["args"]) == ["--socket", "/tmp/x.sock"]


def test_the_configuration_works_in_a_host_with_an_empty_environment(cli, tmp_path, runtime):
    """The server is the one that the person's `phux` uses, and new shells have the person's PATH and directories."""
    person = {"XDG_RUNTIME_DIR": str(runtime), "HOME": str(tmp_path), "PATH": f"{tmp_path}/bin:/usr/bin:/bin"}
    person |= {"PHUX_SOCKET": "", "LANG": "C.UTF-8", "XDG_STATE_HOME": str(tmp_path / "state")}
    text = cli("mcp", "setup", "claude-desktop", "--safety", "destructive", **person).out.partition("\n")[2]
    words = entry("claude-desktop", text)
    with Host({}, Path("/"), *words["args"]) as host:
        host.begin("2025-11-25")
        host.document("phux_new", name="work")
        ran = host.document("phux_run", target="work", command="echo $HOME $PATH $LANG $SHELL; pwd")
        home, path, lang, shell = ran["output"].splitlines()[0].split()
        assert (home, path, lang) == (str(tmp_path), person["PATH"], "C.UTF-8")
        assert shell.startswith("/")
        assert ran["cwd"] == str(tmp_path)  # not the root directory, in which the host started us
        assert [one["name"] for one in cli.json("ls", **person)["sessions"]] == ["work"]
        host.document("phux_kill", target="work")
    with Host({"PATH": "/usr/bin:/bin", "PHUX_SOCKET": cli.socket}, tmp_path, *words["args"]) as host:
        host.begin("2025-11-25")
        host.document("phux_new", name="work")
        assert host.document("phux_run", target="work", command="echo $PATH")["output"] == "/usr/bin:/bin"


def test_setup_finds_files_in_directories_set_by_environment_variables(cli, tmp_path):
    moved = {
        "claude-code": ("CLAUDE_CONFIG_DIR", ".claude.json"),
        "codex": ("CODEX_HOME", "config.toml"),
        "gemini": ("GEMINI_CLI_HOME", ".gemini/settings.json"),
        "opencode": ("OPENCODE_CONFIG_DIR", "opencode.json"),
    }
    env = {variable: str(tmp_path / host) for host, (variable, _file) in moved.items()}
    out = cli("mcp", "setup", **env, XDG_CONFIG_HOME=str(tmp_path / "x")).out
    for host, (_variable, file) in moved.items():
        assert f"# {host}: {tmp_path / host / file}\n" in out
    assert f"# vscode: {tmp_path}/x/Code/User/mcp.json\n" in out


def test_setup_edits_the_existing_one_of_two_possible_files(setup, home):
    file = home / ".config" / "opencode" / "opencode.jsonc"
    file.parent.mkdir(parents=True)
    file.write_text('{\n  "mcp": {}\n}\n')
    assert setup("opencode", "--write").code == 0
    assert '"phux"' in file.read_text()
    assert not file.with_name("opencode.json").exists()


def test_an_unknown_host_is_rejected_with_a_list_of_known_hosts(setup):
    refused = setup("emacs")
    assert refused.code == 2
    assert "claude-code" in refused.err


def test_check_prints_a_result_for_each_revision(cli):
    checked = cli("mcp", "check", timeout_s=60)
    lines = checked.out.splitlines()
    assert [line.split()[:2] for line in lines] == [
        ["ok", revision] for revision in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
    ]
    assert all(" tools in " in line and " KB" in line for line in lines)
    assert checked.code == 0


def test_schema_prints_the_catalog(cli):
    tools = json.loads(cli("mcp", "--schema").out)["tools"]
    assert "phux_ls" in [tool["name"] for tool in tools]
    assert "phux_kill" not in [tool["name"] for tool in tools]
    everything = json.loads(cli("mcp", "--schema", "--safety", "destructive").out)["tools"]
    assert "phux_kill" in [tool["name"] for tool in everything]
    assert os.environ.get("PHUX_SOCKET") is None

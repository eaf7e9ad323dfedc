"""The terminals of another machine, through a real sshd."""

from __future__ import annotations

import json
import os
import signal

import anyio
import pytest

import phux_client
from mcp_host import Host
from outers import PHUX, OwnTerminal, attached
from phux_client import blocking
from phux_core import errors
from servers import eventually, process_gone
from sshd import far_host, ssh_processes
from validation import validate


@pytest.fixture(scope="module")
def box():
    with far_host() as box:
        yield box


@pytest.fixture
def cli(box, tmp_path, monkeypatch):
    """The CLI on this machine; the same variables apply to the library."""
    for name, value in box.env.items():
        monkeypatch.setenv(name, value)
    box.configure()
    yield box.cli(tmp_path)
    (box.home / ".bashrc").unlink(missing_ok=True)


@pytest.fixture
def work(cli):
    """A session on the host."""
    assert cli("--host", "box", "new", "-A", "-s", "work", "-d").code == 0
    return "box/work"


def test_a_verb_reaches_the_server_of_another_machine(box, cli, work):
    assert cli("ls", "--host", "box").out == "work: 1 window\n"
    assert cli("--host=box", "ls").out == "work: 1 window\n"
    assert cli("ls", PHUX_HOST="box").out == "work: 1 window\n"
    assert cli("ls", "--host", f"ssh://{box.user}@box").out == ""  # a name of the config file was not used
    assert cli("run", work, "--", "sh", "-c", "id -u; pwd; exit 3").out == f"{box.uid}\n{box.home}\n"
    assert cli("wait", work, "--state", "prompt", "--timeout", "20").code == 0
    assert "exit 3" in cli("snapshot", "--host", "box", "work").out
    assert "exit 3" in cli("logs", work).out
    assert cli("status", "--host", "box", "--json").document["socket"].startswith(str(box.home))


def test_a_server_is_started_only_if_a_session_is_made(box, cli):
    cli("kill", "--server", "--host", "box")
    error = cli("ls", "--host", "box", "--json").error
    assert error["error"]["code"] == "no_server"
    assert error["error"]["message"].startswith("box: no server is running on ")
    assert error["remedy"] == "start one with `phux --host box new`"
    assert cli("new", "--host", "box", "-s", "first", "--json").code == 0
    assert cli("kill", "box/first").code == 0


def test_the_environment_and_the_directory_of_a_new_session_are_those_of_the_host(box, cli, work):
    # A pane belongs to its own server, whatever PHUX_HOST was when it was made.
    assert cli("new", "-s", "there", "-d", PHUX_HOST="box", ONLY_HERE="1").code == 0
    seen = cli("run", "box/there", 'echo "$PWD|$ONLY_HERE|$PHUX_HOST"').out
    assert seen == f"{box.home}||\n"
    assert cli("new", "-s", "x", "-d", "-c", "src", "--host", "box", "--json").error["error"]["code"] == "bad_cwd"
    assert cli("kill", "box/there").code == 0


def test_the_library_reaches_another_machine(cli, work):
    async def main():
        async with phux_client.connect(host="box") as phux:
            assert phux.socket == "ssh://box"
            pane = await phux.pane("work")
            async with pane.watch(output=True) as events:
                assert (await pane.run("echo far")).output == "far"
                async for event in events:
                    if event.event == "output" and "far" in event.text:
                        break

    anyio.run(main, backend="trio")
    with blocking.connect(host="box") as phux:
        assert phux.pane("work").run("echo again").output == "again"
    with blocking.connect("ssh://box") as phux, pytest.raises(errors.NoSuchTargetError):
        phux.pane("nothing")


def test_text_of_startup_files_is_skipped(box, cli, work):
    box.write(
        ".bashrc", 'echo welcome; printf "%s\\n" "$0 $*" phux:; seq 20000; echo no newline at the end; printf x\n'
    )
    assert cli("ls", "--host", "box").out == "work: 1 window\n"


@pytest.mark.parametrize(
    ("rc", "reason"),
    [("echo maintenance; exit 1\n", "maintenance"), ("echo stuck; exec cat >/dev/null\n", None)],
)
def test_startup_files_that_end_the_shell_are_diagnosed(box, cli, monkeypatch, rc, reason):
    monkeypatch.setattr("phux_client.remote.stream.LOGIN_S", 2.0)
    box.end_masters()
    box.write(".bashrc", rc)
    with pytest.raises(errors.HostError, match=reason or "stuck") as caught, blocking.connect(host="box"):
        pass
    assert caught.value.reason == "no_answer"
    assert caught.value.executed is False
    assert "phux host check box" in caught.value.remedy


def test_a_socket_path_with_odd_characters_reaches_the_host_unchanged(box, cli):
    path = box.home / "it's $HOME; a `b`"
    path.mkdir(mode=0o700)
    os.chown(path, box.uid, -1)
    error = cli("ls", "--host", "box", "--socket", f"{path}/s", "--json").error
    assert error["error"]["message"] == f"box: no server is running on {path}/s"
    for bad in ("relative", "/with\\backslash", "/new\nline"):
        assert cli("ls", "--host", "box", "--socket", bad, "--json").error["error"]["code"] == "bad_host"


@pytest.mark.parametrize(
    "bad", ["-oProxyCommand=touch${IFS}x", "a b", "box;touch x", "$(touch x)", "box:0", "user@", "[::1"]
)
def test_a_destination_that_is_none_is_refused_before_ssh_runs(cli, tmp_path, bad):
    error = cli("ls", f"--host={bad}", "--json").error
    assert (error["error"]["code"], error["exit_code"]) == ("bad_host", 2)
    assert os.listdir(tmp_path) == []


def test_verbs_about_this_machine_and_targets_on_two_hosts_are_refused(cli):
    assert cli("doctor", "--host", "box").code == 2
    assert cli("kill", "box/a", "other/b", "--json").error["error"]["code"] == "usage"
    assert cli("server", "--exit-after-idle", "1", PHUX_HOST="box").code in {0, 1}


def test_later_verbs_share_one_login_and_leave_no_process(box, cli, work):
    box.end_masters()
    box.configure("keep = 5")
    before = box.logins()
    for _ in range(4):
        assert cli("ls", "--host", "box").code == 0
        assert len(ssh_processes(box.directory)) == 1  # the shared connection
    assert box.logins() == before + 1
    eventually(lambda: not ssh_processes(box.directory))


def test_a_library_that_closes_its_connections_leaves_no_process(box, cli, work):
    box.end_masters()
    box.configure("keep = 0")

    async def main():
        for _ in range(5):
            async with phux_client.connect(host="box") as phux:
                await phux.ls()

    anyio.run(main)
    eventually(lambda: not ssh_processes(box.directory))


def test_errors_of_ssh_are_told_apart(box, cli):
    found = {}
    for reason, ssh in {
        "unknown_host": "Host box\n  HostName no-such-host.invalid",
        "unreachable": "Host box\n  HostName 127.0.0.1\n  Port 1",
        "unknown_host_key": f"Host box\n  StrictHostKeyChecking yes\n  UserKnownHostsFile {os.devnull}",
        "refused_key": "Host box\n  PubkeyAuthentication no",
        "ssh_config": "Host box\n  NoSuchOption yes",
    }.items():
        box.end_masters()
        box.configure("keep = 0", ssh=ssh)
        with pytest.raises(errors.HostError) as caught, blocking.connect(host="box"):
            pass
        found[reason] = caught.value.reason
        assert caught.value.remedy
    box.configure("keep = 0", phux="/nowhere/phux")
    with pytest.raises(errors.HostError, match="there is no phux on box") as caught, blocking.connect(host="box"):
        pass
    assert caught.value.reason == "no_phux"
    assert found == {reason: reason for reason in found}


def test_a_stopped_shared_connection_is_replaced(box, cli, work, monkeypatch):
    monkeypatch.setattr("phux_client.remote.stream.SHARED_S", 1.0)
    box.end_masters()
    assert cli("ls", "--host", "box").code == 0
    (master,) = box.masters()
    os.kill(master, signal.SIGSTOP)
    with blocking.connect(host="box") as phux:
        assert [session.name for session in phux.ls().sessions] == ["work"]
    assert set(box.masters()) > {master}
    os.kill(master, signal.SIGKILL)
    eventually(lambda: process_gone(master))


def test_an_attached_person_sees_the_reconnection_and_types_on(box, cli, work):
    box.configure("keep = 0")
    with attached(cli.socket, "box/work", **cli.env) as terminal:
        terminal.shows("$", within_s=20)
        terminal.type("echo be''fore\r")
        terminal.shows("before", within_s=20)
        for pid in ssh_processes(box.directory):
            os.kill(pid, signal.SIGKILL)
        terminal.shows("connecting again", within_s=20)
        terminal.shows("[work]", within_s=20)
        terminal.type("echo af''ter\r")
        terminal.shows("after", within_s=20)


def test_ssh_may_ask_on_a_terminal(box, cli, work):
    box.end_masters()
    box.configure("keep = 5", ssh="Host box\n  StrictHostKeyChecking ask")
    (box.directory / "known_hosts").unlink()
    assert "StrictHostKeyChecking" not in cli("ls", "--host", "box").out
    with pytest.raises(errors.HostError) as caught, blocking.connect(host="box"):
        pass
    assert caught.value.reason == "unknown_host_key"
    with OwnTerminal([PHUX, "ls", "--host", "box"], cli.env | {"TERM": "xterm"}) as terminal:
        terminal.shows("continue connecting", within_s=20)
        terminal.type("yes\n")
        terminal.shows("work: 1 window", within_s=20)


def checks(cli, code):
    """Run `phux host check box`, and return the messages by the names of the checks, and the names of failed ones."""
    finished = cli("host", "check", "box", "--json")
    assert finished.code == code, finished.err
    document = json.loads(finished.out)
    validate("checks", document)
    found = {check["name"]: f"{check['message']}; {check['remedy']}" for check in document["checks"]}
    return found, [check["name"] for check in document["checks"] if not check["ok"]]


def test_host_check_names_each_step_and_a_remedy(box, cli, work):
    found, failed = checks(cli, 0)
    assert list(found) == ["ssh", "login", "startup files", "phux", "version", "server"]
    assert f"{box.user}@127.0.0.1, port {box.port}" in found["ssh"]
    assert "is running" in found["server"]
    box.write(".bashrc", "echo noisy\n")
    assert "noisy" in checks(cli, 0)[0]["startup files"]
    box.configure(phux=None)
    found, failed = checks(cli, 1)
    assert failed == ["phux"]
    assert "phux host install box" in found["phux"]
    box.write("phux", "#!/bin/sh\necho phux 9.9.0\n")
    (box.home / "phux").chmod(0o755)
    box.write(".profile", "PATH=$HOME:$PATH\n")
    box.write(".bash_profile", ". ~/.profile\n")
    found, failed = checks(cli, 1)
    assert failed == ["phux"]
    assert f'set `phux = "{box.home}/phux"`' in found["phux"]
    box.configure(phux="~/phux")
    found, failed = checks(cli, 1)
    assert failed == ["version"]
    assert "phux 9.9.0 on box" in found["version"]
    box.configure(ssh="Host box\n  PubkeyAuthentication no")
    found, failed = checks(cli, 1)
    assert failed == ["login"]
    assert "refused the login" in found["login"]
    for name in ("phux", ".profile", ".bash_profile"):
        (box.home / name).unlink()


def test_hosts_that_cannot_be_reached_are_rows(box, cli, work):
    box.configure("[hosts.dead]", 'destination = "127.0.0.1:1"')
    lines = cli("ls", "--hosts").out.splitlines()
    assert lines[0].startswith("local: no server is running")
    assert lines[1] == "box/work: 1 window"
    assert lines[2].startswith("dead: cannot connect to dead: the host cannot be reached")
    assert cli("tree", "--hosts").out.splitlines()[1:3][0].startswith("box/work")
    document = json.loads(cli("tree", "--hosts", "--json", PHUX_HOST="dead").out)
    validate("host-list", document)
    assert [(entry["host"], entry["error"] and entry["error"]["code"]) for entry in document["hosts"]] == [
        ("local", "no_server"),
        ("box", None),
        ("dead", "host"),
    ]
    assert cli("ls", "--hosts", "--host", "box").code == 2


def test_phux_is_installed_without_a_registry(box, cli):
    box.configure(phux=None)
    finished = cli("host", "install", "box", timeout_s=110)
    assert finished.code == 0, finished.err
    assert f"phux: is {box.home}/.local/share/phux/venv/bin/phux" in finished.out
    assert cli("new", "--host", "box", "-s", "installed", "-d").code == 0
    assert cli("kill", "box/installed").code == 0


def test_a_tool_of_mcp_reaches_the_host_of_its_argument(cli, work, tmp_path):
    with Host(cli.env, tmp_path) as mcp:
        mcp.begin("2025-11-25")
        assert "work" in mcp.text("phux_ls", host="box")
        assert "is not of the form" in mcp.failure("phux_ls", host="@box")

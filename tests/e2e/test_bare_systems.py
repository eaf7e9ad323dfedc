"""Systems without /proc, a home, a runtime directory, or the caller's working directory."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from servers import BIN, clean_environment

WITHOUT_PROC = ["-m", "sh", "-c", 'umount -l /proc && exec sh -e "$0"']
WITH_OUTER_PROC = ["-p", "-f", "--kill-child", "sh", "-e"]  # this /proc shows the ids of another namespace
# With nsswitch.conf, systemd would still provide root.
WITHOUT_USERS = [
    *("-m", "sh", "-c"),
    'for file in passwd nsswitch.conf; do mount --bind /dev/null /etc/$file; done; exec sh -e "$0"',
]
ROOT = Path(__file__).parents[2]
# This checkout may be below /tmp, and must stay visible.
OWN_TMP = """
exec 3<"$0"; set -e; keep=$(mktemp -d -p /var/tmp); mount --bind "$1" "$keep"; mount -t tmpfs tmpfs /tmp; mkdir -p "$1"
mount --bind "$keep" "$1"; umount "$keep"; rmdir "$keep"; cd /; exec sh -e /dev/fd/3
"""
READ_ONLY = ["-m", "sh", "-c", 'mount -t tmpfs -o ro tmpfs /mnt && exec sh -e "$0"']
WITH_OWN_TMP = ["-m", "sh", "-c", OWN_TMP]


@pytest.fixture
def environment(tmp_path):
    """Return an environment for a separate server."""
    os.chmod(tmp_path, 0o700)
    env = clean_environment() | {"PHUX_SOCKET": str(tmp_path / "s"), "XDG_STATE_HOME": str(tmp_path / "state")}
    return env | {"PATH": f"{BIN}:{env['PATH']}", "PHUX_ENGINE": "pyte"}


def documents(text):
    """Parse concatenated JSON documents."""
    found = []
    while text := text.lstrip():
        document, end = json.JSONDecoder().raw_decode(text)
        found.append(document)
        text = text[end:]
    return found


@pytest.fixture
def inside(tmp_path, environment):
    """Run a script of verbs in a namespace; return the documents it prints, and its errors."""

    def run(namespace, script, drop=(), **more):
        (tmp_path / "script").write_text(f"{script}\n")
        env = {name: value for name, value in environment.items() if name not in drop} | more
        try:
            subprocess.run(["unshare", "-m", "-p", "-f", "true"], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"namespaces cannot be created here: {error}")
        done = subprocess.run(
            ["unshare", *namespace, tmp_path / "script", ROOT], env=env, cwd=tmp_path, capture_output=True, timeout=60
        )
        assert done.returncode == 0, done.stderr.decode() + done.stdout.decode()
        return documents(done.stdout.decode()), done.stderr.decode()

    return run


@pytest.mark.parametrize(
    ("namespace", "shell"),
    [
        *((WITHOUT_PROC, shell) for shell in ("bash", "fish", "dash", "mksh")),
        *((WITH_OUTER_PROC, shell) for shell in ("bash", "zsh", "ksh")),
    ],
    ids=lambda value: value if isinstance(value, str) else "no proc" if value is WITHOUT_PROC else "outer proc",
)
def test_commands_run_without_a_matching_proc(inside, namespace, shell):
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"{shell} is not installed")
    (*_made, hi, seven, slept, moved, in_time, tree, status), _err = inside(
        namespace,
        f"""
        trap 'phux kill --server >/dev/null' EXIT
        phux new -d --json -s work --shell {path}
        phux run --json work 'echo hi'
        phux run --json work "sh -c 'exit 7'" || test $? = 7
        phux run --json work 'sleep 0.2; echo slept'
        phux run --json work 'cd /; pwd'
        phux send-keys work 'sleep 0.2; echo do''ne' Enter
        phux wait --json work --until done --timeout 10
        phux wait work --state prompt --timeout 10 >/dev/null
        phux tree --json
        phux status --json
        """,
        drop=["HISTFILE"],
    )
    assert (hi["output"], hi["exit_code"]) == ("hi", 0)
    assert (seven["output"], seven["exit_code"]) == ("", 7)
    assert (slept["output"], moved["output"]) == ("slept", "/")
    assert any("done" in line for line in in_time["lines"])
    (pane,) = tree["sessions"][0]["windows"][0]["panes"]
    assert (pane["state"], pane["command"]) == ("prompt", shell)
    assert "/proc" in status["system_notes"][0]


@pytest.mark.parametrize("namespace", [WITHOUT_PROC, WITH_OUTER_PROC], ids=["no proc", "outer proc"])
def test_states_known_from_the_terminal_are_reported_without_proc(inside, namespace):
    running, secret, doctor = inside(
        namespace,
        """
        trap 'phux kill --server >/dev/null' EXIT
        phux new -d -s work --shell /bin/bash >/dev/null
        phux send-keys work 'sleep 1000' Enter
        phux wait --json work --state running --timeout 10
        ! phux run work 'echo never' 2>/dev/null
        phux send-keys work C-c
        phux wait work --state prompt --timeout 10 >/dev/null
        phux send-keys work 'read -s secret' Enter
        phux wait --json work --state awaiting_secret --timeout 10
        phux send-keys work hidden Enter
        phux wait work --state prompt --timeout 10 >/dev/null
        phux doctor --json || test $? = 1
        """,
    )[0]
    assert (running["state"], secret["state"]) == ("running", "awaiting_secret")
    bad = [check for check in doctor["checks"] if not check["ok"]]
    assert [check["name"] for check in bad] == ["processes"]
    assert "mount a /proc" in bad[0]["remedy"]


def test_the_service_is_restarted_without_proc(inside):
    first, second = inside(
        WITHOUT_PROC,
        """
        trap 'phux kill --server >/dev/null' EXIT
        phux new -d -s work --shell /bin/bash >/dev/null
        phux run --json work 'x=5; echo $x'
        kill -9 $(phux status --json | sed -n 's/.*"service_pid": *\\([0-9]*\\).*/\\1/p')
        phux run --json work 'echo $x'
        """,
    )[0]
    assert (first["output"], second["output"]) == ("5", "5")


# Home and runtime directory


def test_a_relative_home_is_ignored_without_delay(environment, tmp_path):
    env = {name: value for name, value in environment.items() if name != "XDG_STATE_HOME"} | {"HOME": "rel"}
    done = subprocess.run([BIN / "phux", "doctor", "--json"], env=env, cwd=tmp_path, capture_output=True, timeout=20)
    (logs,) = [check for check in json.loads(done.stdout)["checks"] if check["name"] == "logs"]
    assert "rel/" not in logs["message"]
    assert not (tmp_path / "rel").exists()


def test_without_a_home_nothing_is_logged_and_status_and_doctor_report_the_problem(inside, tmp_path):
    before, ran, logs, status, after = inside(
        WITHOUT_USERS,
        """
        trap 'phux kill --server >/dev/null' EXIT
        phux doctor --json || test $? = 1
        phux new -d -s work >/dev/null
        phux run --json work 'echo hi'
        phux logs --json work
        phux status --json
        phux doctor --json || test $? = 1
        ! phux logs --list | grep .
        ! phux search --all hi
        """,
        drop=["HOME", "XDG_STATE_HOME"],
    )[0]
    assert ran["output"] == "hi"
    assert "hi" in logs["content"]  # from memory
    assert status["logs"]["directory"] is None
    assert "home" in status["logs"]["problem"]
    for document in (before, after):
        (check,) = [check for check in document["checks"] if not check["ok"]]
        assert check["name"] == "logs"
        assert "set HOME" in check["remedy"]
    assert not [name for name in os.listdir(tmp_path) if name.startswith("~")]


def test_doctor_reports_directories_that_cannot_be_created(inside):
    (document,) = inside(
        READ_ONLY,
        "phux doctor --json || test $? = 1",
        PHUX_SOCKET="/mnt/new/phux.sock",
        XDG_STATE_HOME="/mnt/state",
    )[0]
    bad = {check["name"]: check["remedy"] for check in document["checks"] if not check["ok"]}
    assert bad == {"socket": "make /mnt writable", "logs": "make /mnt writable"}


def test_without_its_runtime_directory_the_server_uses_tmp_and_prints_a_warning(inside):
    (made, ran), err = inside(
        WITH_OWN_TMP,
        """
        trap 'phux kill --server >/dev/null 2>&1' EXIT
        phux new --json -s work
        phux run --json work 'echo $PHUX_SOCKET'
        phux ls >/dev/null
        """,
        drop=["PHUX_SOCKET"],
        XDG_RUNTIME_DIR="/no/such/directory",
    )
    assert made["session"] == "work"
    assert ran["output"] == f"/tmp/phux-{os.getuid()}/phux.sock"
    (warning,) = err.splitlines()  # from the only verb without --json
    assert "/no/such/directory" in warning
    assert f"/tmp/phux-{os.getuid()}" in warning


# The caller's directory


@pytest.fixture
def deleted(tmp_path, environment):
    """Run verbs from a deleted directory, with or without PWD set to it."""
    here = tmp_path / "here"

    def run(*words, pwd=None):
        here.mkdir()
        env = environment | {"PWD": str(here) if pwd is None else pwd}
        script = 'rmdir "$0" && exec "$@"'
        return subprocess.run(
            ["/bin/sh", "-c", script, here, BIN / "phux", *words], env=env, cwd=here, capture_output=True, timeout=30
        )

    yield run
    run("kill", "--server")


@pytest.mark.parametrize("pwd", [None, "", "/"], ids=["known", "empty", "other"])
def test_a_session_cannot_be_created_in_a_deleted_directory(deleted, pwd):
    refused = deleted("new", "-d", "-s", "work", pwd=pwd)
    assert refused.returncode == 1
    assert b"the working directory" in refused.stderr
    assert b"was deleted" in refused.stderr
    assert b"''" not in refused.stderr
    assert b"change to a directory that exists" in refused.stderr
    assert deleted("new", "-d", "-s", "work", "-c", "below").returncode == 1


def test_verbs_that_need_no_directory_work_in_a_deleted_one(deleted):
    assert deleted("new", "-d", "-s", "work", "-c", "/").returncode == 0
    assert deleted("run", "work", "pwd").stdout == b"/\n"
    assert deleted("split", "work").returncode == 0
    for verb in ("ls", "tree", "status", "doctor"):
        assert deleted(verb).returncode == 0, verb
    refused = deleted("ls", "--socket", "relative.sock")
    assert refused.returncode == 1
    assert b"is relative, and the working directory was deleted" in refused.stderr

"""The command lines of ssh and of the shell on a host."""

import os
import shutil
import subprocess
import tempfile

import pytest

from phux_client.remote.command import Host, remote_shell
from phux_client.remote.diagnosis import diagnose
from phux_core.errors import BadHostError

ODD = ["it's", "a b", "$HOME `x` $(x)", 'say "hi"', "*?[x]{a,b}~#;&|<>", "", "ünï", "-n", "'", "a'b'c"]


@pytest.mark.parametrize("shell", ["sh", "bash", "dash", "zsh", "fish", "ksh", "busybox sh", "csh", "tcsh"])
def test_words_reach_a_script_unchanged_through_any_login_shell(shell):
    if shutil.which(shell.split()[0]) is None:
        pytest.skip(f"{shell} is not installed")
    command = remote_shell('for word in "$@"; do printf "%s@" "$word"; done', *ODD)
    finished = subprocess.run([*shell.split(), "-c", command], capture_output=True, text=True, check=True)
    assert finished.stdout == "".join(f"{word}@" for word in ODD)


@pytest.mark.parametrize("word", ["a\\b", "a!b", "a\nb", "\x1b[2J"])
def test_a_word_that_shells_read_differently_is_refused(word):
    with pytest.raises(BadHostError):
        remote_shell("true", word)


@pytest.fixture
def config(tmp_path, monkeypatch):
    path = tmp_path / "config.toml"
    monkeypatch.setenv("PHUX_CONFIG", str(path))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return path


def test_the_options_of_the_config_file_apply_to_the_host_they_name(config):
    config.write_text(
        '[hosts.box]\ndestination = "me@real:2222"\nphux = "~/bin/phux"\nsocket = "/s"\nssh-args = ["-v"]\nkeep = 0\n'
    )
    host = Host("ssh://box")
    words = host.ssh()
    assert words[0] == "ssh"
    assert words[-7:] == ["-v", "-p", "2222", "-l", "me", "--", "real"]
    assert "ControlPath=none" in words
    assert host.proxy("0a1b", start=True).endswith(" sh 0a1b '~/bin/phux' proxy --preamble 0a1b --start --socket /s")
    other = Host("ssh://box2/run/s")
    assert other.ssh()[-2:] == ["--", "box2"]
    assert other.socket == "/run/s"
    assert Host("ssh://box/other").socket == "/other"


def test_the_path_of_a_shared_connection_is_short_private_and_of_one_destination(
    config, tmp_path, monkeypatch, request
):
    short = tempfile.mkdtemp(prefix="phux-")
    request.addfinalizer(lambda: shutil.rmtree(short))
    monkeypatch.setenv("XDG_RUNTIME_DIR", short)
    path = Host("ssh://box").control_path
    assert path.startswith(f"{short}/phux/ssh-")
    assert os.stat(os.path.dirname(path)).st_mode & 0o777 == 0o700
    assert path == Host("ssh://box/run/s").control_path
    assert len({Host(f"ssh://{place}").control_path for place in ("box", "me@box", "box:22", "box2")}) == 4
    long = tmp_path / ("long" * 15)
    odd = tmp_path / "per%Cent"
    for directory in (long, odd):
        directory.mkdir(mode=0o700)
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(directory))
        assert Host("ssh://box").control_path.startswith(f"/tmp/phux-{os.getuid()}/ssh-")


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("ssh: Could not resolve hostname box: Name or service not known", "unknown_host"),
        ("ssh: connect to host box port 22: Connection refused", "unreachable"),
        ("kex_exchange_identification: Connection closed by remote host", "unreachable"),
        ("No ED25519 host key is known for box and you have requested strict checking.\nHost key verification failed.",
         "unknown_host_key"),
        ("@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.", "changed_host_key"),
        ("me@box: Permission denied (publickey).", "refused_key"),
        ("/home/me/.ssh/config: line 3: Bad configuration option: x", "ssh_config"),
        ("", "unreachable"),
    ],
)  # fmt: skip
def test_messages_of_ssh_are_told_apart(said, reason):
    error = diagnose("box", 255, said)
    assert error.reason == reason
    assert error.remedy
    assert error.message.startswith("cannot connect to box: ")
    assert diagnose("box", 1, said) is None

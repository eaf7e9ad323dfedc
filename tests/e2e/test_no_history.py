"""Sessions without history: their shells neither read nor change the user's history files."""

from __future__ import annotations

import ctypes
import os
import shutil
import struct

import pytest

from phux_client import blocking
from shell_panes import PLAIN_RC

OLD = "".join(f"echo old line {number}\n" for number in range(490))
FISH = "".join(f"- cmd: echo old line {number}\n  when: {1_700_000_000 + number}\n" for number in range(490))
# The command of the shell, the user's files, and the existing history files.
BASH_RC = PLAIN_RC[".bashrc"]
HOMES = {
    "bash": (["bash"], {".bashrc": BASH_RC}, [".bash_history"]),
    "bash that appends": (
        ["bash"],
        {".bashrc": f"{BASH_RC}HISTSIZE=500 HISTFILESIZE=500\nshopt -s histappend\nPROMPT_COMMAND='history -a'\n"},
        [".bash_history"],
    ),
    "bash with a file of its own": (
        ["bash"],
        {
            ".bashrc": f"{BASH_RC}export HISTFILE=~/mine\nHISTSIZE=500\nHISTFILESIZE=600\n"
            "PROMPT_COMMAND='history -a; history -n'\n"
        },
        [".bash_history", "mine"],
    ),
    "bash that names its file at each prompt": (
        ["bash"],
        {".bashrc": f"{BASH_RC}PROMPT_COMMAND=('HISTFILE=~/mine' true)\n"},
        [".bash_history", "mine"],
    ),
    "bash with an array of hooks": (
        ["bash"],
        {".bashrc": f"{BASH_RC}HISTFILE=~/mine\nPROMPT_COMMAND=(true 'history -a')\ntrap 'history -a' EXIT\n"},
        [".bash_history", "mine"],
    ),
    "bash with a DEBUG trap": (
        ["bash"],
        {".bashrc": f"{BASH_RC}PROMPT_COMMAND='history -a; history -w'\ntrap ': \"$BASH_COMMAND\"' DEBUG\n"},
        [".bash_history", ".history"],
    ),
    "bash with a readonly file": (
        ["bash"],
        {".bashrc": f"{BASH_RC}declare -rx HISTFILE=~/mine\nPROMPT_COMMAND=('history -a')\nreadonly HISTSIZE=500\n"},
        [".bash_history", "mine"],
    ),
    "login bash": (
        ["bash", "-l"],
        {".bash_profile": f"{BASH_RC}HISTFILE=~/mine\n", ".bash_logout": "history -a\n"},
        [".bash_history", "mine"],
    ),
    "bash --norc": (["bash", "--norc"], {}, [".bash_history"]),
    "zsh": (["zsh"], {".zshrc": PLAIN_RC[".zshrc"]}, [".zsh_history"]),
    "zsh with a file of its own": (
        ["zsh"],
        {".zshrc": f"{PLAIN_RC['.zshrc']}HISTFILE=~/mine HISTSIZE=500 SAVEHIST=500\n"},
        [".zsh_history", "mine"],
    ),
    "zsh that appends": (
        ["zsh"],
        {
            ".zshrc": f"{PLAIN_RC['.zshrc']}HISTFILE=~/mine HISTSIZE=100 SAVEHIST=100\n"
            "setopt inc_append_history share_history\n"
        },
        ["mine"],
    ),
    "login zsh with files that fail": (
        ["zsh", "-l"],
        {
            ".zshenv": "export ORDER=env\n",
            ".zprofile": "ORDER+=,profile\ntypeset -r FIXED=1\nFIXED=2\n",
            ".zshrc": f"{PLAIN_RC['.zshrc']}emulate -R zsh\nORDER+=,rc\nHISTFILE=~/mine SAVEHIST=500\nif fi\n",
            ".zlogin": "ORDER+=,login\n",
        },
        [".zsh_history", "mine"],
    ),
    "login zsh that names its file last": (
        ["zsh", "-l"],
        {
            ".zshrc": PLAIN_RC[".zshrc"],
            ".zlogin": "HISTFILE=~/mine HISTSIZE=500 SAVEHIST=500\nsetopt inc_append_history share_history\n",
        },
        ["mine"],
    ),
    "login zsh with a directory of its own": (
        ["zsh", "-l"],
        {
            ".zshenv": "ZDOTDIR=~/own\nORDER=env\n",
            "own/.zprofile": "ORDER+=,profile\n",
            "own/.zshrc": f"{PLAIN_RC['.zshrc']}ORDER+=,rc\nHISTFILE=~/mine HISTSIZE=500 SAVEHIST=500\n",
            "own/.zlogin": "ORDER+=,login\n",
        },
        ["mine"],
    ),
    "zsh that names its file at each prompt": (
        ["zsh", "-l"],
        {".zshrc": f"{PLAIN_RC['.zshrc']}HISTSIZE=50 SAVEHIST=50\nprecmd() {{ HISTFILE=~/mine }}\n"},
        ["mine"],
    ),
    "zsh that names its file before each command": (
        ["zsh"],
        {".zshrc": f"{PLAIN_RC['.zshrc']}setopt share_history\npreexec() {{ HISTFILE=~/mine SAVEHIST=100 }}\n"},
        ["mine"],
    ),
    "zsh with a readonly file": (
        ["zsh"],
        {".zshrc": f"{PLAIN_RC['.zshrc']}typeset -r HISTFILE=~/mine SAVEHIST=500\nsetopt share_history\n"},
        ["mine"],
    ),
    "fish": (["fish"], {".config/fish/config.fish": PLAIN_RC[".config/fish/config.fish"]}, []),
    "fish with a file of its own": (
        ["fish"],
        {".config/fish/config.fish": f"{PLAIN_RC['.config/fish/config.fish']}set -g fish_history other\n"},
        [],
    ),
    "fish that names its file at each prompt": (
        ["fish"],
        {
            ".config/fish/config.fish": f"{PLAIN_RC['.config/fish/config.fish']}"
            "function mine --on-event fish_prompt\n    set -g fish_history other\nend\n"
        },
        [],
    ),
    "ksh": (["ksh"], {}, [".sh_history"]),
    "ksh with a file of its own": (["ksh"], {".shrc": "HISTFILE=~/mine\nHISTSIZE=500\n"}, [".sh_history", "mine"]),
    "mksh with a file of its own": (["mksh"], {".shrc": "HISTFILE=~/mine\nHISTSIZE=500\n"}, ["mine"]),
    "dash": (["dash"], {}, []),
    "dash with a file of its own": (["dash"], {".shrc": "HISTFILE=$HOME/mine\n"}, ["mine"]),
    "busybox": (["busybox", "sh"], {}, [".ash_history"]),
    "busybox with a file of its own": (
        ["busybox", "sh"],
        {".shrc": "HISTFILE=$HOME/mine\nexport SEEN=yes\n"},
        [".ash_history", "mine"],
    ),
    "busybox with a readonly file": (["busybox", "sh"], {".shrc": "readonly HISTFILE=$HOME/mine\n"}, ["mine"]),
}
# Setting HISTFILESIZE truncates the file that HISTFILE names at that moment, in the user's own rc file.
OPENED_BY_RC = {"bash with a file of its own": ["mine"]}
LISTS = {"zsh": "builtin fc -ln 1 2>&1; true", "dash": "true", "mksh": "fc -ln 1; true", "ksh": "fc -ln 1; true"}


def write_home(home, files, histories):
    for name, text in {**files, **dict.fromkeys(histories, OLD)}.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    share = home / ".local/share/fish"
    (share / "generated_completions").mkdir(parents=True)
    for name in ("fish_history", "other_history"):
        (share / name).write_text(FISH)
    return {"HOME": str(home), "PS1": "$ ", "ENV": "$HOME/.shrc" if ".shrc" in files else ""}


class Opened:
    """Record, with inotify, the files that any process opens."""

    OPEN = 0x20

    def __init__(self, paths):
        libc = ctypes.CDLL(None, use_errno=True)
        self._fd = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        self._watched = {libc.inotify_add_watch(self._fd, os.fsencode(path), self.OPEN): path for path in paths}
        assert -1 not in self._watched

    def names(self):
        """Return the names of the files that were opened, and end the watch."""
        try:
            data = os.read(self._fd, 65536)
        except BlockingIOError:
            data = b""
        finally:
            os.close(self._fd)
        found = set()
        while data:
            watched, _mask, _cookie, length = struct.unpack_from("iIII", data)
            found.add(self._watched[watched].name)
            data = data[16 + length :]
        return found


def histories_of(home, histories):
    fish = home / ".local/share/fish"
    return [*(home / name for name in histories), fish / "fish_history", fish / "other_history"]


def contents(home):
    """Return the contents of all files that may contain history, which excludes the variables of fish."""
    found = {path.relative_to(home): path.read_bytes() for path in home.rglob("*") if path.is_file()}
    return {str(path): data for path, data in found.items() if "fish_variables" not in path.name}


def use(pane, shell, runs=12):
    """Run and type commands; together with the 490 old lines, they exceed the limits of 500 in some rc files."""
    for number in range(runs):
        assert pane.run(f"echo run {number}", timeout_s=20).output == f"run {number}"
    pane.run("echo one\necho two", timeout_s=20)
    pane.send_keys("echo typed", "Enter")
    pane.wait(regex="^typed$", timeout_s=10)
    assert "old line" not in pane.run(LISTS.get(shell, "history | cat"), timeout_s=20).output


@pytest.mark.parametrize("home", HOMES)
def test_no_history_file_is_opened_or_changed(phux, tmp_path, home):
    command, files, histories = HOMES[home]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    env = write_home(tmp_path, files, histories)
    before = contents(tmp_path)
    opened = Opened(histories_of(tmp_path, histories))
    session = phux.new_session(command=command, cwd=str(tmp_path), env=env, history=False)
    if "ORDER" in "".join(files.values()):
        assert session.pane.run("echo $ORDER", timeout_s=20).output == "env,profile,rc,login"
        assert session.pane.run("[[ -o rcs ]]", timeout_s=20).exit_code == 0
    use(session.pane, command[0])
    if "SEEN" in "".join(files.values()):
        assert session.pane.run("echo $SEEN $ENV", timeout_s=20).output == "yes $HOME/.shrc"
    window = session.new_window(command=command)
    beside = session.pane.split("right", command=command)
    for pane in (getattr(window, "pane", window), beside):
        use(pane, command[0], runs=2)
    for pane in (getattr(window, "pane", window), beside, session.pane):
        pane.run("exit", timeout_s=20)
        pane.wait(exit=True, timeout_s=10)
    assert opened.names() == set(OPENED_BY_RC.get(home, ()))
    assert contents(tmp_path) == before


@pytest.mark.parametrize("outer", ["bash that appends", "zsh", "fish", "ksh", "dash", "busybox"])
@pytest.mark.parametrize("history", [False, True])
def test_nested_shells_open_no_history_file_if_their_rc_files_name_none(phux, tmp_path, outer, history):
    command, files, histories = HOMES[outer]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    histories = [*histories, ".bash_history", ".zsh_history", ".sh_history", ".ash_history", ".history"]
    env = write_home(tmp_path, {**PLAIN_RC, **files}, histories)
    opened = Opened(histories_of(tmp_path, histories))
    pane = phux.new_session(command=command, cwd=str(tmp_path), env=env, history=history).pane
    for nested in ("bash", "zsh", "fish", "ksh", "mksh", "busybox sh"):
        if shutil.which(nested.split()[0]) is not None:
            pane.send_keys(nested, "Enter")
            pane.wait(state="prompt", timeout_s=20)
            assert pane.run("echo inside $0", timeout_s=20).output.startswith("inside")
            pane.run("exit", timeout_s=20)
    names = opened.names()
    assert names >= {".bash_history", ".sh_history"} if history else not names


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_private_server_does_not_use_the_history_by_default(tmp_path, shell):
    command, files, histories = HOMES[{"bash": "bash that appends", "zsh": "zsh that appends"}.get(shell, shell)]
    env = write_home(tmp_path, files, histories)
    before = contents(tmp_path)
    with blocking.embedded() as phux:
        for history in (None, True):
            session = phux.new_session(command=command, cwd=str(tmp_path), env=env, history=history)
            session.pane.run("echo marker-of-this-run", timeout_s=20)
            session.pane.run("exit", timeout_s=20)
            session.pane.wait(exit=True, timeout_s=10)
            changed = {name for name, data in contents(tmp_path).items() if before.get(name) != data}
            assert bool(changed) == bool(history), changed


def test_the_cli_creates_a_session_without_history(cli, tmp_path):
    env = write_home(tmp_path, HOMES["bash that appends"][1], [".bash_history"])
    flags = [flag for name, value in env.items() for flag in ("-e", f"{name}={value}")]
    cli.json("new", "-s", "none", "--no-history", *flags, "--", "bash")
    cli("run", "none", "echo secret-run")
    assert (tmp_path / ".bash_history").read_text() == OLD

"""Runs leave their commands in a shell's history as if typed, and nothing else."""

from __future__ import annotations

import re

import pytest

from shell_panes import INTEGRATED, PLAIN_RC

RC = {"bash": ".bashrc", "zsh": ".zshrc", "fish": ".config/fish/config.fish"}
SAVING = {"bash": "", "zsh": "HISTSIZE=100 SAVEHIST=100\n", "fish": ""}
FILES = {"bash": "history", "zsh": "history", "fish": ".local/share/fish/fish_history"}
OURS = re.compile(r"/r[0-9a-f]{6}\b")
SEVERAL = "echo one\necho two"
# Commands that phux does not type literally: several lines, a leading blank, a tab, a history expansion, an open quote.
COMMANDS = [
    (SEVERAL, "one\ntwo"),
    ("  echo (", None),
    ("printf '%s\\n' 'a\tb'", "a\tb"),
    ("echo 'wow!'", "wow!"),
    ('echo "open', None),
]
OPTIONS = [
    ("bash", "HISTCONTROL=ignoreboth:erasedups"),
    ("bash", "HISTIGNORE='ls:&'"),
    ("bash", "export HISTIGNORE='ls'"),
    ("bash", "PROMPT_COMMAND='history -a'"),
    ("bash", "PROMPT_COMMAND='history -a; history -c; history -r'"),
    ("bash", "PROMPT_COMMAND=(true 'history -a; history -n')"),
    ("bash", "HISTTIMEFORMAT='%F %T '"),
    ("bash", "HISTSIZE=0"),
    ("bash", "HISTSIZE=3"),
    ("bash", "HISTFILESIZE=0"),
    ("bash", "set +o history"),
    ("bash", "unset HISTFILE"),
    ("bash", "unset HISTIGNORE HISTCONTROL; shopt -s histappend lithist; set -u"),
    ("bash", "set -x"),
    ("bash", "set -a"),
    ("bash", "trap ': debug' DEBUG"),
    ("bash", "trap ': debug' DEBUG; PROMPT_COMMAND='history -a'"),
    ("zsh", "setopt hist_ignore_space"),
    ("zsh", "setopt hist_ignore_dups hist_reduce_blanks hist_no_store hist_no_functions"),
    ("zsh", "setopt hist_ignore_all_dups hist_save_no_dups share_history"),
    ("zsh", "setopt inc_append_history extended_history"),
    ("zsh", "zshaddhistory() { [[ $1 != *secret* ]] }"),
    ("zsh", "mine() { return 0 }; zshaddhistory_functions=(mine)"),
    ("zsh", "HISTSIZE=0"),
    ("zsh", "HISTSIZE=3 SAVEHIST=3"),
    ("zsh", "SAVEHIST=0"),
    ("zsh", "unset HISTFILE"),
    ("zsh", "setopt no_unset err_return ksh_arrays sh_word_split"),
    ("zsh", "setopt ksh_glob no_bare_glob_qual no_glob"),
    ("zsh", "set -x"),
    ("fish", "set -g fish_history ''"),
    ("fish", "set -g fish_private_mode 1"),
    ("fish", "set -g fish_history other"),
]


def rc(shell, text=""):
    return {RC[shell]: PLAIN_RC[RC[shell]] + SAVING[shell] + text + "\n"}


def entries(pane, shell):
    """Return the shell's history, without the command that prints it."""
    asks = "builtin fc -ln 1 2>&1" if shell == "zsh" else "history"
    said = pane.run(asks, timeout_s=20).output
    if shell == "bash":
        said = re.sub(r"^ *\d+\*? +", "", said, flags=re.MULTILINE)
    return [line for line in said.split("\n") if line and line != asks]


def saved(pane, shell, home):
    """End a shell, and return its saved history."""
    pane.run("exit", timeout_s=20)
    pane.wait(exit=True, timeout_s=10)
    path = home / FILES[shell]
    return path.read_bytes().decode("utf-8", "replace") if path.exists() else ""


@pytest.mark.parametrize(("shell", "text"), [*((shell, "") for shell in INTEGRATED), *OPTIONS])
def test_the_history_has_no_internal_line_of_phux(open_shell, tmp_path, shell, text):
    pane = open_shell(shell, rc=rc(shell, text))
    for command, output in COMMANDS:
        result = pane.run(command, timeout_s=20)
        if output is not None and "set -x" not in text:
            assert (result.output, result.exit_code) == (output, 0)
    remembered = entries(pane, shell)
    assert not [entry for entry in remembered if OURS.search(entry)]
    assert not OURS.search(saved(pane, shell, tmp_path))


@pytest.mark.parametrize(
    ("shell", "text", "command", "above"),
    [
        ("bash", "", SEVERAL, "echo one"),
        ("bash", "HISTCONTROL=ignorespace", " echo one\n echo two", "echo mine"),
        ("zsh", "", SEVERAL, "echo one"),
        ("zsh", "setopt hist_ignore_space", " echo one\n echo two", "echo mine"),
        ("zsh", "zshaddhistory() { [[ $1 != *secret* ]] }", SEVERAL, "echo mine"),
        ("fish", "", SEVERAL, "echo mine"),
    ],
)
def test_up_at_the_prompt_recalls_no_internal_line_of_phux(open_shell, shell, text, command, above):
    pane = open_shell(shell, rc=rc(shell, text))
    pane.run("echo mine", timeout_s=20)
    pane.run(command, timeout_s=20)
    pane.wait(state="prompt", timeout_s=10)
    pane.send_keys("Up")
    pane.wait(regex=f"^[$] {above}$", timeout_s=10)
    pane.send_keys("C-c")
    assert pane.run("echo usable", timeout_s=20).output == "usable"


@pytest.mark.parametrize("shell", INTEGRATED)
def test_a_shell_ended_by_a_run_saves_no_internal_line_of_phux(open_shell, tmp_path, shell):
    pane = open_shell(shell, rc=rc(shell))
    pane.run("echo mine", timeout_s=20)
    pane.run("echo one\nexec true" if shell == "fish" else "echo one\nexit 3", timeout_s=20)
    pane.wait(exit=True, timeout_s=10)
    kept = (tmp_path / FILES[shell]).read_text()
    assert "echo mine" in kept
    assert not OURS.search(kept)


@pytest.mark.parametrize(
    ("shell", "text", "remembers"),
    [
        ("bash", "", True),
        ("bash", "PROMPT_COMMAND='history -a'", True),
        ("bash", "trap ': debug' DEBUG", False),  # the trap hides the executed command from the hooks
        ("bash", "HISTIGNORE='echo one*'", False),
        ("bash", "set +o history", False),
        ("zsh", "", True),
        ("zsh", "setopt share_history hist_ignore_all_dups", True),
        ("zsh", "mine() { [[ $1 != *one* ]] }; zshaddhistory_functions=(mine)", False),
    ],
)
def test_the_history_has_a_multiline_command_as_if_it_were_typed(open_shell, tmp_path, shell, text, remembers):
    pane = open_shell(shell, rc=rc(shell, text))
    pane.run("echo before", timeout_s=20)
    for _ in range(2):
        pane.run(SEVERAL, timeout_s=20)
        pane.run("echo after", timeout_s=20)
    pane.send_keys("Enter")  # runs nothing, and adds nothing to the history
    text_of_all = "\n".join(entries(pane, shell)).replace("\\n", "\n")  # how zsh shows a newline
    times = (1 if "all_dups" in text else 2) if remembers else 0
    assert text_of_all.count(SEVERAL) == times
    kept = saved(pane, shell, tmp_path).replace("\\\n", "\n")  # how zsh saves a newline
    assert kept.count(SEVERAL) == times


def test_a_changed_histignore_applies_to_later_commands(open_shell):
    pane = open_shell("bash", rc=rc("bash"))
    pane.run("HISTIGNORE='echo ignored'", timeout_s=20)
    pane.run(SEVERAL, timeout_s=20)
    pane.run("HISTIGNORE+=:'echo too'", timeout_s=20)
    for command in (SEVERAL, "echo ignored", "echo too"):
        pane.run(command, timeout_s=20)
    several = SEVERAL.split("\n")
    expected = ["HISTIGNORE='echo ignored'", *several, "HISTIGNORE+=:'echo too'", *several]
    assert entries(pane, "bash") == expected


@pytest.mark.parametrize(
    ("shell", "name"), [("bash", "${PIPESTATUS[*]}"), ("zsh", "$pipestatus"), ("fish", "$pipestatus")]
)
def test_a_command_from_a_file_sees_the_previous_exit_status(open_shell, shell, name):
    pane = open_shell(shell, rc=rc(shell))
    pane.run("false | true | sh -c 'exit 3'", timeout_s=20)
    assert pane.run(f"echo {name}\ntrue", timeout_s=20).output == "1 0 3"
    assert pane.run("true\nsh -c 'exit 4'", timeout_s=20).exit_code == 4
    status = "$status" if shell == "fish" else "$?"
    assert pane.run(f"echo {status}\ntrue", timeout_s=20).output == "4"

"""``run`` at users' prompts, with any rc files, and after programs that leave the terminal changed."""

from __future__ import annotations

import os
import signal

import pytest

from phux_client import blocking
from phux_core import errors
from servers import embedded_server, eventually
from shell_panes import INTEGRATED, POSIX, SHELLS, wait_for_program


@pytest.fixture(scope="module")
def phux():
    with embedded_server("ghostty") as server, blocking.Phux(server.socket) as phux:
        yield phux


UNMARKED = [name for name in SHELLS if name not in INTEGRATED]

# Users' rc files

ODD_RC = {
    "a prompt of several colored lines": {
        ".bashrc": r"PS1='\[\e[32m\]one\[\e[0m\] \w\n\[\e[1;34m\]two $(echo three)\[\e[0m\]\n> '",
        ".zshrc": "setopt prompt_subst\nPS1=$'%F{green}one%f %~\\n%B$(echo two)%b\\n> '\nRPROMPT='%T'",
        ".config/fish/config.fish": "function fish_prompt; set_color green; echo one; set_color normal; echo -n 'two> '; end\n"
        "function fish_right_prompt; date +%H:%M; end",
    },
    "a prompt rebuilt each time": {
        ".bashrc": r"""p() { local s=$?; PS1="[$s] \[\e[1m\]\w\[\e[0m\] \$(date +%T)\n> "; PS0='\e[0m'; }
PROMPT_COMMAND=p""",
        ".zshrc": 'precmd() { PS1="[$?] %~\n> " }\npreexec() { : }',
        ".config/fish/config.fish": "function fish_prompt; echo -n \"[$status] \"(prompt_pwd)'> '; end",
    },
    "set -u": {".bashrc": "set -u", ".zshrc": "setopt no_unset", ".config/fish/config.fish": ""},
    "vi mode": {
        ".bashrc": "set -o vi",
        ".zshrc": "bindkey -v",
        ".config/fish/config.fish": "fish_vi_key_bindings",
    },
    "own PS0 and traps": {
        ".bashrc": "PS0='starting\\n'\ntrap ': \"$BASH_COMMAND\"' DEBUG\ntrap 'failed=yes' ERR\ntrap 'echo bye' EXIT",
        ".zshrc": "autoload -Uz add-zsh-hook\nmine() { print starting }\nadd-zsh-hook preexec mine\nTRAPZERR() { failed=yes }",
        ".config/fish/config.fish": "function mine --on-event fish_preexec; echo starting; end",
    },
    "a prompt that runs programs": {
        ".bashrc": "PROMPT_COMMAND='seq 1 50; env sleep 0.1'\nPS1='$ '",
        ".zshrc": "precmd() { seq 1 50; env sleep 0.1 }\nPS1='$ '",
        ".config/fish/config.fish": "function fish_prompt; env sleep 0.1; seq 1 50; echo -n '$ '; end",
    },
    "a blank line before each prompt": {
        ".bashrc": "PROMPT_COMMAND=echo\nPS1='$ '",
        ".zshrc": "precmd() { print }\nPROMPT_EOL_MARK='<no newline>'\nPS1='$ '",
        ".config/fish/config.fish": "function fish_prompt; echo; echo -n '$ '; end",
    },
    "a prompt wider than the pane": {
        ".bashrc": f"PS1='{'x' * 300}$ '",
        ".zshrc": f"PS1='{'x' * 300}$ '",
        ".config/fish/config.fish": f"function fish_prompt; echo -n '{'x' * 300}$ '; end",
    },
    "shared history and corrected words": {
        ".bashrc": "shopt -s histappend histverify; PROMPT_COMMAND='history -a; history -c; history -r'; HISTCONTROL=ignoreboth",
        ".zshrc": "setopt correct_all auto_cd share_history hist_verify extended_glob; PS1='$ '",
        ".config/fish/config.fish": "abbr -a echo 'printf ABBR'; fish_hybrid_key_bindings",
    },
    "own widgets and hooks": {
        ".bashrc": "bind 'set enable-bracketed-paste off'; bind 'set show-mode-in-prompt on'; set -o pipefail; set -o posix",
        ".zshrc": "accept-line() { zle .accept-line }; zle -N accept-line\nzle-line-init() { zle -R }; zle -N zle-line-init\n"
        "zle-line-finish() { PS1='> '; zle reset-prompt }; zle -N zle-line-finish\nprecmd() { PS1=$'long\\n$ ' }\nRPROMPT='%T'",
        ".config/fish/config.fish": "function fish_mode_prompt; echo -n '[I] '; end; set -g fish_transient_prompt 1",
    },
    "no job control, no line editor": {
        ".bashrc": "set +m; set +o emacs; PS1='$ '",
        ".zshrc": "unsetopt monitor zle; PS1='$ '",
        ".config/fish/config.fish": "status job-control none",
    },
    "an rc file that fails and is noisy": {
        ".bashrc": "echo welcome; false; no-such-command; PS1='$ '",
        ".zshrc": "echo welcome; false; no-such-command; PS1='$ '",
        ".config/fish/config.fish": "echo welcome; false; no-such-command",
    },
}


@pytest.mark.parametrize("rc", ODD_RC)
@pytest.mark.parametrize("shell", INTEGRATED)
def test_run_works_with_any_rc_file(open_shell, shell, rc):
    pane = open_shell(shell, rc=ODD_RC[rc])
    for _ in range(3):
        result = pane.run("echo hello; sh -c 'exit 5'", timeout_s=20)
        assert result.exit_code == 5
        assert result.output.removeprefix("starting\n") == "hello"
    assert pane.run("true", timeout_s=20).exit_code == 0
    result = pane.run("echo one\necho two", timeout_s=20)
    assert result.output.removeprefix("starting\n") == "one\ntwo"
    assert pane.run("seq 1 300", timeout_s=20).output.endswith("299\n300")
    assert pane.run("printf 'no newline'", timeout_s=20).output.removeprefix("starting\n") == "no newline"


# POSIX shells read the file that $ENV names.
ODD_ENV = {
    "a prompt of several lines": "PS1='one\ntwo\n> '",
    "a colored prompt": "PS1=$(printf '\\033[1;32mgreen\\033[0m \\033[34mblue\\033[0m> ')",
    "a prompt that runs a program": "PS1='$(env echo made)> '",
    "set -u": "set -u",
    "set -e": "set -e",
    "vi mode": "set -o vi",
    "own traps": "trap 'echo bye' EXIT; trap 'echo interrupted' INT",
    "no prompt at all": "PS1=''",
}


@pytest.mark.parametrize("file", ODD_ENV)
@pytest.mark.parametrize("shell", ["dash", "ksh", "busybox"])
def test_run_works_with_any_file_named_by_env(open_shell, shell, file, tmp_path):
    pane = open_shell(shell, rc={"env": f"{ODD_ENV[file]}\nHAS_READ=it\n"}, ENV=str(tmp_path / "env"))
    for _ in range(3):
        result = pane.run("echo hello $HAS_READ; sh -c 'exit 5' && true", timeout_s=20)
        assert (result.output, result.exit_code) == ("hello it", 5)
    result = pane.run("echo one\necho two", timeout_s=20)
    assert (result.output, result.exit_code) == ("one\ntwo", 0)
    result = pane.run("seq 1 5000", timeout_s=20)
    assert (result.output, result.truncated) == ("\n".join(map(str, range(1, 5001))), False)
    for command in ("echo )", "echo 'open"):
        result = pane.run(command, timeout_s=20)
        assert result.exit_code != 0
        assert result.output != ""
    (tmp_path / "sub").mkdir()
    assert pane.run("cd sub; KEPT=yes", timeout_s=20).cwd == str(tmp_path / "sub")
    assert pane.run("echo $KEPT; pwd", timeout_s=20).output == f"yes\n{tmp_path}/sub"
    with pytest.raises(errors.TimedOutError, match="C-c was sent"):
        pane.run("env sleep 60 && true", timeout_s=0.2, interrupt=True)
    pane.wait(state="prompt", timeout_s=10)
    pane.send_keys("echo typed", "Enter")
    assert pane.run("echo usable", queue=True, timeout_s=10).output == "usable"
    result = pane.run("echo last; sh -c 'exit 6'", timeout_s=20)
    assert (result.output, result.exit_code) == ("last", 6)
    if file != "set -e":
        result = pane.run("exit 3", timeout_s=20)
        assert (result.output, result.exit_code) == ("bye" if "trap" in file else "", 3)
    pane.wait(exit=True, timeout_s=10)


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_set_e_ends_the_shell_and_the_run(open_shell, shell):
    pane = open_shell(shell, rc={".bashrc": "set -e", ".zshrc": "setopt err_exit"})
    assert pane.run("echo fine", timeout_s=20).output == "fine"
    result = pane.run("sh -c 'exit 9'", timeout_s=20)
    assert result.exit_code == 9
    pane.wait(exit=True, timeout_s=10)


@pytest.mark.parametrize("shell", SHELLS)
def test_run_works_with_an_alias_for_the_command_that_reads_a_file(open_shell, shell):
    pane = open_shell(shell)
    pane.run("alias source=pwd" if shell == "fish" else "alias .=pwd", timeout_s=20)
    assert pane.run("echo one\necho two", timeout_s=20).output == "one\ntwo"


@pytest.mark.parametrize("shell", POSIX)
def test_a_syntax_error_does_not_trigger_set_e(open_shell, shell):
    pane = open_shell(shell)
    pane.run("set -e", timeout_s=20)
    for command in ("echo )", 'echo "open', "if true; then", "echo one\nfi", "echo $("):
        result = pane.run(command, timeout_s=20)
        assert result.exit_code != 0
        assert result.output != ""
    assert pane.run("echo usable", timeout_s=20).output == "usable"


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_query_of_the_line_after_a_failure_does_not_trigger_set_e(open_shell, shell):
    pane = open_shell(shell)
    pane.run("set -e", timeout_s=20)
    assert pane.run("echo )", timeout_s=20).exit_code != 0
    pane.send_keys("x", "BSpace")  # so that phux asks whether the line is empty
    assert pane.run("echo usable", timeout_s=20).output == "usable"


@pytest.mark.parametrize("shell", POSIX)
@pytest.mark.parametrize(
    "command", ["false", "echo one\nfalse", "if true; then\n  false\nfi", "for i in 1; do false; done"]
)
def test_a_failing_command_of_one_or_several_lines_triggers_set_e(open_shell, shell, command):
    pane = open_shell(shell)
    pane.run("set -e", timeout_s=20)
    assert pane.run(command, timeout_s=20).exit_code == 1
    pane.wait(exit=True, timeout_s=10)


@pytest.mark.parametrize("shell", UNMARKED)
def test_a_failure_in_a_condition_does_not_trigger_set_e(open_shell, shell):
    pane = open_shell(shell)
    pane.run("set -e", timeout_s=20)
    assert pane.run("false && true", timeout_s=20).exit_code == 1
    assert pane.run("echo usable", timeout_s=20).output == "usable"


@pytest.mark.parametrize("shell", UNMARKED)
def test_run_works_with_stdout_redirected_to_a_file(open_shell, shell, tmp_path):
    pane = open_shell(shell)
    assert pane.run(f"exec >{tmp_path}/log; echo logged", timeout_s=20).exit_code == 0
    assert pane.run("echo more; false", timeout_s=20).exit_code == 1
    written = (tmp_path / "log").read_text()
    assert written.startswith("logged\n")
    if shell != "busybox":  # busybox also writes its prompt there
        assert "7748" not in written, "marks are written only to the terminal"
    pane.run("exec >/dev/tty", timeout_s=20)
    assert pane.run("echo back", timeout_s=20).output == "back"


@pytest.mark.parametrize("shell", POSIX)
def test_run_works_with_stderr_redirected_to_a_file(open_shell, shell, tmp_path):
    pane = open_shell(shell)
    pane.run(f"exec 2>{tmp_path}/log", timeout_s=20)
    for command in ("echo one; echo two", "echo one\necho two"):
        result = pane.run(command, timeout_s=20)
        assert (result.output, result.exit_code) == ("one\ntwo", 0)
    assert pane.run("printf one", timeout_s=20).output == "one"
    assert pane.run("echo three; false", timeout_s=20).exit_code == 1


@pytest.mark.parametrize("shell", POSIX)
def test_other_descriptors_do_not_end_the_integration(open_shell, shell, tmp_path):
    pane = open_shell(shell)
    assert pane.run(f"exec 9>{tmp_path}/lock 3>&1", timeout_s=20).exit_code == 0
    failed = pane.run(f"exec 9<{tmp_path}/missing", timeout_s=20)
    assert failed.exit_code > 0
    assert "missing" in failed.output
    assert "eval" not in failed.output


@pytest.mark.parametrize("size", [(80, 24), (20, 10)])
@pytest.mark.parametrize("shell", INTEGRATED)
def test_a_line_rejected_by_its_shell_is_not_output(open_shell, shell, size):
    pane = open_shell(shell, size=size)
    if shell != "fish":
        pane.run("alias refused='echo ;;'", timeout_s=20)
    for command in ("refused", "refused and more of this line than fits"):
        result = pane.run("NO=1" if shell == "fish" else command, timeout_s=20)
        assert result.exit_code != 0
        assert result.output.startswith(f"{shell}: ")


@pytest.mark.parametrize("shell", ["bash --norc", "ksh", "busybox"])
def test_an_err_trap_runs_once_for_a_failure(open_shell, shell):
    pane = open_shell(shell)
    pane.run("trap 'echo ERR' ERR", timeout_s=20)
    result = pane.run("echo one\nfalse", timeout_s=20)
    assert (result.output, result.exit_code) == ("one\nERR", 1)


def test_ksh_reports_failures_with_a_debug_trap_and_signals_like_other_shells(open_shell):
    pane = open_shell("ksh")
    assert pane.run("sh -c 'kill $$'", timeout_s=20).exit_code == 128 + signal.SIGTERM
    pane.run("trap 'echo D' DEBUG", timeout_s=20)
    assert pane.run("false", timeout_s=20).exit_code == 1


# Terminals changed by programs


@pytest.mark.parametrize("shell", INTEGRATED)
def test_a_run_on_an_alternate_screen_left_by_a_killed_program_is_refused_until_reset(open_shell, shell):
    pane = open_shell(shell)
    pane.send_keys("vim -u NONE -N", "Enter")
    pane.wait(state="fullscreen", timeout_s=10)
    vim = eventually(lambda: (front := pane.info().foreground) and front.pid != pane.info().pid and front.pid)
    pane.wait(idle_ms=300, timeout_s=10)  # vim must have read the replies to its queries
    os.kill(vim, signal.SIGKILL)
    pane.wait(command_done=True, since=0, timeout_s=10)
    with pytest.raises(errors.BusyError, match="alternate screen") as raised:
        pane.run("echo hi")
    assert "reset" in raised.value.remedy
    pane.send_keys("reset", "Enter")
    assert pane.wait(state="prompt", timeout_s=10).state == "prompt"
    assert pane.run("echo usable", timeout_s=20).output == "usable"


def test_stop_ends_with_a_program_that_leaves_the_alternate_screen_on(open_shell):
    pane = open_shell("bash")
    pane.start(r"printf '\033[?1049h'; sleep 100")
    pane.wait(state="fullscreen", timeout_s=10)
    stopped = pane.stop(grace_s=60)
    assert (stopped.signals, stopped.duration_ms < 60_000) == (["INT"], True)


def test_a_run_on_the_alternate_screen_without_marks_is_refused_with_a_remedy(open_shell):
    pane = open_shell("bash --norc")
    pane.run(r"printf '\033[?1049h'")
    with pytest.raises(errors.BusyError, match="alternate screen") as raised:
        pane.run("echo hi")
    assert "reset" in raised.value.remedy
    pane.send_keys(r"printf '\033[?1049l'", "Enter")
    pane.wait(state="prompt", timeout_s=10)
    assert pane.run("echo usable", timeout_s=20).output == "usable"


@pytest.mark.parametrize("shell", ["dash", "ksh", "busybox"])
def test_run_works_in_a_posix_shell_with_echo_off(open_shell, shell):
    pane = open_shell(shell)
    pane.run("stty -echo")
    for command in ("echo hi; (exit 3)", "echo\thi\n(exit 3)", "echo hi; : " + "x" * 100 + "; (exit 3)"):
        result = pane.run(command, timeout_s=20)
        assert (result.output, result.exit_code) == ("hi", 3)
    pane.run("stty echo", timeout_s=20)
    assert pane.run("echo usable", timeout_s=20).output == "usable"


def test_a_nested_shell_with_echo_off_counts_as_awaiting_a_secret(open_shell):
    pane = open_shell("bash")
    pane.send_keys("dash", "Enter")
    wait_for_program(pane, "dash")
    pane.wait(state="prompt", timeout_s=20)
    pane.run("stty -echo")
    with pytest.raises(errors.BusyError, match="dash waits for a secret") as raised:
        pane.run("echo hi")
    assert "stty sane" in raised.value.remedy
    pane.send_keys("stty sane", "Enter")
    assert pane.run("echo usable", queue=True, timeout_s=20).output == "usable"


@pytest.mark.parametrize("shell", INTEGRATED)
@pytest.mark.parametrize("other", ["bash --norc", "zsh -f", "dash"])
def test_a_shell_that_replaced_ours_is_used_without_marks(open_shell, shell, other):
    pane = open_shell(shell)
    pid = pane.info().pid
    result = pane.run(f"exec {other}", timeout_s=20)
    assert (result.exit_code, result.output) == (0, "")
    result = pane.run("echo other; sh -c 'exit 3'", timeout_s=20)
    assert (result.output, result.exit_code) == ("other", 3)
    pane.wait(state="prompt", timeout_s=10)
    info = pane.info()
    assert (info.pid, info.state, info.foreground.command) == (pid, "prompt", other.split()[0])
    assert pane.run("exit 5", timeout_s=20).exit_code == 5


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_builtin_that_reads_is_not_mistaken_for_another_shell(open_shell, shell):
    pane = open_shell(shell)
    pane.send_keys("read x", "Enter")
    pane.wait(state="awaiting_input", timeout_s=10)
    with pytest.raises(errors.BusyError, match="is in the foreground"):
        pane.run("echo hi")
    pane.send_keys("an answer", "Enter")
    assert pane.run("echo $x", queue=True, timeout_s=20).output == "an answer"


@pytest.mark.parametrize("shell", UNMARKED)
def test_run_works_in_shells_without_marks_under_any_settings(open_shell, shell):
    pane = open_shell(shell)
    commands = {
        "clear": "",  # busybox then queries the cursor, and loses input right after the reply
        "clear; echo after": "after",
        "printf() { :; }; echo function": "function",
        "echo still": "still",
        "unset -f printf": "",
        "alias printf=false; echo alias": "alias",
        "echo ${nope?}; echo not reached": None,
        "readonly r=1; r=2; echo not reached": None,
        "(exit 3)": "",
    }
    for command, output in commands.items():
        result = pane.run(command, timeout_s=5)
        if output is None:
            assert (result.exit_code > 0, "reached" in result.output) == (True, False)
        else:
            assert result.output == output
    assert result.exit_code == 3
    pane.run("set -x", timeout_s=5)
    traced = pane.run("echo traced", timeout_s=5).output.split("\n")
    assert "traced" in traced
    assert not any("7748" in line for line in traced), "the marks of phux are not traced"
    result = pane.run("return 3", timeout_s=5)  # typed at the prompt, return would end ksh and dash
    assert result.exit_code == 3
    assert result.exit_known


def test_a_shell_that_dies_before_the_command_started_has_no_output(open_shell):
    pane = open_shell("fish")
    pane.run("ulimit -f 0")  # fish is killed when it writes its history
    result = pane.run("echo never", timeout_s=20)
    assert (result.exit_code, result.output) == (128 + signal.SIGXFSZ, "")


UNUSUAL = {
    "zsh as sh": ("zsh", ".zshrc", "emulate sh; PS1='$ '\n"),
    "zsh with a read-only PS1": ("zsh", ".zshrc", "PS1='$ '; readonly PS1\n"),
    **{
        f"{shell} with another printf": (shell, "env", "PS1='$ '; printf() { :; }\n")
        for shell in ("dash", "ksh", "busybox")
    },
}


@pytest.mark.parametrize("case", UNUSUAL)
def test_unusual_startup_files_keep_the_integration(open_shell, tmp_path, case):
    shell, file, text = UNUSUAL[case]
    pane = open_shell(shell, rc={file: text}, **({"ENV": str(tmp_path / "env")} if file == "env" else {}))
    result = pane.run("echo a; sh -c 'exit 3'", timeout_s=20)
    assert (result.output, result.exit_code) == ("a", 3)
    pane.send_keys("sh -c 'exit 4'", "Enter")
    pane.wait(state="prompt", timeout_s=20)
    assert [command.exit_code for command in pane.commands()] == [3, 4]

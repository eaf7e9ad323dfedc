"""Shell integration does not change the user's prompt, hooks, traps, history or environment."""

import os
import re
import select
import time

import pytest

from .conftest import NONCE

# ---- hooks that rebuild the prompt, and the exit status that they read


BASH_REBUILDS_PS1 = [
    pytest.param("PROMPT_COMMAND='s=$?; PS1=\"[$s] > \"'\n", id="string"),
    pytest.param('mine() { local s=$?; PS1="[$s] > "; }\nPROMPT_COMMAND=mine\n', id="function"),
    pytest.param("PROMPT_COMMAND=('s=$?' 'PS1=\"[$s] > \"')\n", id="array"),
    pytest.param("PROMPT_COMMAND='PS1=\"[$?] > \";'\n", id="semicolon"),
    pytest.param("PROMPT_COMMAND='PS1=\"[$?] > \" # why not'\n", id="comment"),
    pytest.param("export PROMPT_COMMAND='PS1=\"[$?] > \"'\n", id="exported"),
    pytest.param("trap : DEBUG\nPROMPT_COMMAND='PS1=\"[$?] > \"'\n", id="debug-trap"),
]


def check_prompts(shell, terminal, prompt="[{}] >"):
    assert terminal.screen()[-1] == prompt.format(0)
    for code in (0, 3, 4):
        command = f"sh -c 'exit {code}'"
        assert terminal.line(command) == shell.ran(command, code)
        assert terminal.screen()[-1] == prompt.format(code)
    assert terminal.line("") == shell.ran_nothing(4)
    assert terminal.screen()[-1] == prompt.format(4)


@pytest.mark.parametrize("rc", BASH_REBUILDS_PS1)
def test_bash_prompt_command_may_rebuild_ps1(bash, rc):
    check_prompts(bash, bash.start(rc))


@pytest.mark.parametrize("rc", [*(case for case in BASH_REBUILDS_PS1 if case.id != "array"), "PS1='[$?] > '\n"])
def test_prompt_command_may_rebuild_ps1_in_a_bash_without_prompt_command_arrays(
    bash, rc, scripts, tmp_path, monkeypatch
):
    script = (scripts / "bash/phux.bash").read_text()
    assert "< 501" in script
    (tmp_path / "bash").mkdir()
    (tmp_path / "bash/phux.bash").write_text(script.replace("< 501", "< 99999"))
    monkeypatch.setattr("phux_core.shells._HERE", str(tmp_path))
    terminal = bash.start(rc)
    check_prompts(bash, terminal)
    assert terminal.output("declare -p PROMPT_COMMAND").startswith("declare -- ")
    if rc.endswith(";'\n"):
        return  # the next line would be a syntax error without shell integration, too
    assert terminal.line("PROMPT_COMMAND=\"$PROMPT_COMMAND; PS1='new > '\"")[-6:] == ["D;0", "133;D;0", *bash.prompt]
    terminal.shows("new >")  # for this prompt only, the mark comes before the prompt text
    assert terminal.line("sh -c 'exit 3'") == bash.ran("sh -c 'exit 3'", 3)


ZSH_REBUILDS_PS1 = [
    pytest.param('precmd() { PS1="[$?] > " }\n', id="function"),
    pytest.param('mine() { PS1="[$?] > " }\nprecmd_functions=(mine)\n', id="array"),
    pytest.param(
        'mine() { PS1="[$?] > " }\nautoload -Uz add-zsh-hook\nadd-zsh-hook precmd mine\nadd-zsh-hook preexec :\n',
        id="add-zsh-hook",
    ),
    pytest.param("setopt prompt_subst\nPS1='[$?] > '\n", id="prompt_subst"),
    pytest.param("PS1='[%?] > '\n", id="percent"),
    pytest.param(
        'precmd() { PS1="[$?] > " }\nsetopt ksh_arrays no_unset prompt_subst sh_word_split all_export warn_create_global\n'
        "setopt no_clobber glob_subst no_multios posix_builtins\nIFS=:\n",
        id="options",
    ),
    pytest.param(
        'precmd() { PS1="[$?] > " }\nalias print=false local=false builtin=false emulate=false\n', id="aliases"
    ),
]


@pytest.mark.parametrize("rc", ZSH_REBUILDS_PS1)
def test_zsh_precmd_may_rebuild_ps1(zsh, rc):
    check_prompts(zsh, zsh.start(rc))


def test_a_zsh_prompt_may_end_in_a_percent_sign(zsh):
    terminal = zsh.start("PS1='me%'\n")
    assert terminal.screen()[-1] == "me%"
    assert terminal.line("false") == zsh.ran("false", 1)
    assert terminal.screen()[-1] == "me%"


def test_zsh_commands_are_marked_without_prompt_percent(zsh):
    terminal = zsh.start("setopt no_prompt_percent\nPS1='%m> '\n")
    assert terminal.line("false") == zsh.ran("false", 1)
    terminal.shows("%m>")


def test_fish_shows_the_users_left_and_right_prompts(fish):
    rc = (
        'function fish_prompt; set -l s $status; echo -n "[$s] > "; end\n'
        "function fish_right_prompt; echo -n right; end\n"
    )
    terminal = fish.start(rc)
    terminal.shows(re.compile(r"\[0\] > +right").fullmatch)
    for code in (3, 0):
        assert terminal.line(f"sh -c 'exit {code}'") == fish.ran(f"sh -c 'exit {code}'", code)
        terminal.shows(re.compile(rf"\[{code}\] > +right").fullmatch)


def test_a_fish_prompt_may_be_autoloaded_from_its_own_file(fish):
    files = {".config/fish/functions/fish_prompt.fish": 'function fish_prompt\n    echo -n "[$status] > "\nend\n'}
    terminal = fish.start("function fish_greeting; end\n", files=files, base=False)
    check_prompts(fish, terminal)


# ---- prompts and hooks changed while the shell is running


@pytest.mark.parametrize(
    ("change", "prompt"),
    [
        ("PS1='new > '", "new >"),
        ("PROMPT_COMMAND='PS1=\"new > \"'", "new >"),
        ("PROMPT_COMMAND=\"PS1='new > '; $PROMPT_COMMAND\"", "new >"),
        ("PROMPT_COMMAND=\"$PROMPT_COMMAND; PS1='new > '\"", "new >"),
        ("PROMPT_COMMAND+=(\"PS1='new > '\")", "new >"),
        ("source ~/.bashrc", "$"),
    ],
)
def test_bash_keeps_sending_marks_after_hooks_are_changed_at_the_prompt(bash, change, prompt):
    terminal = bash.start("PROMPT_COMMAND='x=1'\n")
    assert terminal.line(change)[-6:] == ["D;0", "133;D;0", *bash.prompt]
    terminal.shows(prompt)
    for _ in range(2):
        assert terminal.line("sh -c 'exit 3'")[-6:] == ["D;3", "133;D;3", *bash.prompt]
        assert terminal.screen()[-1] == prompt


@pytest.mark.parametrize("change", ["PROMPT_COMMAND=(: :)", "unset PROMPT_COMMAND"])
def test_bash_restores_its_marks_after_prompt_command_is_discarded(bash, change):
    terminal = bash.start()
    start = len(terminal.marks)
    terminal.type(change + "\r")
    # The next prompt has only the marks that are part of PS1.
    terminal.wait(lambda: terminal.marks[start:][-2:] == ["133;B", "B"], "a prompt")
    assert terminal.marks[start:] == ["133;C", "C;", "133;B", "B"]
    assert terminal.line("false")[-6:] == ["D;1", "133;D;1", *bash.prompt]
    assert terminal.line("sh -c 'exit 3'") == bash.ran("sh -c 'exit 3'", 3)


@pytest.mark.parametrize(
    "change",
    [
        "PS1='new > '",
        "precmd() { PS1='new > ' }",
        "x() { PS1='new > ' }; precmd_functions=(x) preexec_functions=()",
        "source ~/new",
    ],
)
def test_zsh_keeps_sending_marks_after_hooks_are_changed_at_the_prompt(zsh, change):
    terminal = zsh.start(files={"new": "precmd() { PS1='new > ' }\nprecmd_functions=()\npreexec_functions=()\n"})
    assert terminal.line(change) == zsh.ran(change, 0)
    assert terminal.line("false") == zsh.ran("false", 1)
    assert terminal.screen()[-1] == "new >"
    assert terminal.line("sh -c 'exit 3'") == zsh.ran("sh -c 'exit 3'", 3)


def test_zsh_sends_no_prompt_marks_while_vared_edits_a_variable(zsh):
    terminal = zsh.start()
    start = len(terminal.marks)
    command = "eval 'precmd_functions=(); x=1; vared x'"
    terminal.type(command + "\r")
    terminal.wait(lambda: terminal.screen()[-1] == "1", "the value to edit")
    terminal.typed("2")
    assert terminal.marks[start:] == ["133;C", f"C;{command}"]


def test_fish_keeps_sending_marks_after_fish_prompt_is_redefined(fish):
    terminal = fish.start()
    change = 'function fish_prompt; echo -n "new $status > "; end'
    assert terminal.line(change) == fish.ran(change, 0)
    assert terminal.screen()[-1] == "new 0 >"
    assert terminal.line("false") == fish.ran("false", 1)
    assert terminal.screen()[-1] == "new 1 >"
    # Commands see the user's function, not our wrapper.
    assert "__phux" not in terminal.output("functions fish_prompt")


# ---- shell options, history settings and traps


@pytest.mark.parametrize(
    "rc",
    [
        "set -u\n",
        "set -a\n",
        "set -T\n",
        "set -E; trap : ERR\n",
        "set -f\n",
        "set -C\n",
        "set -o vi\n",
        "set -o posix\n",
        "IFS=_x17\n",
        "shopt -s extglob failglob nullglob nocasematch\n",
        "shopt -u promptvars\n",
        "HISTTIMEFORMAT='%F %T '\n",
        "readonly HISTTIMEFORMAT='%F %T '\n",
        "HISTSIZE=3\n",
        "alias builtin=false local=false printf=false history=false :=false set=false return=false\n",
        "printf() { :; }; history() { :; }; set() { :; }\n",
        "LC_ALL=C\n",
        "exec 2>&1 >/dev/null\n",
        "trap 'x=$((x + 1))' DEBUG\n",
        "PS0='$(echo)'\n",
        "unset PS1 PS0\n",
        "declare -a PROMPT_COMMAND\n",
        "shopt -s compat44 2>/dev/null\n",
    ],
)
def test_bash_marks_commands_with_any_setting(bash, rc):
    terminal = bash.start("history -s one; history -s two; history -s three\n" + rc)
    shown = "" if "promptvars" in rc or "readonly" in rc else None
    assert terminal.line("sh -c 'exit 3'") == bash.ran("sh -c 'exit 3'", 3, shown)
    assert terminal.line("! true") == bash.ran("! true", 1, shown)
    assert terminal.line("") == bash.ran_nothing(1)


@pytest.mark.parametrize(
    ("rc", "first", "second"),
    [
        ("HISTCONTROL=ignorespace\n", "true", " false"),
        ("HISTCONTROL=ignoredups\n", "false", "false"),
        ("HISTCONTROL=erasedups\n", "false", "false"),
        ("HISTIGNORE=false\n", "true", "false"),
        ("", "set +o history", "false"),
        ("HISTSIZE=0\n", "true", "false"),
    ],
)
def test_bash_never_reports_the_previous_line_as_the_command(bash, rc, first, second):
    terminal = bash.start(rc)
    terminal.line(first)
    assert terminal.line(second) == bash.ran(second, 1, "")


def test_bash_marks_commands_while_history_is_reread_at_each_prompt(bash):
    terminal = bash.start("HISTCONTROL=ignorespace\nPROMPT_COMMAND='history -a; history -c; history -r'\n")
    for command in ("true", "false", "sh -c 'exit 2'"):
        code = {"true": 0, "false": 1}.get(command, 2)
        assert terminal.line(command) == bash.ran(command, code)
    assert terminal.line(" false") == bash.ran(" false", 1, "")


def test_bash_marks_a_command_recalled_from_history(bash):
    terminal = bash.start()
    terminal.line("false")
    terminal.line("true")
    assert terminal.line("\x1b[A\x1b[A") == bash.ran("false", 1)


@pytest.mark.parametrize(
    ("kind", "rc"),
    [
        ("bash", "set -e\n"),
        ("bash", "set -e; PROMPT_COMMAND=true\n"),
        ("zsh", "setopt err_exit\n"),
        ("zsh", "setopt err_exit; precmd() { true }\n"),
    ],
)
def test_errexit_ends_the_shell_only_when_a_command_of_the_user_fails(kind, rc, request):
    shell = request.getfixturevalue(kind)
    terminal = shell.start(rc)
    assert terminal.line("true") == shell.ran("true", 0)
    assert terminal.line("! true") == shell.ran("! true", 1)
    terminal.typed("half")
    assert shell.interrupt(terminal) == shell.ran_nothing(130)
    terminal.type("false\r")
    terminal.wait_for_end()


def test_zsh_reinstalling_its_hooks_keeps_the_exit_status(zsh):
    terminal = zsh.start("setopt err_exit\nPS1='[%?] > '\n! true\n")
    assert terminal.screen()[-1] == "[1] >"  # the exit status of the rc file
    assert terminal.line("! : precmd_functions") == zsh.ran("! : precmd_functions", 1)
    assert terminal.screen()[-1] == "[1] >"


def test_the_first_bash_prompt_has_the_exit_status_of_the_rc_file(bash):
    terminal = bash.start("PS1='[$?] > '\nfalse\n")
    assert terminal.screen()[-1] == "[1] >"


def test_a_bash_err_trap_runs_only_for_commands_of_the_user(bash):
    terminal = bash.start("n=0\ntrap 'n=$((n + 1))' ERR\nPROMPT_COMMAND=true\nPS1='$n > '\n")
    for n, command in enumerate(["false", "", "sh -c 'exit 3'", "true"], 1):
        terminal.line(command)
        assert terminal.screen()[-1] == f"{(n + 1) // 2} >"


VI = {
    "bash": ("set -o vi\nbind 'set show-mode-in-prompt on'\n", "(ins)$", "(cmd)$"),
    "zsh": (
        (
            "bindkey -v\nm=ins\nsetopt prompt_subst\nPS1='($m)$ '\n"
            "zle-keymap-select() { m=cmd; [[ $KEYMAP == main ]] && m=ins; zle reset-prompt }\nzle -N zle-keymap-select\n"
        ),
        "(ins)$",
        "(cmd)$",
    ),
    "fish": ("fish_vi_key_bindings\n", "[I] $", "[N] $"),
}


def test_changing_the_vi_mode_ends_no_command(shell):
    rc, insert_prompt, command_prompt = VI[shell.name]
    terminal = shell.start(rc)
    assert terminal.screen()[-1] == insert_prompt
    start = len(terminal.marks)
    terminal.typed("echo a")
    terminal.type("\x1b")
    terminal.wait(lambda: terminal.screen()[-1].startswith(command_prompt), "command mode")
    terminal.type("A")
    terminal.wait(lambda: terminal.screen()[-1].startswith(insert_prompt), "insert mode")
    assert set(terminal.marks[start:]) <= {"133;A", "A", "133;B", "B"}
    terminal.type(" b\r")
    marks = terminal.since(start)
    assert marks[marks.index("133;C") :] == shell.ran("echo a b", 0)


# ---- the screen with and without shell integration


def steps(name):
    """Return the inputs to type, each followed by a new prompt."""
    return [
        "echo hello\r",
        "false\r",
        "\r",
        "echo )\r" if name != "fish" else "true\r",
        "abc\x03" if name != "fish" else "\r",  # fish does not increase the prompt number on C-c
        "printf 'no newline'\r"
        if name != "bash"
        else "true\r",  # with integration, the bash prompt starts on a new line (see the next test)
        "printf '\\e[31mred\\e[m\\n'; false\r",
        "echo a very long line that goes on and on and on over the edge of the terminal, which is 80 columns wide\r",
        "cd /; pwd\r",
    ]


# Each prompt contains a number, so that a test can recognize the next one.
NUMBERED = {
    "bash": "PROMPT_COMMAND='n=$((n+1))'\nPS1='$n \\w> '\n",
    "zsh": "setopt prompt_subst\nprecmd() { (( ++n )) }\nPS1='$n %~> '\n",
    "fish": "function number --on-event fish_prompt; set -g n (math $n + 1); end\nset -g n 0\n"
    "function fish_prompt; echo -n $n (prompt_pwd)'> '; end\n",
}

PREEXEC = 'hook() { [[ -t 1 && $armed ]] || return; armed=; echo "about to run $BASH_COMMAND"; }\n'

SCREEN_CASES = [
    ("bash", "plain", ""),
    ("bash", "colors", "PS1='\\[\\e[1;32m\\]\\u\\[\\e[m\\] ☃ ($?)\\n$n \\w> '\n"),
    ("bash", "rebuilt", "PROMPT_COMMAND='s=$?; n=$((n+1)); PS1=\"\\[\\e[1m\\]$s\\[\\e[m\\]\\n$n > \"'\n"),
    ("bash", "array", "PROMPT_COMMAND=('n=$((n+1))' 'echo \"status $?\"')\n"),
    ("bash", "output", "PROMPT_COMMAND='echo \"status $?\"; n=$((n+1))'\n"),
    ("bash", "PS0", "PS0='started \\w\\n'\n"),
    ("bash", "ERR", "trap 'echo failed: $BASH_COMMAND' ERR\n"),
    ("bash", "DEBUG", "trap 'echo \"debug: $BASH_COMMAND\"' DEBUG\n"),
    # Like bash-preexec, whose DEBUG trap treats the first command after PROMPT_COMMAND as the user's.
    ("bash", "preexec", PREEXEC + "trap hook DEBUG\nPROMPT_COMMAND='n=$((n+1)); armed=on'\n"),
    ("bash", "late-preexec", PREEXEC + "PROMPT_COMMAND='n=$((n+1)); trap hook DEBUG; armed=on'\n"),
    ("bash", "xtrace", "set -x\n"),
    ("bash", "errtrace", "set -E\ntrap 'echo failed' ERR\n"),
    ("zsh", "plain", ""),
    ("zsh", "colors", "PS1=$'%B%F{green}%n%f%b ☃ (%?)\\n$n %~> '\nRPS1='%F{red}right%f'\n"),
    ("zsh", "rebuilt", "precmd() { local s=$?; (( ++n )); PS1=$'%B'$s$'%b\\n'$n' %~> ' }\n"),
    ("zsh", "hooks", "a() { print status $? }\nb() { print run $1 }\nprecmd_functions+=(a)\npreexec_functions+=(b)\n"),
    ("zsh", "preexec", 'preexec() { print "run $1" }\n'),
    ("zsh", "ZERR", "TRAPZERR() { print failed }\n"),
    ("zsh", "xtrace", "set -x\n"),
    ("fish", "plain", ""),
    (
        "fish",
        "hooks",
        (
            "function a --on-event fish_preexec; echo run $argv; end\nfunction b --on-event fish_postexec; echo ran $status; end\n"
            "function c --on-event fish_prompt; echo prompt $status; end\n"
        ),
    ),
    (
        "fish",
        "colors",
        (
            "function fish_prompt; set -l s $status; set_color -o green; echo ☃ $s; set_color normal; echo -n $n'> '; end\n"
            "function fish_right_prompt; echo -n right; end\n"
        ),
    ),
]


def appearance(terminal):
    """Return the cursor, and every glyph on the screen with its position and style."""
    return terminal.engine.cursor(), [
        (span.row, span.col + i * span.width, glyph, span.style)
        for span in terminal.engine.spans(0, 24)
        for i, glyph in enumerate(span.text)
        if glyph != " "
    ]


@pytest.mark.parametrize(
    ("name", "rc"), [pytest.param(name, rc, id=f"{name}-{label}") for name, label, rc in SCREEN_CASES]
)
def test_the_screen_is_the_same_with_and_without_shell_integration(name, rc, request):
    shell = request.getfixturevalue(name)
    ours, plain = (shell.start(NUMBERED[name] + rc, integrated=integrated, wait=False) for integrated in (True, False))
    terminals = {terminal.process.fd: terminal for terminal in (ours, plain)}
    files = list(terminals)
    for number, step in enumerate([None, *steps(name)], 1):
        for terminal in (ours, plain):
            shows = re.compile(rf"{number} .*> |{number}> ?").match

            def at_prompt(terminal=terminal, shows=shows):
                cursor = terminal.engine.cursor()
                row = terminal.engine.lines(cursor.y, 1).text[0].ljust(cursor.x)
                return shows(row) and cursor.x == shows(row).end()

            if step and step.endswith("\x03"):
                terminal.typed(step[:-1])
                shell.interrupt(terminal, at_prompt)
            elif step:
                terminal.type(step)
            terminal.wait(at_prompt, f"prompt {number}")
        # One shell may still be drawing, for example its right prompt.
        while appearance(ours) != appearance(plain) and (more := select.select(files, [], [], 2)[0]):
            terminals[more[0]].read(time.monotonic() + 1, "nothing")
        assert ours.screen() == plain.screen()
        assert appearance(ours) == appearance(plain)
    assert plain.marks == []
    assert [mark for mark in ours.marks if mark.startswith("D")]


def test_the_bash_prompt_starts_on_a_new_line_after_output_without_a_newline(bash):
    terminal = bash.start()
    terminal.line("printf 'no newline'")
    assert terminal.screen() == ["$ printf 'no newline'", "no newline", "$"]


def test_a_debug_trap_does_not_run_between_prompt_command_and_the_prompt(bash):
    rc = "n=0\ntrap ': ${began:=$((n += 1))}' DEBUG\nPROMPT_COMMAND='unset began'\nPS1='${began-idle} $ '\n"
    terminal = bash.start(rc)
    for command in ("true", "false", "echo a"):
        assert terminal.line(command)[-4:] == [*bash.prompt]
        assert terminal.screen()[-1] == "idle $"


def test_bash_restores_its_marks_after_hooks_are_changed_with_a_debug_trap_set(bash):
    terminal = bash.start("trap : DEBUG\nhook() { :; }\nPROMPT_COMMAND=hook\n")
    assert terminal.line("false") == bash.ran("false", 1)
    assert "__phux_after" not in terminal.output("declare -p PROMPT_COMMAND")
    # With a DEBUG trap, nothing checks PS1 after the hooks: the first new prompt may lack its mark.
    terminal.type("hook() { PS1='new > '; }\r")
    terminal.shows("new >")
    for _ in range(2):
        assert terminal.line("sh -c 'exit 3'") == bash.ran("sh -c 'exit 3'", 3)
        terminal.shows("new >")
    terminal.type("PROMPT_COMMAND=\"PS1='newer > '\"\r")
    terminal.shows("newer >")
    assert terminal.line("sh -c 'exit 4'")[-6:] == ["D;4", "133;D;4", *bash.prompt]
    assert terminal.line("sh -c 'exit 3'") == bash.ran("sh -c 'exit 3'", 3)


def test_bash_restores_its_marks_after_prompt_command_is_replaced_with_a_debug_trap_set(bash):
    terminal = bash.start("trap : DEBUG\nPROMPT_COMMAND=true\n")
    assert terminal.line("false") == bash.ran("false", 1)
    terminal.type("PROMPT_COMMAND='echo mine'\r")
    terminal.wait(lambda: terminal.screen()[-2:] == ["mine", "$"], "a prompt")
    assert terminal.line("sh -c 'exit 4'")[-6:] == ["D;4", "133;D;4", *bash.prompt]
    assert terminal.line("sh -c 'exit 3'") == bash.ran("sh -c 'exit 3'", 3)


def test_appending_to_ps1_does_not_duplicate_the_mark(bash):
    terminal = bash.start()
    terminal.line('PS1="$PS1 more > "')
    assert terminal.screen()[-1] == "$  more >"
    assert terminal.output('echo "$PS1"').count("__phux_bel") == 1


# ---- the environment and variables of commands


@pytest.mark.parametrize("exported", [False, True])
def test_shell_integration_adds_nothing_to_the_environment_of_commands(shell, exported):
    rc = ""
    if exported and shell.name == "bash":
        rc = "set -a\nPS0=x\nPROMPT_COMMAND='y=1'\nexport PS1='> '\n"
    elif exported and shell.name == "zsh":
        rc = "setopt all_export\nprecmd() { y=1 }\nexport PS1='> '\n"
    env = {"ZDOTDIR": None, "ENV": "/nonexistent", "MARK": "1"} if exported else {}
    seen = []
    for integrated in (True, False):
        variables = {name: value for name, value in env.items() if value is not None}
        terminal = shell.start(rc, integrated=integrated, env=variables, wait=False)
        if integrated:
            terminal.wait_for_prompt()
            terminal.line("true")
        path = terminal.home / "environment"
        terminal.type(f"env > {path}; exit\r")
        terminal.wait_for_end()
        seen.append(dict(line.partition("=")[::2] for line in path.read_text().splitlines() if "=" in line))
    ours, plain = seen
    assert NONCE not in str(ours)
    assert "PHUX" not in str(ours)
    own = {"_", "HOME", "PWD", "OLDPWD", "HISTFILE", "DIRSTACK", "RANDOM", "PPID", "TTY"}
    if exported:  # phux exports no hook that calls functions, because child shells lack them
        own |= {"PROMPT_COMMAND", "PS0"}
        ours["PS1"] = ours.get("PS1", "").replace(
            "\\[${__phux_b:+${__phux_b}$__phux_count+\\#;B;;$?;\\#$__phux_bel}\\]", ""
        )
        plain.setdefault("PS1", "")
    assert {k: v for k, v in ours.items() if k not in own} == {k: v for k, v in plain.items() if k not in own}


def test_zsh_reads_the_startup_files_in_the_users_zdotdir_and_keeps_it(zsh, tmp_path):
    (tmp_path / "dots").mkdir()
    for name in (".zshenv", ".zprofile", ".zshrc", ".zlogin"):
        (tmp_path / "dots" / name).write_text(f"echo read {name} $ZDOTDIR\nPS1='$ '\n")
    terminal = zsh.start("echo wrong\n", "-l", env={"ZDOTDIR": str(tmp_path / "dots")})
    assert [row.split()[1] for row in terminal.screen() if row.startswith("read")] == [
        ".zshenv",
        ".zprofile",
        ".zshrc",
        ".zlogin",
    ]
    assert "wrong" not in terminal.screen()
    assert terminal.output("printenv ZDOTDIR") == f"{tmp_path}/dots\n"


def test_zdotdir_may_be_set_in_the_users_zshenv(zsh):
    files = {".zshenv": "ZDOTDIR=~/dots\n", "dots/.zshrc": "PS1='$ '\necho there\n"}
    terminal = zsh.start("echo wrong\n", files=files)
    assert terminal.screen() == ["there", "$"]
    assert terminal.line("false") == zsh.ran("false", 1)


def test_commands_see_the_users_ps1_in_zsh(zsh):
    terminal = zsh.start("PS1='my > '\n")
    assert terminal.output("print -r -- $PS1") == "my > \n"
    assert terminal.screen()[-1] == "my >"


PIPES = {"bash": "${PIPESTATUS[@]}", "zsh": "$pipestatus", "fish": "$pipestatus"}


def test_status_variables_are_kept_between_lines(shell):
    terminal = shell.start()
    terminal.line("false | true | sh -c 'exit 3'")
    assert terminal.output(f"echo {PIPES[shell.name]}") == "1 0 3\n"
    terminal.line("sh -c 'exit 4'")
    status = "$status" if shell.name == "fish" else "$?"
    assert terminal.output(f"echo {status}") == "4\n"
    if shell.name != "fish":
        terminal.line("echo a last-word")
        assert terminal.output("echo $_") == "last-word\n"


def test_bash_rematch_is_kept_between_lines(bash):
    terminal = bash.start("PROMPT_COMMAND='true'\n")
    terminal.line("[[ abc =~ b. ]]")
    assert terminal.output("echo $BASH_REMATCH") == "bc\n"


# ---- history


def history(shell, home):
    if shell.name == "fish":
        text = (home / ".local/share/fish/fish_history").read_text()
        return re.findall(r"^- cmd: (.*)$", text, re.MULTILINE)
    return (home / (".bash_history" if shell.name == "bash" else ".zsh_history")).read_text().splitlines()


def test_the_history_contains_only_the_typed_lines(shell):
    terminal = shell.start()
    typed = ["echo one", "false", "cd /", "echo 'two  words'"]
    for line in typed:
        terminal.line(line)
    terminal.line("")
    terminal.exit()
    assert history(shell, terminal.home) == [*typed, "exit"]
    assert not [
        name
        for name in os.listdir(terminal.home)
        if name not in {".bashrc", ".bash_history", ".zshrc", ".zsh_history", ".config", ".local", ".cache"}
    ]


def test_the_users_histfile_is_used(shell):
    if shell.name == "fish":
        pytest.skip("fish has no HISTFILE")
    terminal = shell.start("HISTFILE=~/mine\n")
    terminal.line("echo one")
    terminal.exit()
    assert (terminal.home / "mine").read_text() == "echo one\nexit\n"


# ---- login shells


def test_a_bash_login_shell_has_the_same_state_with_and_without_shell_integration(bash):
    files = {".bash_profile": "echo profile $0\nPS1='$ '\n", ".profile": "echo wrong\n", ".bash_logout": "echo bye\n"}
    seen = []
    for integrated in (True, False):
        terminal = bash.start("echo wrong\n", "-l", files=files, integrated=integrated, wait=False, env={"ENV": "/x y"})
        terminal.wait(lambda terminal=terminal: terminal.screen()[-1:] == ["$"], "a prompt")
        path = terminal.home / "state"
        terminal.type(f"(set -o; shopt; echo $- $0 $SHLVL $HISTFILE $MAILCHECK $ENV; alias; trap) > {path}; logout\r")
        terminal.wait_for_end()
        assert [row for row in terminal.screen() if row in {"wrong", "bye"}] == ["bye"]
        assert any(row.startswith("profile ") for row in terminal.screen())
        seen.append(path.read_text().replace(str(terminal.home), "~"))
        assert len((terminal.home / ".bash_history").read_text().splitlines()) == 1
        assert not (terminal.home / ".sh_history").exists()
    assert seen[0] == seen[1]


def test_a_login_shell_sends_marks(shell):
    files = {".bash_profile": "PS1='$ '\n", ".zprofile": "", ".zlogin": "true\n"}
    terminal = shell.start("", "-l", files=files)
    assert terminal.line("sh -c 'exit 3'") == shell.ran("sh -c 'exit 3'", 3)
    if shell.name != "fish":
        test = "shopt -q login_shell" if shell.name == "bash" else "[[ -o login ]]"
        assert terminal.line(test) == shell.ran(test, 0)


def test_a_nested_shell_sends_no_marks(shell):
    terminal = shell.start()
    start = len(terminal.marks)
    terminal.type(f"{shell.name}\r")
    terminal.wait(lambda: len([row for row in terminal.screen() if row.startswith("$")]) == 2, "the inner shell")
    terminal.typed("echo inner")
    terminal.type("\r")
    terminal.wait(lambda: "inner" in terminal.screen(), "the output of the inner shell")
    terminal.type("exit\r")
    assert terminal.since(start) == shell.ran(shell.name, 0)

"""POSIX shells send marks in their prompts, and the user's settings keep working."""

from __future__ import annotations

import os

SYNTAX_ERROR = {"dash": 2, "ksh": 3, "mksh": 1, "busybox": 2}


def test_the_next_prompt_reports_the_exit_code_of_each_line(posix_shell):
    terminal = posix_shell.start()
    assert terminal.marks == posix_shell.prompt(0, 1)
    error = SYNTAX_ERROR[posix_shell.name]
    killed = 256 + 9 if posix_shell.name == "ksh" else 137
    lines = {"(exit 7)": 7, "true": 0, "no-such-program": 127, "sh -c 'kill -9 $$'": killed, "echo )": error, "": error}
    for number, (text, code) in enumerate(lines.items(), 2):
        assert terminal.line(text) == posix_shell.prompt(code, number), text


def test_a_redrawn_prompt_has_the_same_number(posix_shell):
    terminal = posix_shell.start()
    terminal.line("(exit 3)")
    terminal.typed("echo a")
    if posix_shell.name != "dash":  # dash has no line editor that could redraw the prompt
        terminal.type("\x0c")
        terminal.process.setwinsize(24, 60)
        terminal.engine.resize(60, 24)
    terminal.typed(" b")
    assert {mark for mark in terminal.marks if mark.startswith("D;")} == {"D;0;1", "D;3;2"}


def test_a_continuation_prompt_is_marked(posix_shell):
    terminal = posix_shell.start()
    before = len(terminal.marks)
    terminal.type("echo 'a\r")
    terminal.wait(lambda: terminal.marks[before:] == ["P"], "a continuation prompt")
    # P has a number of its own in shells that expand PS2.
    number = 2 if posix_shell.name in {"ksh", "mksh"} else 3
    assert terminal.line("b'") == posix_shell.prompt(0, number)


def test_a_line_read_by_a_command_is_not_marked(posix_shell):
    terminal = posix_shell.start()
    before = len(terminal.marks)
    terminal.type("read x; echo got $x\r")
    terminal.wait(lambda: terminal.engine.cursor().x == 0, "the end of the line")
    terminal.type("it\n")  # while mksh is still in its line editor, the terminal does not translate Enter
    terminal.wait(lambda: "got it" in terminal.screen(), "the line that was read")
    assert terminal.since(before) == posix_shell.prompt(0, 2)


def test_the_screen_is_the_same_with_and_without_shell_integration(posix_shell):
    rows = []
    for integrated in (True, False):
        terminal = posix_shell.start(integrated=integrated)
        # Type more than one row, then erase part of it.
        terminal.type("echo " + "0123456789" * 8 + "\x7f" * 4 + "end")
        terminal.wait(
            lambda terminal=terminal: "".join(terminal.screen()[-1:]).rstrip(" <").endswith("end"), "the line"
        )
        rows.append(terminal.screen())
        terminal.close()
    assert rows[0] == rows[1]


def test_the_users_env_file_and_prompts_keep_working(posix_shell):
    terminal = posix_shell.start("PS1='mine> ' PS2='more> '\ngreet() { echo hello from env; }\n")
    assert terminal.screen()[-1] == "mine>"
    terminal.line("greet")
    assert "hello from env" in terminal.screen()
    terminal.type("echo 'a\r")
    terminal.shows("more>")


def test_programs_do_not_see_the_nonce(posix_shell):
    for env_file in ("", "set -a\n", "export PS1\n"):
        terminal = posix_shell.start(env_file)
        seen = terminal.output("env")
        assert "PATH=" in seen
        assert posix_shell.nonce not in seen
        assert "PHUX_" not in seen
        terminal.close()


def test_a_nested_shell_shows_the_users_prompt_and_sends_no_marks(posix_shell):
    terminal = posix_shell.start("export PS1\n")
    before = len(terminal.marks)
    terminal.type("dash\r")
    prompts = ["$"], ["#"]  # as root, mksh does not read PS1 from the environment
    # ksh may redraw its own prompt if its line editor had not started yet.
    process = terminal.process
    terminal.wait(
        lambda: os.tcgetpgrp(process.fd) != process.pid and terminal.screen()[-1:] in prompts,
        "the nested prompt",
    )
    terminal.type("exit 5\r")
    assert terminal.since(before) == posix_shell.prompt(5, 2)

"""What each shell tells, and when."""

import pytest

SYNTAX_ERROR = {"bash": 2, "zsh": 1, "fish": 127}
LOOP = {
    "bash": ("for i in 1 2\ndo echo $i\ndone", "for i in 1 2; do echo $i; done"),
    "zsh": ("for i in 1 2\ndo echo $i\ndone", "for i in 1 2\\ndo echo $i\\ndone"),
    "fish": ("for i in 1 2\necho $i\nend", "for i in 1 2\\necho $i\\nend"),
}


def test_the_first_prompt_has_no_end_of_a_command(shell):
    terminal = shell.start()
    assert terminal.marks == [f"cwd {terminal.home}", *shell.prompt]


def test_commands_and_their_exit_codes(shell):
    terminal = shell.start()
    assert terminal.line("echo a") == shell.ran("echo a", 0)
    assert terminal.line("sh -c 'exit 3'") == shell.ran("sh -c 'exit 3'", 3)
    assert terminal.line("false") == shell.ran("false", 1)
    assert terminal.line("true") == shell.ran("true", 0)
    assert terminal.line("no-such-program-at-all") == shell.ran("no-such-program-at-all", 127)
    assert terminal.line("sh -c 'kill -9 $$'") == shell.ran("sh -c 'kill -9 $$'", 137)


@pytest.mark.parametrize("kind", ["bash", "zsh"])
def test_a_subshell(kind, request):
    shell = request.getfixturevalue(kind)
    assert shell.start().line("(exit 5)") == shell.ran("(exit 5)", 5)


def test_an_empty_line_ends_with_the_last_exit_code(shell):
    terminal = shell.start()
    terminal.line("sh -c 'exit 3'")
    assert terminal.line("") == shell.ran_nothing(3)
    assert terminal.line("") == shell.ran_nothing(3)
    assert terminal.line("true") == shell.ran("true", 0)


def test_a_syntax_error_ends_but_runs_nothing(shell):
    terminal = shell.start()
    assert terminal.line("echo )") == shell.ran_nothing(SYNTAX_ERROR[shell.name])
    if shell.name == "fish":  # which leaves the line to be mended
        assert shell.interrupt(terminal) == shell.ran_nothing(130)
    assert terminal.line("true") == shell.ran("true", 0)


def test_ctrl_c_on_a_half_typed_line(shell):
    terminal = shell.start()
    terminal.line("true")
    terminal.typed("half a li")
    assert shell.interrupt(terminal) == shell.ran_nothing(130)
    assert terminal.line("true") == shell.ran("true", 0)


def test_ctrl_c_on_a_running_program(shell):
    terminal = shell.start()
    command = "sh -c 'echo running; exec sleep 100'"
    start = len(terminal.marks)
    terminal.type(command + "\r")
    terminal.wait(lambda: "running" in terminal.screen(), "the program")
    assert terminal.marks[start:][-2:] == shell.ran(command, 0)[:2]
    terminal.type("\x03")
    assert terminal.since(start) == shell.ran(command, 130)


def test_a_comment(shell):
    terminal = shell.start("setopt interactive_comments\n" if shell.name == "zsh" else "")
    # To fish it is a command, one that does nothing.
    expected = shell.ran("# so", 0) if shell.name == "fish" else shell.ran_nothing(0)
    assert terminal.line("# so") == expected
    assert terminal.line("true") == shell.ran("true", 0)


def test_a_pasted_command_of_several_lines_is_one(shell):
    terminal = shell.start()
    text, shown = LOOP[shell.name]
    start = len(terminal.marks)
    terminal.typed(f"\x1b[200~{text}\x1b[201~")
    terminal.type("\r")
    assert terminal.since(start) == shell.ran(text, 0, shown)


def test_two_commands_in_one_paste_are_one_line(shell):
    terminal = shell.start()
    start = len(terminal.marks)
    terminal.typed("\x1b[200~echo one\nsh -c 'exit 4'\x1b[201~")
    terminal.type("\r")
    shown = "echo one" if shell.name == "bash" else "echo one\\nsh -c 'exit 4'"
    assert terminal.since(start) == shell.ran("", 4, shown)


def test_a_command_typed_over_several_lines_is_one(shell):
    terminal = shell.start()
    start = len(terminal.marks)
    terminal.type("echo 'a\r")
    terminal.wait(lambda: terminal.engine.cursor().y == 1, "a second line")
    terminal.type("b'\r")
    assert terminal.since(start) == shell.ran("", 0, "echo 'a\\nb'")


def test_the_marks_come_before_and_after_the_output(shell):
    terminal = shell.start()
    marks = terminal.line("printf '\\e]7748;MIDDLE\\a'")
    assert marks[0] == "133;C"
    assert marks[2] == "foreign MIDDLE;"
    assert marks[3:] == shell.ran("", 0)[2:]


def test_marks_with_another_nonce_are_passed_on_and_change_nothing(shell):
    terminal = shell.start()
    marks = terminal.line("printf '\\e]7748;guess;D;0\\a\\e]133;D;0\\a'; false")
    assert marks[2:4] == ["foreign guess;D;0", "133;D;0"]
    assert marks[4:] == shell.ran("", 1)[2:]


def test_a_command_line_is_escaped(shell):
    terminal = shell.start()
    assert terminal.line("echo '\\n' \\\\ 'ä ☃ & ;' %s") == shell.ran("", 0, "echo '\\\\n' \\\\\\\\ 'ä ☃ & ;' %s")


def test_control_characters_are_not_in_the_command_line(shell):
    # fish takes no such key, but a binding may insert what it likes.
    terminal = shell.start("bind \\cg 'commandline -i \\x01\\t\\x1b'\n" if shell.name == "fish" else "")
    start = len(terminal.marks)
    terminal.type("echo 'a" + ("\x07" if shell.name == "fish" else "\x16\x01\x16\t\x16\x1b") + "b'\r")
    assert terminal.since(start) == shell.ran("", 0, "echo 'a\\tb'")


def test_a_long_command_line_is_cut(shell):
    terminal = shell.start()
    marks = terminal.line(": " + "x" * 3000)
    assert marks == shell.ran("", 0, ": " + "x" * 1998)


def test_the_directory_is_told_when_it_changes(shell):
    terminal = shell.start()
    names = ["a b", "ünïcode ☃", "100%;#?", "back\\slash"]
    for name in names:
        (terminal.home / name).mkdir()
    for name in names:
        marks = terminal.line(f"cd ~/'{name}'")
        assert f"cwd {terminal.home}/{name}" in marks
        assert marks.index(f"cwd {terminal.home}/{name}") == marks.index("133;D;0") + 1 == marks.index("133;A") - 1
        assert not any(mark.startswith("cwd") for mark in terminal.line("true"))


def test_a_redrawn_prompt_ends_no_command(shell):
    terminal = shell.start()
    terminal.typed("echo a")
    start = len(terminal.marks)
    terminal.type("\x0c")
    terminal.wait(
        lambda: terminal.screen()[0] == "$ echo a" and terminal.engine.cursor()[:2] == (8, 0), "a clean screen"
    )
    terminal.process.setwinsize(24, 60)
    terminal.engine.resize(60, 24)
    terminal.typed(" b")
    assert set(terminal.marks[start:]) <= {"133;A", "A", "133;B", "B"}
    terminal.type("\r")
    expected = shell.ran("echo a b", 0)
    assert terminal.since(start)[-len(expected) :] == expected


def test_a_shell_that_ends(shell):
    terminal = shell.start()
    terminal.type("exit 7\r")
    terminal.wait_for_end()
    terminal.process.wait()
    assert terminal.process.exitstatus == 7


def test_without_a_nonce_nothing_is_written(shell):
    terminal = shell.start("echo my rc\n", wait=False, env={})
    terminal.close()
    # The same command, as if the variable had got lost on the way.
    from phux_core.shells import integrate

    argv, env = integrate([shell.path], {}, "n")
    del env["PHUX_NONCE"]
    lost = type(terminal)(argv, env, terminal.home, integrated=False)
    shell.running.append(lost)
    lost.wait(lambda: lost.screen()[-1:] == ["$"], "a prompt")
    assert "my rc" in lost.screen()
    lost.exit()
    assert lost.marks == []

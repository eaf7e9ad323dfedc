"""The marks that each shell sends, and their order."""

import pytest

from phux_core.shells import integrate

SYNTAX_ERROR = {"bash": 2, "zsh": 1, "fish": 127}
LOOP = {
    "bash": ("for i in 1 2\ndo echo $i\ndone", "for i in 1 2; do echo $i; done"),
    "zsh": ("for i in 1 2\ndo echo $i\ndone", "for i in 1 2\\ndo echo $i\\ndone"),
    "fish": ("for i in 1 2\necho $i\nend", "for i in 1 2\\necho $i\\nend"),
}


def test_the_first_prompt_reports_no_finished_command(shell):
    terminal = shell.start()
    assert terminal.marks == [f"cwd {terminal.home}", *shell.prompt]


def test_commands_are_reported_with_their_exit_codes(shell):
    terminal = shell.start()
    assert terminal.line("echo a") == shell.ran("echo a", 0)
    assert terminal.line("sh -c 'exit 3'") == shell.ran("sh -c 'exit 3'", 3)
    assert terminal.line("false") == shell.ran("false", 1)
    assert terminal.line("true") == shell.ran("true", 0)
    assert terminal.line("no-such-program-at-all") == shell.ran("no-such-program-at-all", 127)
    assert terminal.line("sh -c 'kill -9 $$'") == shell.ran("sh -c 'kill -9 $$'", 137)


@pytest.mark.parametrize("kind", ["bash", "zsh"])
def test_the_exit_code_of_a_subshell_is_reported(kind, request):
    shell = request.getfixturevalue(kind)
    assert shell.start().line("(exit 5)") == shell.ran("(exit 5)", 5)


def test_an_empty_line_reports_the_last_exit_code(shell):
    terminal = shell.start()
    terminal.line("sh -c 'exit 3'")
    assert terminal.line("") == shell.ran_nothing(3)
    assert terminal.line("") == shell.ran_nothing(3)
    assert terminal.line("true") == shell.ran("true", 0)


def test_a_syntax_error_reports_an_exit_code_but_no_command(shell):
    terminal = shell.start()
    assert terminal.line("echo )") == shell.ran_nothing(SYNTAX_ERROR[shell.name])
    if shell.name == "fish":  # fish leaves the line in the editor
        assert shell.interrupt(terminal) == shell.ran_nothing(130)
    assert terminal.line("true") == shell.ran("true", 0)


def test_ctrl_c_on_a_partly_typed_line_reports_130_but_no_command(shell):
    terminal = shell.start()
    terminal.line("true")
    terminal.typed("half a li")
    assert shell.interrupt(terminal) == shell.ran_nothing(130)
    assert terminal.line("true") == shell.ran("true", 0)


def test_ctrl_c_on_a_running_program_reports_130(shell):
    terminal = shell.start()
    command = "sh -c 'echo running; exec sleep 100'"
    start = len(terminal.marks)
    terminal.type(command + "\r")
    terminal.wait(lambda: "running" in terminal.screen(), "the program")
    assert terminal.marks[start:][-2:] == shell.ran(command, 0)[:2]
    terminal.type("\x03")
    assert terminal.since(start) == shell.ran(command, 130)


def test_a_comment_line_executes_nothing_except_in_fish(shell):
    terminal = shell.start("setopt interactive_comments\n" if shell.name == "zsh" else "")
    # fish treats a comment as a command that does nothing.
    expected = shell.ran("# so", 0) if shell.name == "fish" else shell.ran_nothing(0)
    assert terminal.line("# so") == expected
    assert terminal.line("true") == shell.ran("true", 0)


def test_a_pasted_multiline_command_is_reported_once(shell):
    terminal = shell.start()
    text, shown = LOOP[shell.name]
    start = len(terminal.marks)
    terminal.typed(f"\x1b[200~{text}\x1b[201~")
    terminal.type("\r")
    assert terminal.since(start) == shell.ran(text, 0, shown)


def test_two_pasted_commands_are_reported_as_one_line(shell):
    terminal = shell.start()
    start = len(terminal.marks)
    terminal.typed("\x1b[200~echo one\nsh -c 'exit 4'\x1b[201~")
    terminal.type("\r")
    shown = "echo one" if shell.name == "bash" else "echo one\\nsh -c 'exit 4'"
    assert terminal.since(start) == shell.ran("", 4, shown)


@pytest.mark.parametrize("change", ["unset PROMPT_COMMAND", "PROMPT_COMMAND=('history -a')", "PROMPT_COMMAND=()"])
@pytest.mark.parametrize("trap", ["", "trap : DEBUG\n"])
@pytest.mark.parametrize("user", ["", "PROMPT_COMMAND=true\n"])
def test_bash_marks_commands_after_it_lost_its_hooks_but_not_each_pasted_one(bash, trap, user, change):
    terminal = bash.start(trap + user)
    pasted = "\x1b[200~echo one\necho two\nsh -c 'exit 4'\x1b[201~"
    terminal.typed(pasted)
    assert terminal.line("") == bash.ran("", 4)
    start = len(terminal.marks)
    terminal.type(f"{change}\r")
    terminal.wait(lambda: "B" in terminal.marks[start:], "a prompt")
    assert terminal.marks[start:] == ["133;C", "C;", "133;B", "B"]
    assert terminal.line("sh -c 'exit 3'") == bash.ran("", 3)
    terminal.typed(pasted)
    assert terminal.line("") == bash.ran("", 4)


def test_a_command_typed_over_several_lines_is_reported_once(shell):
    terminal = shell.start()
    start = len(terminal.marks)
    terminal.type("echo 'a\r")
    terminal.wait(lambda: terminal.engine.cursor().y == 1, "a second line")
    terminal.type("b'\r")
    assert terminal.since(start) == shell.ran("", 0, "echo 'a\\nb'")


def test_marks_precede_and_follow_the_output(shell):
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


def test_backslashes_in_the_command_line_are_escaped(shell):
    terminal = shell.start()
    assert terminal.line("echo '\\n' \\\\ 'ä ☃ & ;' %s") == shell.ran("", 0, "echo '\\\\n' \\\\\\\\ 'ä ☃ & ;' %s")


def test_control_characters_are_removed_from_the_command_line(shell):
    # Control characters cannot be typed into fish, but a key binding can insert them.
    terminal = shell.start("bind \\cg 'commandline -i \\x01\\t\\x1b'\n" if shell.name == "fish" else "")
    start = len(terminal.marks)
    terminal.type("echo 'a" + ("\x07" if shell.name == "fish" else "\x16\x01\x16\t\x16\x1b") + "b'\r")
    assert terminal.since(start) == shell.ran("", 0, "echo 'a\\tb'")


def test_a_long_command_line_is_truncated(shell):
    terminal = shell.start()
    marks = terminal.line(": " + "x" * 3000)
    assert marks == shell.ran("", 0, ": " + "x" * 1998)


def test_the_working_directory_is_reported_only_when_it_changes(shell):
    terminal = shell.start()
    names = ["a b", "ünïcode ☃", "100%;#?", "back\\slash"]
    for name in names:
        (terminal.home / name).mkdir()
    for name in names:
        marks = terminal.line(f"cd ~/'{name}'")
        assert f"cwd {terminal.home}/{name}" in marks
        assert marks.index(f"cwd {terminal.home}/{name}") == marks.index("133;D;0") + 1 == marks.index("133;A") - 1
        assert not any(mark.startswith("cwd") for mark in terminal.line("true"))


def test_redrawing_the_prompt_reports_no_finished_command(shell):
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


def test_the_exit_status_of_the_shell_is_unchanged(shell):
    terminal = shell.start()
    terminal.type("exit 7\r")
    terminal.wait_for_end()
    terminal.process.wait()
    assert terminal.process.exitstatus == 7


def test_a_shell_without_a_nonce_sends_no_marks(shell):
    terminal = shell.start("echo my rc\n", wait=False, env={})
    terminal.close()
    # The same shell, without the variable that tells it to read the nonce.
    argv, env = integrate([shell.path], {})
    del env["PHUX_NONCE_FD"]
    without_nonce = type(terminal)(argv, env, terminal.home, integrated=False)
    shell.running.append(without_nonce)
    without_nonce.wait(lambda: without_nonce.screen()[-1:] == ["$"], "a prompt")
    assert "my rc" in without_nonce.screen()
    without_nonce.exit()
    assert without_nonce.marks == []

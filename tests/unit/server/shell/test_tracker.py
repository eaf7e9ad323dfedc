"""The rules of the shell tracker: states, events, when a command can be typed, and spans of output."""

from __future__ import annotations

import itertools

import pytest
from shell_replay import OTHER, PID, Replay

from phux_core.server.shell.edit_line import Problem, Ready
from phux_core.server.shell.events import CommandFinished, CommandStarted, HooksInDoubt, Look, PromptReady

RAW, COOKED, SECRET, RAW_ECHO = (False, False), (True, True), (True, False), (False, True)
MODES = (RAW, COOKED, SECRET, RAW_ECHO)
LATER_S = 1.0


# The line editor that each POSIX shell announces in its marks.
EDITORS = {"dash": "none", "ksh": "breaks", "busybox": "wraps"}


@pytest.fixture
def bash():
    return at_prompt("bash")


def kind_of(shell):
    """Return the tracker's name for the kind of a shell."""
    return "posix" if shell in EDITORS else shell


def at_prompt(shell):
    """Return the replay of a shell that waits at its first prompt, which the tracker has looked at."""
    replay = Replay(kind_of(shell))
    draw_prompt(replay, shell)
    look_at_prompt(replay, shell)
    return replay


def draw_prompt(replay, shell, code=0, number=1):
    """Draw a prompt with its marks, and return the events."""
    known = len(replay.events)
    editor = EDITORS.get(shell)
    if editor or number > 1:
        replay.mark(f"D;{code};{number}" if editor or shell == "bash" else f"D;{code}")
    replay.mark("A")
    replay.write(b"$ ")
    replay.mark(f"B;{editor}" if editor else f"B;;{code};{number}" if shell == "bash" else "B")
    return replay.events[known:]


def look_at_prompt(replay, shell="bash", **more):
    replay.now += LATER_S
    canonical = shell == "dash"
    return replay.look(PID, kind_of(shell), name=shell, **{"canonical": canonical, "echo": canonical} | more)


def may_type(replay, tail=b""):
    return replay.tracker.may_type(replay.now, tail)


def problem(replay, tail=b""):
    found = may_type(replay, tail)
    assert isinstance(found, Problem), found
    assert "@1" in found.message
    return found


ALL = pytest.mark.parametrize("shell", ["bash", "zsh", "fish", *EDITORS])
POSIX = pytest.mark.parametrize("shell", EDITORS)
HOOKS = pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])


# States


# The state of a foreground program, by whether it is a shell, whether it waits, and its terminal modes.
BY_KERNEL = {
    True: {
        True: {RAW: "prompt", COOKED: "prompt", SECRET: "awaiting_secret", RAW_ECHO: "prompt"},
        False: dict.fromkeys(MODES, "running"),
        None: {RAW: "prompt", COOKED: "running", SECRET: "awaiting_secret", RAW_ECHO: "prompt"},
    },
    False: {
        True: {RAW: "awaiting_input", COOKED: "awaiting_input", SECRET: "awaiting_secret", RAW_ECHO: "awaiting_input"},
        False: dict.fromkeys(MODES, "running"),
        None: {RAW: "running", COOKED: "running", SECRET: "awaiting_secret", RAW_ECHO: "running"},
    },
}
KERNEL_CASES = pytest.mark.parametrize(("waiting", "modes"), list(itertools.product((True, False, None), MODES)))


def look(replay, pid, shell, waiting, modes):
    replay.now += LATER_S
    return replay.look(pid, shell, canonical=modes[0], echo=modes[1], waiting=waiting)


@KERNEL_CASES
@pytest.mark.parametrize("pid", [PID, OTHER])
@pytest.mark.parametrize("shell", ["bash", None])
def test_without_marks_the_state_is_derived_from_the_kernel(pid, shell, waiting, modes):
    state = look(Replay(shell, nonce=""), pid, shell, waiting, modes)
    assert state == BY_KERNEL[shell is not None][waiting][modes]


@KERNEL_CASES
@pytest.mark.parametrize("shell", ["bash", None])
def test_marks_of_the_shell_of_a_pane_do_not_affect_the_state_of_another_program(bash, shell, waiting, modes):
    bash.mark("C;ssh")
    assert look(bash, OTHER, shell, waiting, modes) == BY_KERNEL[shell is not None][waiting][modes]


@KERNEL_CASES
@pytest.mark.parametrize("shell", ["bash", None])
def test_a_builtin_command_has_the_state_of_a_program(bash, shell, waiting, modes):
    bash.mark("C;read x")
    assert look(bash, PID, shell, waiting, modes) == BY_KERNEL[False][waiting][modes]


@KERNEL_CASES
def test_the_state_at_a_marked_prompt_does_not_depend_on_the_kernel(bash, waiting, modes):
    assert look(bash, PID, "bash", waiting, modes) == "prompt"


@KERNEL_CASES
@pytest.mark.parametrize("before", [[], ["C;true", "D;0;2"], ["C;true", "D;0;2", "A"]])
def test_a_shell_that_asks_a_question_before_its_prompt_has_the_state_of_a_program(before, waiting, modes):
    replay = Replay("bash")
    for text in before:
        replay.mark(text)
    replay.write(b"Start the agent? ")
    state = look(replay, PID, "bash", waiting, modes)
    if before[-1:] == ["A"] and waiting and modes == RAW:
        assert state == "prompt", "a pane may be too small to show the end of the prompt"
    else:
        assert state == BY_KERNEL[False][waiting][modes]


def test_a_shell_that_queries_the_terminal_before_its_prompt_is_running():
    replay = Replay("fish")
    replay.write(b"\x1b[c")
    replay.now += 0.1
    assert replay.look(PID, "fish") == "running"
    replay.now += 0.5
    assert replay.look(PID, "fish") == "awaiting_input"


@pytest.mark.parametrize(
    ("reads", "state"),
    [(None, "running"), ("shown", "awaiting_input"), ("hidden", "awaiting_secret"), ("x", "running")],
)
def test_read_marks_of_fish_determine_the_state_of_a_raw_read(reads, state):
    replay = at_prompt("fish")
    replay.mark("C;read x")
    if reads:
        replay.mark(f"R;{reads}")
    assert look(replay, PID, "fish", True, RAW) == state
    assert look(replay, PID, "fish", False, RAW) == "running"
    assert look(replay, PID, "fish", True, COOKED) == "awaiting_input"
    assert look(replay, OTHER, "fish", True, RAW) == "prompt"


@pytest.mark.parametrize("marks", [[], ["A", "B;;0;1"], ["A", "B;;0;1", "C;vim"]])
def test_the_state_on_the_alternate_screen_is_fullscreen(marks):
    replay = Replay("bash")
    for text in marks:
        replay.mark(text)
    assert replay.look(PID, "bash", alt_screen=True) == "fullscreen"
    assert replay.take_look(Look(replay.now, None, alt_screen=True)) == "fullscreen"


def test_without_a_foreground_the_state_is_running(bash):
    assert bash.take_look(Look(bash.now, None)) == "running"


@ALL
def test_the_state_is_running_while_input_is_unread(shell):
    assert look_at_prompt(at_prompt(shell), shell, unread=True) == "running"


@ALL
def test_the_state_is_running_after_an_entered_line_until_there_is_output(shell):
    replay = at_prompt(shell)
    replay.type(b"make\r")
    assert look_at_prompt(replay, shell) == "running"


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_the_state_at_a_continuation_prompt_of_bash_or_zsh_is_awaiting_input(shell):
    replay = at_prompt(shell)
    replay.type(b"echo 'a\r")
    replay.now += 0.01
    replay.write(b"echo 'a\r\n> ")
    assert replay.look(PID, shell) == "running", "the mark of a command may still follow"
    assert look_at_prompt(replay, shell, waiting=False) == "running"
    assert look_at_prompt(replay, shell) == "awaiting_input"
    assert "waits for the rest" in problem(replay).message
    replay.type(b"b'\r")
    replay.now += 0.01
    replay.write(b"b'\r\n")
    (started,) = replay.mark("C;")
    assert isinstance(started, CommandStarted)


def test_a_continued_line_in_fish_is_a_partly_typed_line_at_the_prompt():
    replay = at_prompt("fish")
    replay.type(b"echo 'a\r")
    replay.now += 0.01
    replay.write(b"\r\n      ")
    assert look_at_prompt(replay, "fish") == "prompt"
    assert problem(replay).asks


@POSIX
def test_the_state_at_a_continuation_prompt_of_a_posix_shell_is_awaiting_input(shell):
    replay = at_prompt(shell)
    replay.type(b"echo 'a\r")
    replay.write(b"echo 'a\r\n> ")
    assert replay.mark("P") == []
    assert look_at_prompt(replay, shell) == "awaiting_input"
    assert "waits for the rest" in problem(replay).message


@ALL
def test_the_state_is_prompt_after_an_interrupt_at_an_empty_prompt(shell):
    replay = at_prompt(shell)
    replay.type(b"\x03")
    assert look_at_prompt(replay, shell) == "prompt"


@ALL
def test_the_state_is_prompt_only_after_lines_typed_ahead_were_executed(shell):
    replay = at_prompt(shell)
    replay.type(b"sleep 1\r")
    replay.write(b"sleep 1\r\n")
    if shell in EDITORS:
        look(replay, OTHER, None, False, COOKED)
    else:
        replay.mark("C;")
    replay.type(b"echo ahead\r")
    replay.write(b"echo ahead\r\n")
    draw_prompt(replay, shell, number=2)
    assert replay.look(PID, kind_of(shell), unread=True) == "running"
    assert replay.look(PID, kind_of(shell), has_output=True) == "running"
    assert look_at_prompt(replay, shell) == "prompt"


def test_a_nested_shell_is_running_until_its_output_pauses(bash):
    bash.mark("C;zsh")
    bash.write(b"% ")
    bash.now += LATER_S
    bash.type(b"make\r")
    bash.now += 0.1
    assert bash.look(OTHER, "zsh") == "running"
    bash.write(b"make\r\n% ")
    assert bash.look(OTHER, "zsh") == "running", "the shell may still be reading the line"
    bash.now += 0.1
    assert bash.look(OTHER, "zsh") == "prompt"
    bash.type(b"\x1b[A\r")
    bash.now += 3
    assert bash.look(OTHER, "zsh") == "prompt", "the line may have no output"


def test_a_nested_shell_that_executes_a_run_is_not_at_its_prompt(bash):
    bash.mark("C;zsh")
    bash.tracker.run_began(OTHER)
    assert look(bash, OTHER, "zsh", True, RAW) == "awaiting_input"
    bash.tracker.run_began(None)
    assert look(bash, OTHER, "zsh", True, RAW) == "prompt"


@pytest.mark.parametrize(("interleaved", "state"), [(False, "prompt"), (True, "running")])
def test_a_nested_shell_is_at_its_prompt_immediately_after_a_run_without_other_input(bash, interleaved, state):
    bash.mark("C;zsh")
    bash.now += LATER_S
    bash.type(b"make\r", ours=True)
    bash.write(b"make\r\n")
    bash.tracker.run_ended(bash.now, interleaved=interleaved)
    assert bash.look(OTHER, "zsh") == state


@pytest.mark.parametrize(("waiting", "state"), [(True, "prompt"), (None, "prompt"), (False, "running")])
@POSIX
def test_the_state_at_the_prompt_of_a_posix_shell_is_prompt_unless_the_shell_is_busy(shell, waiting, state):
    assert look_at_prompt(at_prompt(shell), shell, waiting=waiting) == state


def test_a_posix_shell_is_running_until_its_line_editor_sets_the_terminal_mode():
    replay = at_prompt("ksh")
    draw_prompt(replay, "ksh", number=2)
    assert replay.look(PID, "posix", canonical=True, echo=True) == "running"
    assert replay.look(PID, "posix") == "prompt"


# Events


@HOOKS
def test_a_redrawn_prompt_ends_no_command(shell):
    replay = at_prompt(shell)
    replay.mark("C;make")
    marks = ["D;0;1", "A", "B;;0;1"] if shell == "bash" else ["A"]
    for text in marks * 2:
        assert replay.mark(text) == []
    assert replay.tracker.marks.start is not None
    assert draw_prompt(replay, shell, code=7, number=2)[0].exit_code == 7


@ALL
def test_a_redrawn_prompt_causes_no_event(shell):
    replay = at_prompt(shell)
    editor = EDITORS.get(shell)
    for text in ("D;0;1" if editor else "A", "A", f"B;{editor}" if editor else "B;;0;1" if shell == "bash" else "B"):
        assert replay.mark(text) == []
    assert look_at_prompt(replay, shell) == "prompt"


def test_hooks_are_requested_once_if_a_command_may_have_replaced_them(bash):
    bash.mark("C;")
    bash.write(b"\x1b[?2004h$ ")
    asked = []
    for in_editor in (False, True, True):
        look_at_prompt(bash, in_editor=in_editor)
        asked.append(sum(isinstance(event, HooksInDoubt) for event in bash.events))
    assert asked == [0, 1, 1], "the command may be a line editor itself"
    answer, finished, ready = bash.mark("L;0;restored;7")
    assert (answer.length, finished.exit_code, ready) == (0, 7, PromptReady())
    assert look_at_prompt(bash) == "prompt"
    assert isinstance(may_type(bash), Ready)


@POSIX
def test_a_command_of_a_posix_shell_is_reported_once_with_its_echoed_line(shell):
    replay = at_prompt(shell)
    replay.type(b"make all\r")
    assert replay.write(b"make all\r\n") == [], "a continuation prompt may follow"
    replay.write(b"output\r\n")
    look(replay, PID, kind_of(shell), False, COOKED)
    started = replay.events[-1]
    assert (started.command, started.start) == ("make all", replay.data.index(b"output"))
    finished, ready = draw_prompt(replay, shell, code=3, number=2)
    assert (finished.exit_code, replay.output(finished), ready) == (3, b"output\r\n", PromptReady())


@POSIX
@pytest.mark.parametrize("pid", [PID, OTHER])
def test_a_command_of_a_posix_shell_without_output_is_reported_after_a_look(shell, pid):
    replay = at_prompt(shell)
    replay.type(b"sleep 9\r")
    replay.write(b"sleep 9\r\n")
    look(replay, pid, None, False, COOKED)
    assert replay.events[-1].command == "sleep 9"
    assert replay.tracker.state == "running"


@POSIX
@pytest.mark.parametrize("line", [b"", b"  ", b"# why", b"  # why"])
def test_a_line_of_a_posix_shell_that_executes_nothing_is_not_reported(shell, line):
    replay = at_prompt(shell)
    replay.type(line + b"\r")
    replay.write(line + b"\r\n")
    finished, ready = draw_prompt(replay, shell, number=2)
    assert (finished.start, ready) == (None, PromptReady())


@POSIX
def test_a_continuation_prompt_that_arrives_in_pieces_starts_no_command(shell):
    replay = at_prompt(shell)
    replay.type(b"echo 'a\r")
    for piece in (b"echo 'a\r\n", b">", b" ", b"\x1b]7748;5ecret", b";9;P\a"):
        assert replay.write(piece) == []
    replay.type(b"b'\r")
    replay.write(b"b'\r\na\r\nb\r\n")
    started, finished, _ready = draw_prompt(replay, shell, number=2)
    assert isinstance(started, CommandStarted)
    assert replay.output(finished) == b"a\r\nb\r\n"


@POSIX
@pytest.mark.parametrize("line", [b"PS1='> '", b"unset PS1", b"exec 2>log"])
def test_marks_are_no_longer_expected_when_a_posix_shell_loses_its_marked_prompt(shell, line):
    replay = at_prompt(shell)
    replay.type(line + b"\r")
    replay.write(line + b"\r\n")
    place = len(replay.data)
    replay.write(b"> ")
    assert look_at_prompt(replay, shell) == "prompt"
    assert replay.events == [PromptReady()]
    assert replay.text(place) == b"> "
    assert may_type(replay) == Ready(replay.tracker.foreground, None)


@ALL
def test_after_exec_of_another_shell_the_command_is_finished_and_marks_are_ignored(shell):
    replay = at_prompt(shell)
    replay.type(b"exec sh\r")
    replay.write(b"exec sh\r\n")
    if shell not in EDITORS:
        replay.mark("C;")
    place = len(replay.data)
    replay.write(b"# ")
    foreground = replay.tracker.foreground._replace(shell="posix", canonical=True, echo=True)
    assert replay.tracker.may_be_replaced(foreground)
    known = len(replay.events)
    replay.now += LATER_S
    assert replay.take_look(Look(replay.now, foreground, replaced_at=place)) == "prompt"
    *_, started, finished = replay.events
    assert (type(started), started.start) == (CommandStarted, finished.start)
    assert (finished.exit_code, finished.end) == (0, place)
    assert [type(event) for event in replay.events[known:]].count(CommandFinished) == 1
    assert replay.mark("B;;0;1") == []
    assert replay.text(place) == replay.data[place:], "without marks, all text is output"
    assert may_type(replay) == Ready(foreground, None)


def test_a_command_can_be_typed_into_a_shell_that_was_replaced_before_its_first_prompt():
    replay = Replay("bash")
    replay.write(b"% ")
    replay.look(PID, "zsh")
    assert "still starting" in problem(replay).message
    assert replay.tracker.may_be_replaced(replay.tracker.foreground)
    assert replay.look(PID, "zsh", replaced_at=0) == "prompt"
    assert replay.events == []
    assert isinstance(may_type(replay), Ready)


@pytest.mark.parametrize("change", [{"pid": OTHER}, {"shell": None}, {"waiting": False}, {"waiting": None}], ids=str)
def test_only_a_shell_that_waits_without_a_prompt_mark_may_have_been_replaced(bash, change):
    tracker = bash.tracker
    assert not tracker.may_be_replaced(tracker.foreground), "the shell marked its prompt"
    bash.mark("C;exec zsh")
    assert tracker.may_be_replaced(tracker.foreground)
    assert not tracker.may_be_replaced(tracker.foreground._replace(**change))
    assert not tracker.may_be_replaced(None)
    bash.mark("X")
    assert not tracker.may_be_replaced(tracker.foreground)


def test_a_shell_that_waits_without_the_end_mark_of_its_prompt_is_ready(bash):
    bash.mark("C;")
    bash.mark("D;0;2")
    bash.mark("A")
    assert look_at_prompt(bash) == "prompt"
    assert bash.events[-1] == PromptReady()
    assert isinstance(may_type(bash), Ready)


# Whether a command can be typed


@ALL
def test_a_command_can_be_typed_at_an_empty_prompt(shell):
    replay = at_prompt(shell)
    assert may_type(replay) == Ready(replay.tracker.foreground, kind_of(shell))


def test_no_command_can_be_typed_before_the_first_look():
    assert "no program" in problem(Replay("bash")).message


@pytest.mark.parametrize("canonical", [True, False])
def test_no_command_can_be_typed_at_a_question_before_the_prompt(canonical):
    replay = Replay("bash")
    replay.write(b"Start the agent? ")
    replay.now += LATER_S
    replay.look(PID, "bash", canonical=canonical, echo=True)
    found = problem(replay)
    assert "asks a question before its prompt" in found.message
    assert "send-keys" in found.remedy
    replay.look(PID, "bash", canonical=canonical, echo=True, waiting=False)
    assert "is still starting" in problem(replay).message


def test_no_command_can_be_typed_before_the_next_prompt_is_drawn(bash):
    bash.mark("C;")
    bash.mark("D;0;2")
    bash.look(PID, "bash", waiting=False)
    assert "has not drawn its prompt yet" in problem(bash).message


@HOOKS
def test_no_command_can_be_typed_after_a_partly_typed_line(shell):
    replay = at_prompt(shell)
    replay.type(b"rm -r")
    look_at_prompt(replay, shell)
    found = problem(replay)
    assert found.asks
    replay.tracker.line.found_empty(b"")
    assert isinstance(may_type(replay), Ready)
    replay.type(b"rm -r")
    assert not problem(replay).asks, "the shell has not read the input yet"


@POSIX
def test_a_posix_shell_cannot_be_queried_for_a_partly_typed_line(shell):
    replay = at_prompt(shell)
    replay.type(b"rm -r")
    look_at_prompt(replay, shell)
    found = problem(replay)
    assert "partly typed line" in found.message
    assert not found.asks
    replay.type(b"\x15")
    assert isinstance(may_type(replay), Ready)


def test_text_after_the_prompt_may_be_a_partly_typed_line(bash):
    assert isinstance(may_type(bash, b"\x1b[K"), Ready)
    assert problem(bash, b"recalled line").asks


def test_no_command_can_be_typed_right_after_an_interrupt(bash):
    bash.type(b"\x03")
    bash.now += 0.01
    bash.tracker.wrote(bash.now)
    bash.now += 0.1
    bash.look(PID, "bash")
    found = problem(bash)
    assert "C-c" in found.message
    assert 0 < found.again_s < 0.25


@HOOKS
def test_no_command_can_be_typed_right_after_an_interrupt_before_the_prompt(shell):
    replay = at_prompt(shell)
    replay.mark("C;true")
    replay.mark("D;0;2" if shell == "bash" else "D;0")
    replay.type(b"\x03")
    replay.mark("A")
    replay.write(b"$ ")
    replay.mark("B;;0;2" if shell == "bash" else "B")
    replay.now += 0.1
    replay.look(PID, shell)
    assert not isinstance(may_type(replay), Ready)


def test_the_problem_names_the_command_in_the_foreground(bash):
    bash.mark("C;make -j2\\nnext")
    bash.look(PID, "bash", name="bash", waiting=False)
    assert problem(bash).message == "bash (make -j2) is in the foreground of @1"
    bash.look(OTHER, None, name="make", waiting=False)
    assert problem(bash).message == "make is in the foreground of @1"
    bash.look(OTHER, None, name="sudo", canonical=True, waiting=True)
    assert problem(bash).message == "sudo waits for a secret in @1"


def test_the_problem_names_the_program_on_the_alternate_screen(bash):
    bash.mark("C;vim")
    bash.look(OTHER, None, name="vim", alt_screen=True)
    assert problem(bash) == Problem("vim uses the alternate screen of @1", 0.0)
    bash.look(OTHER, "zsh", name="zsh", alt_screen=True)
    assert "reset" in problem(bash).remedy


@pytest.mark.parametrize("name", ["ssh", "docker", "kubectl", "su", "sudo"])
def test_a_command_can_be_typed_into_a_program_that_runs_another_shell_and_waits(bash, name):
    bash.mark(f"C;{name}")
    bash.now += LATER_S
    bash.look(OTHER, None, name=name)
    assert may_type(bash) == Ready(bash.tracker.foreground, None)
    bash.look(OTHER, None, name=name, waiting=False)
    assert "is busy" in problem(bash).message
    bash.look(OTHER, None, name=name, canonical=True, echo=True)
    assert "is in the foreground" in problem(bash).message


def test_a_command_can_be_typed_only_at_an_empty_prompt_of_a_nested_shell(bash):
    bash.mark("C;zsh")
    assert look(bash, OTHER, "zsh", True, RAW) == "prompt"
    assert may_type(bash) == Ready(bash.tracker.foreground, None)
    bash.type(b"half")
    assert "partly typed line" in problem(bash).message
    assert look(bash, OTHER, "zsh", True, SECRET) == "awaiting_secret"
    assert "stty sane" in problem(bash).remedy
    look(bash, OTHER, "zsh", False, RAW)
    assert "is busy" in problem(bash).message


def test_no_command_can_be_typed_while_busybox_may_query_the_cursor_position():
    replay = at_prompt("busybox")
    replay.tracker.replied(replay.now)
    found = problem(replay)
    assert found.again_s
    replay.now += 2 * found.again_s
    assert isinstance(may_type(replay), Ready)


def test_no_command_can_be_typed_before_a_posix_shell_starts_to_read():
    replay = at_prompt("ksh")
    replay.look(PID, "posix", canonical=True, echo=True, waiting=False)
    assert "about to read" in problem(replay).message


# Spans of output


@HOOKS
def test_prompts_and_entered_lines_are_not_output(shell):
    replay = at_prompt(shell)
    replay.type(b"echo hi\r")
    replay.write(b"echo hi\r\n")
    replay.mark("C;")
    replay.write(b"hi\r\n")
    assert replay.text(replay.tracker.output_start(len(replay.data))) == b"hi\r\n"
    draw_prompt(replay, shell, number=2)
    start = replay.data.index(b"echo")
    assert replay.text(start) == b"hi\r\n"


@pytest.mark.parametrize("pieces", [[b"yes\r"], [b"y", b"es\r"], [b"yes", b"\r"]])
def test_lines_typed_into_a_program_are_not_output(bash, pieces):
    bash.mark("C;python3")
    place = len(bash.data)
    bash.write(b">>> ")
    look(bash, OTHER, None, True, RAW)
    for piece in pieces:
        bash.type(piece)
        bash.write(piece.strip())
    bash.write(b"\r\n1\r\n>>> ")
    assert bash.text(place) == b">>> 1\r\n>>> "


def test_an_entered_secret_hides_no_output(bash):
    bash.mark("C;sudo make")
    place = len(bash.data)
    bash.write(b"Password: ")
    look(bash, OTHER, None, True, SECRET)
    bash.type(b"secret\r")
    bash.write(b"\r\nmade\r\n")
    assert bash.text(place) == b"Password: \r\nmade\r\n"


def test_keys_on_the_alternate_screen_hide_no_output(bash):
    bash.mark("C;vim")
    place = len(bash.data)
    bash.look(OTHER, None, alt_screen=True)
    bash.type(b":q\r")
    bash.write(b"bye")
    assert bash.text(place) == b"bye"


def test_keys_without_enter_hide_no_output(bash):
    bash.mark("C;less")
    place = len(bash.data)
    look(bash, OTHER, None, True, RAW)
    bash.type(b"q")
    bash.write(b"bye\r\n")
    assert bash.text(place) == b"bye\r\n"


def test_without_marks_output_starts_after_the_last_entered_line():
    replay = Replay(None, nonce="")
    replay.write(b"hello\r\n> ")
    assert replay.text() == b"hello\r\n> "
    assert replay.tracker.output_start(len(replay.data)) == len(replay.data)
    replay.type(b"one\r")
    replay.write(b"one\r\n1\r\n> ")
    assert replay.text() == b"hello\r\n> 1\r\n> "
    assert replay.text(replay.tracker.output_start(len(replay.data))) == b"1\r\n> "


def test_output_starts_at_the_end_while_an_entered_line_is_unread(bash):
    bash.mark("C;")
    bash.write(b"one\r\n")
    draw_prompt(bash, "bash", number=2)
    assert bash.text(bash.tracker.output_start(len(bash.data))) == b"one\r\n"
    bash.type(b"next\r")
    assert bash.tracker.output_start(len(bash.data)) == len(bash.data)


# Queries that avoid a look


def test_the_foreground_is_known_only_while_the_shell_is_at_its_prompt(bash):
    assert bash.tracker.knows_foreground
    bash.type(b"ls\r")
    assert not bash.tracker.knows_foreground
    bash.mark("C;ls")
    draw_prompt(bash, "bash", number=2)
    assert bash.tracker.knows_foreground
    look(bash, OTHER, None, True, RAW)
    assert not bash.tracker.knows_foreground


def test_the_foreground_is_not_known_before_the_line_editor_sets_the_terminal_mode(bash):
    look_at_prompt(bash, canonical=True, echo=True)
    assert not bash.tracker.knows_foreground
    look_at_prompt(bash)
    assert bash.tracker.knows_foreground


@POSIX
def test_the_foreground_of_a_posix_shell_is_never_known(shell):
    assert not at_prompt(shell).tracker.knows_foreground

"""Shell builtins that read from the terminal, and commands whose end no mark reports."""

from __future__ import annotations

import time

import pytest

from phux_core import errors
from shell_panes import MARKED, POSIX


@pytest.fixture(params=[*POSIX, "bash --norc", "dash in bash"])
def pane(request, open_shell, phux):
    """A pane with a shell of each kind, with marks and without."""
    if request.param == "bash --norc":
        return phux.new_session(command=["bash", "--norc"], env={"PS1": "$ "}).pane
    if request.param == "dash in bash":
        pane = open_shell("bash")
        pane.send_keys("PS1='inner$ ' dash", "Enter")
        pane.wait(regex=r"^inner\$ $", timeout_s=10)
        return pane
    return open_shell(request.param)


@pytest.fixture(params=[name for name in MARKED if name != "fish"])
def marked_pane(request, open_shell):
    """A pane with a shell of each kind that marks its prompts."""
    return open_shell(request.param)


def timeout_of(pane, command):
    """Run a command that does not end, and return the message of the timeout error."""
    with pytest.raises(errors.TimedOutError) as caught:
        pane.run(command, timeout_s=0.5)
    return caught.value.message


def test_a_read_of_the_shell_awaits_input_and_gets_no_command(pane):
    assert "waits for input" in timeout_of(pane, "read x; echo got=$x")
    assert pane.info().state == "awaiting_input"
    with pytest.raises(errors.BusyError) as caught:
        pane.run("echo second")
    assert "send-keys" in caught.value.remedy
    pane.send_keys("answer", "Enter")
    pane.wait(regex="^got=answer$", timeout_s=10)
    assert pane.run("echo third", queue=True, timeout_s=10).output == "third"


def test_a_typed_read_awaits_input_and_gets_no_command(marked_pane):
    marked_pane.wait(state="prompt", timeout_s=10)
    for answer in ("one", "two"):
        marked_pane.send_keys("read x; echo got=$x", "Enter")
        assert marked_pane.wait(state="awaiting_input", timeout_s=10).state == "awaiting_input"
        with pytest.raises(errors.BusyError) as caught:
            marked_pane.run("echo second")
        assert "send-keys" in caught.value.remedy
        marked_pane.send_keys(answer, "Enter")
        marked_pane.wait(regex=f"^got={answer}$", timeout_s=10)
        marked_pane.wait(state="prompt", timeout_s=10)
    assert marked_pane.run("echo $x", timeout_s=10).output == "two"


@pytest.mark.parametrize("command", ["(read x; echo got=$x)", "{ read x; echo got=$x; } | cat"])
def test_a_read_in_a_subshell_is_not_at_the_prompt(pane, command):
    pane.wait(state="prompt", timeout_s=10)
    pane.send_keys(command, "Enter")
    pane.wait(state="awaiting_input", timeout_s=10)
    with pytest.raises(errors.BusyError):
        pane.run("echo second")
    pane.send_keys("answer", "Enter")
    pane.wait(regex="^got=answer$", timeout_s=10)
    pane.wait(state="prompt", timeout_s=10)
    assert pane.run("echo third", timeout_s=10).output == "third"


def test_a_read_typed_before_the_shell_started_leaves_a_prompt(phux):
    for command in (["dash"], ["ksh"], ["busybox", "sh"]):  # the editor of bash may read the Enter as a key
        pane = phux.new_session(command=command).pane
        pane.send_keys("read x; echo got=$x", "Enter")
        pane.send_keys("answer", "Enter")
        pane.wait(regex="^got=answer$", timeout_s=10)
        pane.wait(state="prompt", timeout_s=10)
        assert pane.run("echo $x", timeout_s=10).output == "answer"
        pane.kill()


def test_ksh_is_at_its_prompt_after_its_line_editor_is_turned_on(open_shell):
    pane = open_shell("ksh")
    pane.wait(state="prompt", timeout_s=10)
    pane.send_keys("set -o emacs", "Enter")
    pane.wait(state="prompt", timeout_s=10)
    pane.send_keys("read x", "Enter")
    pane.wait(state="awaiting_input", timeout_s=10)
    pane.send_keys("answer", "Enter")
    pane.wait(state="prompt", timeout_s=10)
    assert pane.run("echo $x", timeout_s=10).output == "answer"


def test_ksh_is_at_its_prompt_after_vi_mode_is_turned_on_and_off(open_shell):
    """Even in vi mode, ksh leaves editing to the terminal until Escape is pressed."""
    pane = open_shell("ksh")
    pane.wait(state="prompt", timeout_s=10)
    pane.send_keys("set -o vi", "Enter")
    pane.wait(state="prompt", timeout_s=10)
    assert pane.run("echo here; set +o vi", timeout_s=10).output == "here"
    assert pane.run("echo there", timeout_s=10).output == "there"


def test_a_queued_command_waits_for_the_end_of_a_read(pane):
    timeout_of(pane, "read x; echo got=$x")
    pane.send_keys("answer", "Enter")
    assert pane.run("echo $x", queue=True, timeout_s=10).output == "answer"


@pytest.mark.parametrize("command", ["kill -INT $$", "echo a; kill -INT $$; echo b"])
def test_a_shell_that_interrupts_itself_ends_the_run(marked_pane, command):
    began = time.monotonic()
    result = marked_pane.run(command, timeout_s=20)
    assert time.monotonic() - began < 10
    assert result.exit_code in {130, 255}, "255 if it is unknown"
    assert "b" not in result.output
    assert marked_pane.run("echo after", queue=True, timeout_s=10).output == "after"


HOOK_CHANGES = [
    "unset PROMPT_COMMAND; PS1='new > '",
    "PROMPT_COMMAND=(); PS1='new > '",
    "PROMPT_COMMAND=('PS1=\"new > \"')",
    "printf 'one\\ntwo\\n'; declare -a PROMPT_COMMAND=(true); PS1='new > '",
    "PROMPT_COMMAND=(); PS0=; PS1='new > '",
    "unset PS1 PS0 PROMPT_COMMAND",
    "PROMPT_COMMAND=('history -a')",
    "unset PROMPT_COMMAND",
]


@pytest.mark.parametrize("number", range(len(HOOK_CHANGES)), ids=HOOK_CHANGES)
def test_run_works_in_bash_after_all_hooks_were_removed_again_and_again(open_shell, number):
    change = HOOK_CHANGES[number]
    for second in (change, HOOK_CHANGES[number - 1]):
        pane = open_shell("bash")
        for command in (change, second):
            result = pane.run(f"{command}; (exit 4)", timeout_s=20)
            assert (result.exit_code, result.output) == (4, "one\ntwo" if "one" in command else ""), (change, second)
        for _ in range(2):
            result = pane.run("echo hi; (exit 3)", timeout_s=20)
            assert (result.exit_code, result.output) == (3, "hi"), (change, second)
        pane.wait(state="prompt", timeout_s=10)


@pytest.mark.parametrize("command", ["read -e x", "read -n 1 x", "read -s -n 1 x", "select x in a b; do break; done"])
def test_bash_that_reads_with_its_editor_or_by_key_is_not_at_its_prompt(open_shell, command):
    pane = open_shell("bash")
    pane.run("true")
    assert "waits for" in timeout_of(pane, command)
    assert pane.info().state in {"awaiting_input", "awaiting_secret"}
    with pytest.raises(errors.BusyError):
        pane.run("echo second")
    pane.send_keys("1", "Enter")
    pane.wait(state="prompt", timeout_s=10)


# fish reads with the editor of its command line


FISH_READS = {
    "typed": ("read -s x", ["secret"]),
    "by its long name": ("echo a; and read --silent --local x", ["secret"]),
    "among other options": ("read -lsP 'password: ' x", ["secret"]),
    "with echo": ("read -P 'not -s ' x", ["input"]),
    "with s as a value": ("read -ds x", ["input"]),
    "one of each": ("read -s a; read b", ["secret", "input"]),
    "alternating": ("for i in 1 2; read a; read -s b; end", ["input", "secret", "input", "secret"]),
    "with a computed prompt": ("read -P (set_color red)'pw: '(echo 'a) ') -s x", ["secret"]),
    "with escapes": ("read -P a\\;b -s x", ["secret"]),
    "beside reads of files": ("echo hi | read x; read -s y </dev/null; read y; read -s z", ["input", "secret"]),
    "in a substitution": ("set x (read -s); test $x = answer; or exit 9", ["secret"]),
    "in a pipe": ("read -s | cat", ["secret"]),
    "in a block": ("begin\n  read \\\n -s x\nend", ["secret"]),
    "in a function of a file": ("asks", ["secret", "input"]),
    "in a function that was typed": ("typed", ["secret"]),
    "in a file": ("source asks.fish; asks", ["secret", "input"]),
}


@pytest.fixture
def fish(open_shell, tmp_path):
    (tmp_path / "asks.fish").write_text("function asks\n  echo hi\n  read \\\n    -s x\n  read y\nend\n")
    pane = open_shell("fish")
    pane.run("source asks.fish; function typed; echo a; read -s x; end")
    return pane


@pytest.mark.parametrize("name", FISH_READS)
@pytest.mark.parametrize("by", ["run", "keys"])
def test_fish_reports_whether_its_input_is_echoed(fish, name, by):
    command, kinds = FISH_READS[name]
    if by == "run":
        fish.start(command)
    else:
        fish.paste(command)
        fish.send_keys("Enter")
    for kind in kinds:
        fish.wait(state=f"awaiting_{kind}", timeout_s=10)
        fish.send_keys("answer", "Enter")
    assert fish.wait(state="prompt", timeout_s=10).state == "prompt"
    assert fish.run("echo over", timeout_s=10).output == "over"


def test_the_state_of_a_program_in_fish_ignores_reads_of_fish(fish):
    fish.send_keys("read -s x; cat", "Enter")
    fish.wait(state="awaiting_secret", timeout_s=10)
    fish.send_keys("answer", "Enter")
    assert fish.wait(state="awaiting_input", timeout_s=10).foreground.command == "cat"

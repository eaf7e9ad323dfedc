"""``wait`` on real programs: by the installed script, and by the library."""

from __future__ import annotations

import json
import os
import shutil
import signal
import threading
import time

import pytest

import phux_client
from phux_client import blocking, flows
from servers import Cli, clean_environment, embedded_server
from validation import validate

# Prints each line of its input, without echo.
ECHO = ["sh", "-c", 'stty -echo; echo ready; while read -r line; do echo "<$line>"; done']


@pytest.fixture(scope="module", params=["ghostty", "pyte"])
def shared(request, tmp_path_factory):
    """One server for tests that only read their own session."""
    with embedded_server(request.param) as server:
        cli = Cli(server.socket, tmp_path_factory.mktemp("cwd"))
        cli.json("new", "-s", "keep", "--", "cat")  # a server ends with its last session
        yield cli


@pytest.fixture
def phux(shared):
    with blocking.connect(shared.socket) as phux:
        yield phux
        for session in phux.sessions():
            if session.name != "keep":
                session.kill()


@pytest.fixture
def start(phux):
    """Start a program and wait until it reports that it is ready."""

    def start(*command, **options):
        pane = phux.new_session(None, command=list(command), **options).pane
        pane.wait(until="ready", since=0, timeout_s=20)
        return pane

    return start


class Waiting(threading.Thread):
    """A wait in a thread."""

    def __init__(self, pane, **options):
        super().__init__()
        self.result = self.error = None
        self._pane, self._options = pane, options
        self.start()

    def run(self):
        try:
            self.result = self._pane.wait(timeout_s=30, **self._options)
        except phux_client.PhuxError as error:
            self.error = error

    def over(self):
        self.join(40)
        assert not self.is_alive()
        return self.error or self.result


# Text


def test_text_across_a_soft_wrap_is_found(start, shared):
    pane = start("sh", "-c", "echo ready; read x; printf '0123456789abcdefghij\\n'; cat", size=(7, 4))
    seq = pane.snapshot().seq
    pane.send_keys("Enter")
    assert pane.wait(until="89abcdefghi", timeout_s=20).met_line == "0123456789abcdefghij"
    assert pane.wait(until="89abcdefghi", since=seq, timeout_s=20).met == "until"


def test_text_that_scrolls_by_in_a_flood_is_found(start):
    pane = start(
        "sh", "-c", "stty -echo; echo ready; read x; seq 1 70000; echo the needle 1; seq 70001 100000; echo over; cat"
    )
    waiting = Waiting(pane, until="the needle", since=pane.snapshot().seq)
    pane.send_keys("Enter")
    assert waiting.over().met_line == "the needle 1"
    screen = pane.wait(until="over", timeout_s=60)
    assert not any("needle" in line for line in screen.lines)


def test_text_that_scrolled_by_is_found_later_with_since(start):
    pane = start("sh", "-c", "stty -echo; echo ready; read x; echo the needle 1; seq 1 100000; echo over; cat")
    seq = pane.snapshot().seq
    pane.send_keys("Enter")
    pane.wait(until="over", timeout_s=60)
    waited = pane.wait(until="the needle", since=seq, timeout_s=0)
    assert waited.met_line == "the needle 1"
    assert waited.met_seq > seq


def test_text_written_in_two_pieces_is_found(start):
    pane = start("sh", "-c", "stty -echo; echo ready; printf 'half a '; read x; printf line; cat")
    pane.wait(until="half a", timeout_s=20)
    waiting = Waiting(pane, regex="^half a line$")
    pane.send_keys("Enter")
    assert waiting.over().met == "regex"


def test_text_drawn_by_moving_the_cursor_is_found(start):
    pane = start("sh", "-c", r"stty -echo; echo ready; read x; printf '\033[2J\033[3;9Hworld\033[3;3Hhello '; cat")
    waiting = Waiting(pane, until="hello world")
    pane.send_keys("Enter")
    assert waiting.over().met == "until"


# Draws its input on the alternate screen, from the last cursor position.
DRAW = [
    *("bash", "-c"),
    r"""stty -echo; printf '\033[?1049hready\033[3;3H'; while IFS= read -r x; do printf %b "$x"; done""",
]


def draw(pane, text):
    """Make the program draw a text, and wait until the text is drawn."""
    seq = pane.snapshot().seq
    pane.send_keys(text, "Enter")
    pane.wait(idle_ms=50, since=seq, timeout_s=20)


def test_text_drawn_in_pieces_on_the_alternate_screen_is_found_with_since(start):
    pane = start(*DRAW)
    seq = pane.snapshot().seq
    waiting = Waiting(pane, until="Installed ok", since=seq)
    draw(pane, "Insta")
    draw(pane, "lled ok")
    assert waiting.over().met_line.strip() == "Installed ok"
    # A wait that starts after a part was drawn also finds the whole text.
    seq = pane.snapshot().seq
    draw(pane, r"\033[2D42")
    assert pane.wait(until="Installed 42", since=seq, timeout_s=20).met == "until"


def test_old_text_on_the_alternate_screen_is_not_matched_with_since(start):
    pane = start(*DRAW)
    draw(pane, "old needle at 12:01")
    seq = pane.snapshot().seq
    waiting = Waiting(pane, until="needle", since=seq)
    draw(pane, r"\b2")
    draw(pane, r"\033[H\033[L")
    draw(pane, r"\033[4;5Htrue\033[5;1Ha nee")
    assert waiting.is_alive()
    draw(pane, "dle")
    assert waiting.over().met_line == "a needle"


def test_an_echo_before_since_is_not_matched(start):
    pane = start("sh", "-c", "echo ready; exec cat")  # the terminal echoes, and so does cat
    pane.send_keys("needle")
    pane.wait(until="needle", timeout_s=20)
    seq = pane.snapshot().seq
    with pytest.raises(phux_client.TimedOutError):
        pane.wait(until="needle", since=seq, timeout_s=0.2)
    waiting = Waiting(pane, until="needle", since=seq)
    pane.send_keys("Enter")
    assert waiting.over().met_seq > seq


def test_wait_returns_while_the_pane_writes_continuously(start):
    pane = start("sh", "-c", "stty -echo; echo ready; (while :; do echo tick; done) & read x; echo the needle; cat")
    waiting = Waiting(pane, until="the needle", since=pane.snapshot().seq)
    pane.send_keys("Enter")
    assert waiting.over().met == "until"


def test_the_last_state_of_a_progress_line_is_matched(start):

    pane = start(
        "sh", "-c", r"stty -echo; echo ready; read x; printf 'step 1\rstep 2\rstep 3'; read x; printf '\rdone  \n'; cat"
    )
    waiting = Waiting(pane, regex=r"^step 3$", since=pane.snapshot().seq)
    pane.send_keys("Enter")
    assert waiting.over().met_line == "step 3"
    waiting = Waiting(pane, until="done")
    pane.send_keys("Enter")
    assert waiting.over().met_line.strip() == "done"


def test_the_positions_of_a_run_limit_a_wait_with_since(phux, tmp_path):
    pane = phux.new_session(None, command=["bash"], env={"HOME": str(tmp_path)}).pane
    first = pane.run("echo needle one")
    second = pane.run("echo other")
    assert pane.wait(until="needle", since=first.seq.start, timeout_s=20).met_line == "needle one"
    for seq in (first.seq.end, second.seq.start):
        with pytest.raises(phux_client.TimedOutError):
            pane.wait(until="needle one", since=seq, timeout_s=0)


# Other conditions


def test_a_wait_for_gone_ends_when_the_text_is_erased(start):
    pane = start("sh", "-c", r"stty -echo; echo ready; echo working; read x; printf '\033[2J\033[Hdone'; cat")
    pane.wait(until="working", timeout_s=20)
    waiting = Waiting(pane, gone="working")
    pane.send_keys("Enter")
    assert waiting.over().met == "gone"


def test_a_wait_for_gone_ends_when_the_text_has_scrolled_away(start):
    pane = start(
        "sh", "-c", "stty -echo; echo ready; (while :; do echo tick; sleep 0.001; done) & echo working; read x; cat"
    )
    assert pane.wait(gone="working", timeout_s=30).met == "gone"


def test_stop_ends_the_wait_with_an_error_that_names_the_line(start):
    pane = start(*ECHO)
    waiting = Waiting(pane, until="success", stop=r"error: \d+")
    pane.send_keys("error: 42", "Enter")
    error = waiting.over()
    assert isinstance(error, phux_client.StoppedError)
    assert r"error: \\d+" in error.message
    assert "<error: 42>" in error.message


def test_a_wait_reports_which_condition_held_first(start):
    pane = start(*ECHO)
    waiting = Waiting(pane, until="never", regex="<b.*>", gone="ready", exit=True, state="dead")
    pane.send_keys("abc", "Enter", "bcd", "Enter")
    assert waiting.over().met == "regex"


def test_a_wait_ends_at_the_state_dead_and_at_the_exit(start):
    pane = start("sh", "-c", "echo ready; read x; exit 3")
    waiting = Waiting(pane, state=["dead", "fullscreen"])
    pane.send_keys("Enter")
    waited = waiting.over()
    assert (waited.met, waited.exit_status) == ("state", 3)
    assert pane.wait(exit=True, until="never", timeout_s=20).met == "exit"


def test_text_written_just_before_the_program_ends_is_found(phux):
    for _ in range(10):
        pane = phux.new_session(None, command=["sh", "-c", "seq 1 5000; echo the needle"]).pane
        assert pane.wait(until="the needle", exit=True, since=0, timeout_s=20).met == "until"


def test_a_wait_fails_at_once_when_the_program_ends_without_the_text(start):
    pane = start("sh", "-c", "echo ready; read x")
    waiting = Waiting(pane, until="never")
    pane.send_keys("Enter")
    assert isinstance(waiting.over(), phux_client.PaneClosedError)


def test_a_wait_fails_at_once_when_its_pane_is_killed(start):
    pane = start(*ECHO)
    waiting = Waiting(pane, until="never")
    pane.wait(idle_ms=50)
    pane.kill()
    assert isinstance(waiting.over(), phux_client.PaneClosedError)


def test_invalid_conditions_are_rejected(start):
    pane = start(*ECHO)
    for options in ({"regex": "("}, {"stop": "["}, {"state": "asleep"}, {"output_only": True}):
        with pytest.raises(phux_client.BadRequestError):
            pane.wait(**options)


def test_a_wait_rarely_reads_a_quiet_pane(start):
    pane = start(*ECHO)
    wanted = flows.Conditions(until="never")
    outcome = pane._phux.drive(flows.wait(pane._phux.caller, pane.id, wanted, timeout_s=1.5))
    assert outcome.looks <= 3


def test_a_wait_ends_at_its_timeout_and_not_before(start):
    pane = start(*ECHO)
    for timeout_s in (0, 0.3):
        began = time.monotonic()
        with pytest.raises(phux_client.TimedOutError):
            pane.wait(until="never", timeout_s=timeout_s)
        assert timeout_s <= time.monotonic() - began < timeout_s + 1


def counting(flow, asked):
    """Forward a flow, and record its requests."""
    answer = None
    while True:
        try:
            step = flow.send(answer)
        except StopIteration as stop:
            return stop.value
        if isinstance(step, flows.Request):
            asked.append(step.call)
        answer = yield step


def test_a_wait_sends_few_requests_while_nothing_happens(start):
    """A wait on a quiet pane sends requests at its beginning, and then less than once a second."""
    pane = start(*ECHO)
    pane.wait(idle_ms=100, timeout_s=20)
    conditions = [{"until": "never"}, {"gone": "ready"}, {"state": "dead"}, {"exit": True}, {"command_done": True}]
    asked = [[] for _ in conditions]

    def wait(options, asked):
        with blocking.connect(pane._phux.socket) as phux:
            flow = flows.wait(phux.caller, pane.id, flows.Conditions(**options), timeout_s=3)
            outcome = phux.drive(counting(flow, asked))
            assert outcome.met is None

    threads = [threading.Thread(target=wait, args=each) for each in zip(conditions, asked, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(calls[0] == "subscribe" for calls in asked)
    assert max(map(len, asked)) <= 4


# Marks


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_output_only_matches_only_the_output_of_commands(phux, tmp_path):
    pane = phux.new_session(None, command=["bash"], env={"HOME": str(tmp_path)}).pane
    pane.wait(state="prompt", timeout_s=20)
    before = pane.snapshot().seq
    pane.send_keys("sleep 0.3; echo nee''dle; echo needle", literal=True)
    pane.wait(until="echo needle", timeout_s=20)
    with pytest.raises(phux_client.TimedOutError):
        pane.wait(until="needle", since=before, output_only=True, timeout_s=0.1)
    pane.send_keys("Enter")
    assert pane.wait(regex="^needle$", since=before, output_only=True, timeout_s=20).met_line == "needle"
    assert pane.wait(command_done=True, since=before, timeout_s=20).met == "command_done"
    assert pane.wait(until="needle", output_only=True, timeout_s=20).met == "until"
    assert pane.wait(state="prompt", since=before, timeout_s=20).state == "prompt"
    before = pane.snapshot().seq
    pane.send_keys("true", "Enter")
    pane.wait(command_done=True, since=before, timeout_s=20)
    with pytest.raises(phux_client.TimedOutError):
        pane.wait(until="needle", output_only=True, timeout_s=0.1)


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_output_only_matches_the_alternate_screen_of_a_command_but_no_prompt_there(phux, tmp_path):
    pane = phux.new_session(None, command=["bash"], env={"HOME": str(tmp_path)}).pane
    pane.wait(state="prompt", timeout_s=20)
    pane.send_keys(r"printf '\033[?1049h\033[3;3HInsta'; read -s x; printf 'lled ok'; read -s x", "Enter")
    waiting = Waiting(pane, until="Installed ok", output_only=True)
    pane.wait(until="Insta", output_only=True, timeout_s=20)
    pane.send_keys("Enter")
    assert waiting.over().met == "until"
    assert pane.wait(until="Installed ok", output_only=True, timeout_s=20).met == "until"
    pane.send_keys("Enter")
    pane.wait(command_done=True, since=0, timeout_s=20)
    waiting = Waiting(pane, regex="needle", stop="^over", output_only=True)
    for word in (": nee", "dle; echo ready; read -s x; echo over"):
        pane.send_keys(word, literal=True)
        pane.wait(until=word, timeout_s=20)
    pane.send_keys("Enter")
    pane.wait(regex="^ready", timeout_s=20)
    pane.send_keys("Enter")
    assert isinstance(waiting.over(), phux_client.StoppedError)


# The script


def test_the_cli_reports_the_outcome_by_its_exit_code(shared, start):
    pane = start(*ECHO)
    pane.send_keys("error: 1", "Enter")
    target = pane.selector
    assert shared("wait", target, "--regex", r"^<error: \d>$", "--timeout", "20").code == 0
    finished = shared("wait", "--json", target, "--until", "never", "--stop", "error", "--timeout", "20")
    assert finished.code == 1
    assert "<error: 1>" in finished.document["lines"]
    error = json.loads(finished.err.splitlines()[-1])
    validate("error", error)
    assert error["error"]["code"] == "stopped"
    finished = shared("wait", "--json", target, "--until", "never", "--idle", "60000", "--timeout", "0.1")
    assert (finished.code, finished.document["state"] != "dead") == (124, True)
    quiet = shared("wait", target, "--gone", "never")
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")
    seq = str(pane.snapshot().seq)
    assert shared("wait", target, "--until", "error", "--since", seq, "--timeout", "0").code == 124
    assert shared("wait", target, "--state", "dead", "--state", "fullscreen", "--timeout", "0").code == 124


def test_the_cli_names_the_condition_that_held_if_there_were_several(shared, start):
    pane = start(*ECHO)
    target = pane.selector
    finished = shared("wait", target, "--until", "ready", "--exit", "--gone", "ready", "--timeout", "20")
    assert (finished.code, finished.out, finished.err) == (0, "until\tready\n", "")
    assert shared("wait", target, "--gone", "never", "--idle", "60000").out == "gone\n"
    assert shared("wait", target, "--state", "awaiting_secret,dead").out == "state\tawaiting_secret\n"
    assert shared("wait", target, "--until", "ready", "--stop", "never").out == ""
    document = shared.json("wait", target, "--regex", "r.*y", "--exit", "--timeout", "20")
    validate("screen-state", document)
    assert (document["met"], document["met_line"]) == ("regex", "ready")
    document = shared.json("wait", target, "--gone", "never", "--exit", "--timeout", "20")
    assert (document["met"], "met_line" in document) == ("gone", False)
    stopped = shared("wait", "--json", target, "--until", "never", "--stop", "read", "--timeout", "20").document
    assert (stopped["met"], stopped["met_line"]) == ("stop", "ready")
    assert "met" not in shared("wait", "--json", target, "--until", "never", "--timeout", "0").document


@pytest.mark.parametrize(
    "words",
    [
        ("--regex", "("),
        ("--stop", "[z-a]"),
        ("--state", "asleep"),
        ("--state", "prompt,asleep"),
        ("--since", "-1"),
        ("--since", "x"),
        ("--output-only",),
    ],
)
def test_invalid_arguments_are_rejected_before_connecting(tmp_path, words):
    cli = Cli(str(tmp_path / "none.sock"), tmp_path, clean_environment())
    finished = cli("wait", "--json", "work", *words)
    assert finished.code == 2
    assert finished.error["error"]["code"] in {"bad_request", "usage"}


# When the service dies


def test_a_wait_survives_a_service_death(phux, start):
    pane = start(*ECHO)
    waiting = Waiting(pane, until="<the needle>", since=pane.snapshot().seq)
    ended = Waiting(pane, exit=True)
    for word in ("one", "two"):
        pane.send_keys(word, "Enter")
        pane.wait(until=f"<{word}>", timeout_s=20)
        os.kill(phux.status().service_pid, signal.SIGKILL)
        phux.tree()
    pane.send_keys("the needle", "Enter")
    assert waiting.over().met_line == "<the needle>"
    pane.send_keys("C-d")
    assert ended.over().met == "exit"


def test_text_written_while_there_is_no_service_is_found(phux, start):
    pane = start(
        "sh", "-c", "stty -echo; echo ready; read x; sleep 0.1; printf 'the nee'; sleep 0.3; printf 'dle\n'; cat"
    )
    waiting = Waiting(pane, until="the needle", since=pane.snapshot().seq)
    pane.wait(idle_ms=50)
    pane.send_keys("Enter")
    pane.wait(until="the nee", timeout_s=20)
    os.kill(phux.status().service_pid, signal.SIGKILL)
    assert waiting.over().met_line == "the needle"


# Speed


def test_a_wait_returns_within_milliseconds(start):
    pane = start("python3", "-c", STAMPS)
    taken = []
    seq = pane.snapshot().seq
    for _ in range(20):
        pane.send_keys("x")
        waited = pane.wait(regex=r"at \d+ end", since=seq, timeout_s=20)
        taken.append(time.monotonic_ns() - int(waited.met_line.split()[1]))
        seq = waited.met_seq
    assert sorted(taken)[10] < 20_000_000


STAMPS = r"""
import os, time, tty
tty.setraw(0)
os.write(1, b"ready\r\n")
while os.read(0, 1):
    time.sleep(0.01)
    os.write(1, b"at %d end\r\n" % time.monotonic_ns())
"""

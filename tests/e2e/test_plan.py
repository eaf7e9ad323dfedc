"""The checklists of the plan for a terminal server with MCP (its sections 7 and 8), item by item, in phux's terms.

A tab is a session with one pane; `read_logs_from_tab` is `logs`, `execute_command` is `run`, `start_process` is `start`,
`stop_process` is `stop` and `signal`, `stream_logs_from_tab` is `logs` by bytes.
"""

from __future__ import annotations

import re
import shutil
import threading
import time

import pytest

from phux_client import blocking
from phux_core.errors import TimedOutError
from servers import embedded_server, kill_service

BASH = shutil.which("bash")


@pytest.fixture(scope="module")
def phux():
    with embedded_server() as server, blocking.connect(server.socket) as connected:
        connected.new_session("keep", command=["cat"])
        yield connected


@pytest.fixture
def pane(phux):
    session = phux.new_session(None, command=[BASH])
    yield session.pane
    session.kill()


# 7, phase 1, and 8: create_tab and list_tabs


def test_creating_a_tab_returns_its_id_and_its_name_may_have_spaces(phux):
    session = phux.new_session("a name with spaces", command=["cat"])
    assert re.fullmatch(r"@\d+", session.pane.selector)
    assert phux.pane("a name with spaces").id == session.pane.id
    session.kill()


def test_listing_tabs_handles_spaces_and_marks_the_active_one(phux):
    made = [phux.new_session(name, command=["cat"]) for name in ("one two", "three  four")]
    tree = phux.tree()
    assert {"one two", "three  four"} <= {session.name for session in tree.sessions}
    assert tree.focused_session == "three  four"
    assert all(window.active for session in tree.sessions for window in session.windows)
    for session in made:
        session.kill()


def test_tabs_created_rapidly_have_distinct_ids(phux):
    made = []

    def make():
        with blocking.connect(phux.socket) as mine:
            made.extend(mine.new_session(None, command=["cat"]).pane.id for _ in range(5))

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 20
    for number in made:
        phux.kill(f"@{number}")


def test_a_tab_runs_the_default_shell(phux, monkeypatch):
    monkeypatch.setenv("SHELL", BASH)
    session = phux.new_session("shell")
    assert session.pane.run('echo "$SHELL"').output == BASH
    session.kill()


def test_a_history_limit_is_applied(phux, pane):
    pane.set_history_limit(7)
    pane.run("seq 1 200")
    assert len(pane.snapshot(scrollback=0).scrollback) == 7


def test_a_tab_takes_a_name_a_directory_variables_and_a_login_shell(phux, tmp_path):
    env = {"ANSWER": "42", "HOME": str(tmp_path)}
    session = phux.new_session("all", cwd=str(tmp_path), env=env, shell=BASH, login=True)
    result = session.pane.run('echo "$ANSWER $PWD"; shopt -q login_shell && echo login')
    assert result.output == f"42 {tmp_path}\nlogin"
    assert "all" in [entry.name for entry in phux.ls().sessions]
    session.kill()


# 7, phase 2, and 8: read_logs_from_tab


def test_the_last_lines_are_exact_stable_and_report_whether_there_are_more(pane):
    pane.run("seq 1 6000")
    for count in (200, 1000, 5000):
        text = pane.logs(grep=r"^\d+$", tail=count)
        assert text.content.split("\n") == [str(number) for number in range(6001 - count, 6001)]
        assert pane.logs(lines=count).returned_lines == count
        assert pane.logs(lines=count).truncated
    assert not pane.logs(lines=100_000).truncated


def test_escape_sequences_are_stripped_or_kept_on_request(pane):
    pane.run(r"printf '\033[1;31mred\033[0m\n'")
    assert "\x1b" not in pane.logs(mode="stripped").content
    assert "\x1b[1;31mred\x1b[0m" in pane.logs(mode="raw").content


def test_logs_persist_across_a_restart(phux, pane):
    pane.run("echo before the restart")
    kill_service(phux)
    pane.run("echo after the restart")
    content = pane.logs().content
    assert content.index("before the restart") < content.index("after the restart")


# 7, phase 3, and 8: execute_command


def test_the_output_contains_stdout_and_stderr_and_no_prompt(pane):
    result = pane.run("echo out; echo err >&2")
    assert result.output == "out\nerr"
    assert result.exit_code == 0


def test_exit_codes_are_returned(pane):
    assert [pane.run(f"(exit {code})").exit_code for code in (0, 1, 42, 255)] == [0, 1, 42, 255]


def test_a_command_is_interrupted_at_its_timeout_and_that_is_reported(pane):
    with pytest.raises(TimedOutError, match="C-c was sent"):
        pane.run("sleep 1000", timeout_s=0.5, interrupt=True)
    assert pane.run("echo next").output == "next"


def test_commands_in_one_pane_never_interleave_and_stay_in_order(phux, pane):
    outputs: dict[int, str] = {}

    def run(number):
        with blocking.connect(phux.socket) as mine:
            command = f"echo {number} begins; sleep 0.05; echo {number} ends"
            outputs[number] = mine.pane(pane.id).run(command, queue=True).output

    threads = [threading.Thread(target=run, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outputs == {number: f"{number} begins\n{number} ends" for number in range(5)}
    assert [pane.run(f"echo {number}").output for number in range(5)] == [str(number) for number in range(5)]


# 7, phase 4, and 8: start_process and stop_process


def test_a_long_process_is_started_at_once_and_its_log_grows(pane):
    began = time.monotonic()
    started = pane.start("while sleep 0.05; do echo tick $((n++)); done")
    assert time.monotonic() - began < 2
    pane.wait(until="tick 3", timeout_s=10)
    first = pane.logs(since=started.seq).returned_lines
    pane.wait(until="tick 9", timeout_s=10)
    assert pane.logs(since=started.seq).returned_lines > first
    pane.stop()


def test_text_without_enter_is_typed_and_nothing_starts(pane):
    pane.send_keys("echo typed", literal=True)
    pane.wait(until="echo typed", timeout_s=10)
    assert pane.commands() == []
    pane.send_keys("Enter")
    pane.wait(until="typed", output_only=True, timeout_s=10)


def test_stop_sends_c_c_which_the_log_records_and_the_next_command_runs(pane):
    pane.start("sh -c 'trap \"echo shutting down; exit 3\" INT; echo up; while :; do sleep 0.05; done'")
    pane.wait(until="up", output_only=True, timeout_s=10)
    assert pane.stop().signals == ["INT"]
    assert "^C" in pane.logs().content
    assert "shutting down" in pane.logs().content
    assert pane.run("echo again").output == "again"


def test_sigterm_is_sent_on_request(phux, pane):
    started = pane.start("sleep 1000")
    assert pane.signal("TERM").signal == "TERM"
    assert phux.wait_command(started.command_id, timeout_s=10).exit_code == 143


def test_rapid_starts_and_stops_do_not_corrupt_the_log(pane):
    for number in range(10):
        pane.start(f"echo run {number}; sleep 1000")
        pane.wait(until=f"run {number}", output_only=True, timeout_s=10)
        pane.stop()
    assert re.findall(r"^run (\d+)$", pane.logs().content, re.MULTILINE) == [str(number) for number in range(10)]


# 7, phase 5, and 8: stream_logs_from_tab


def test_streaming_continues_at_any_position_and_across_a_restart(phux, pane):
    pane.run("seq 1 3000")
    parts, place = [], 0
    while True:
        text = pane.logs(from_byte=place, max_bytes=1000, mode="raw")
        assert len(text.content.encode("utf-8", "surrogateescape")) <= 1000
        parts.append(text.content)
        place = text.next_byte
        if place > 5000 and len(parts) < 100:
            kill_service(phux)
            parts += [""] * 100
        if text.eof:
            break
    whole = "".join(parts)
    assert re.findall(r"(?:^|\x07)(\d+)\r$", whole, re.MULTILINE) == [str(number) for number in range(1, 3001)]
    assert pane.logs(from_byte=10, max_bytes=20, mode="raw").content == whole[10:30]


def test_large_output_is_streamed_in_pieces_and_never_at_once(pane):
    pane.run("seq 1 300000", max_bytes=100)
    end = pane.logs(lines=0).next_byte
    assert end > 2_000_000
    text = pane.logs(from_byte=0, mode="raw")
    assert text.next_byte == 65536
    assert not text.eof

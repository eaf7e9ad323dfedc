"""The output of a command while it runs, and commands in sessions of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import time

import pytest

from outers import PHUX, OwnTerminal, environment
from phux_client import BusyError, PaneClosedError, TimedOutError, aio
from servers import Cli, eventually

SLOWLY = "echo one; while [ ! -e go ]; do sleep 0.05; done; echo two; printf end; (exit 3)"


@pytest.fixture
def cli(server, tmp_path):
    return Cli(server.socket, tmp_path)


@pytest.mark.parametrize("shell", ["bash", "zsh", "sh"])
def test_chunks_arrive_while_the_command_runs_and_equal_the_output(phux, tmp_path, shell):
    session = phux.new_session(shell=shell, cwd=str(tmp_path))
    stream = session.pane.stream(SLOWLY)
    first = next(stream)
    assert first == "one\n"
    with pytest.raises(BusyError, match="no result yet"):
        _ = stream.result
    (tmp_path / "go").touch()
    assert first + "".join(stream) == "one\ntwo\nend"
    assert list(stream) == []
    assert (stream.result.output, stream.result.exit_code, stream.result.truncated) == ("one\ntwo\nend", 3, False)
    session.kill()


def test_a_large_output_is_streamed_whole_although_the_result_is_cut(phux):
    session = phux.new_session(shell="sh")
    stream = session.pane.stream("seq 200000", max_bytes=1000)
    assert "".join(stream).split() == [str(number) for number in range(1, 200_001)]
    assert stream.result.truncated
    session.kill()


def test_a_line_longer_than_a_chunk_is_streamed(phux):
    session = phux.new_session(shell="sh")
    stream = session.pane.stream("head -c 200000 /dev/zero | tr '\\0' x; echo")
    assert "".join(stream) == "x" * 200_000 + "\n"
    session.kill()


def test_chunks_are_whole_lines_also_after_a_pause(phux):
    session = phux.new_session(shell="sh")
    chunks = list(session.pane.stream("printf one; sleep 0.4; echo two; printf end"))
    assert "".join(chunks) == "onetwo\nend"
    assert all(chunk.endswith("\n") for chunk in chunks[:-1])
    session.kill()


def test_a_stream_continues_when_the_service_is_killed(phux, tmp_path):
    session = phux.new_session(shell="sh", cwd=str(tmp_path))
    stream = session.pane.stream(SLOWLY)
    first = next(stream)
    os.kill(phux.status().service_pid, signal.SIGKILL)
    (tmp_path / "go").touch()
    assert first + "".join(stream) == "one\ntwo\nend"
    assert stream.result.exit_code == 3
    session.kill()


def test_a_pane_without_a_log_streams_too(phux):
    session = phux.new_session(shell="sh", log=False)
    assert list(session.pane.stream("echo hi")) == ["hi\n"]
    session.kill()


def test_errors_are_those_of_run(phux):
    session = phux.new_session(shell="sh")
    with pytest.raises(TimedOutError, match=r"the timeout of 0\.3 s expired; the command is still running"):
        list(session.pane.stream("sleep 100", timeout_s=0.3))
    with pytest.raises(BusyError):
        next(session.pane.stream("true"))
    session.pane.signal("INT")
    session.pane.wait(state="prompt", timeout_s=20)
    session.pane.send_keys("exit", "Enter")
    session.pane.wait(exit=True, timeout_s=20)
    with pytest.raises(PaneClosedError):
        next(session.pane.stream("true"))


@pytest.mark.anyio
async def test_the_async_client_streams(server):
    async with aio.connect(server.socket) as phux:
        session = await phux.new_session(shell="sh")
        stream = session.pane.stream("seq 3")
        assert "".join([chunk async for chunk in stream]) == "1\n2\n3\n"
        assert stream.result.output == "1\n2\n3"
        await session.kill()


def test_the_cli_streams_to_a_terminal_and_on_request(server, phux, cli, tmp_path):
    session = phux.new_session("streamed", shell="sh", cwd=str(tmp_path))
    with OwnTerminal([PHUX, "run", "streamed", SLOWLY], environment(server.socket)) as terminal:
        terminal.shows("one")
        (tmp_path / "go").touch()
        terminal.shows("end")
        assert terminal.wait() == 3
    with OwnTerminal(
        [PHUX, "run", "streamed", "printf 'Name? '; read x; (exit 4)"], environment(server.socket)
    ) as terminal:
        terminal.shows("Name?")
        session.pane.send_keys("Ada", "Enter")
        assert terminal.wait() == 4
    piped = cli("run", "streamed", "--stream", "printf 'a\\nb'; false")
    assert (piped.code, piped.out) == (1, "a\nb\n")
    assert cli("run", "streamed", "--stream", "--json", "true").code == 2
    session.kill()


def test_a_command_in_a_new_session_needs_no_server_and_leaves_nothing(tmp_path):
    socket = tmp_path / "s" / "phux.sock"
    socket.parent.mkdir(mode=0o700)
    cli = Cli(str(socket), tmp_path)
    finished = cli("run", "--new", "pwd; echo $((6 * 7)); (exit 3)")
    assert (finished.code, finished.out) == (3, f"{tmp_path}\n42\n")
    assert cli("run", "--new", "--", "printf", "%s-", "two words", "x").out == "two words-x-\n"
    timed_out = cli("run", "--new", "--timeout", "0.5", "sleep 1000")
    assert timed_out.code == 125
    assert "of 0.5 s expired; the command was killed with its session" in timed_out.err
    asking = cli("run", "--new", "--timeout", "0.5", "cat")
    assert "cat waits for input; the command was killed with its session" in asking.err
    with subprocess.Popen(
        [PHUX, "run", "--new", "--stream", "echo begun; sleep 1000"],
        env=cli.env,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert "the command was killed with its session" in process.stderr.read()
    eventually(lambda: "no server is running" in cli("ls").err)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["true"], "CMD is missing"),
        ([], "TARGET is missing"),
        (["--new"], "CMD is missing"),
        (["--new", "--detach", "true"], "cannot be combined with --detach"),
    ],
)
def test_wrong_arguments_start_nothing(cli, words, message):
    finished = cli("run", *words)
    assert finished.code == 2
    assert message in finished.err


def test_streaming_costs_little_while_a_command_is_silent(phux):
    session = phux.new_session(shell="sh")
    stream = session.pane.stream("sleep 2")
    before = time.process_time()
    assert list(stream) == []
    assert time.process_time() - before < 0.2
    session.kill()

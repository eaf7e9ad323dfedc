"""The start and end of a server: in the foreground, automatically for the first session, and never twice."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket as plain_socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from rawwire import RawClient
from servers import BIN, Cli, clean_environment, embedded_server, eventually, process_gone

# A program that ignores SIGHUP, SIGTERM and SIGINT.
DEAF = ["sh", "-c", "trap '' HUP TERM INT; echo deaf; while :; do sleep 0.2; done"]


@pytest.fixture
def place():
    """A private directory with a short path, and the path of the socket in it."""
    directory = tempfile.mkdtemp(prefix="px-")
    yield Path(directory) / "phux.sock"
    shutil.rmtree(directory, ignore_errors=True)


@contextlib.contextmanager
def foreground(place, *flags, **env):
    """Run ``phux server`` in the foreground, and wait until it listens."""
    process = subprocess.Popen(
        [BIN / "phux", "server", "--socket", str(place), *flags],
        env=clean_environment() | env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        eventually(lambda: answers(place) or process.poll() is not None)
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
        process.communicate()


def answers(place):
    try:
        with RawClient(str(place)) as client:
            return client.get("status")
    except OSError:
        return None


def processes_of(client):
    """Return every process that must end with the server: keeper, service, and the programs."""
    status = client.get("status")
    panes = [pane["pid"] for s in client.get("tree")["sessions"] for w in s["windows"] for pane in w["panes"]]
    return [status["keeper_pid"], status["service_pid"], *panes]


def ended_well(process, place, pids):
    assert process.wait(10) == 0
    assert not os.path.lexists(place)
    eventually(lambda: all(process_gone(pid) for pid in pids), within_s=3)


# In the foreground


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_ends_the_server_cleanly_with_all_its_programs(place, number):
    with foreground(place) as process, RawClient(str(place)) as client:
        deaf = client.get("new_session", cwd="/", command=DEAF)["pane_id"]
        client.get("new_session", cwd="/", command=["sleep", "1000"])
        client.see(deaf, "deaf")
        pids = processes_of(client)
        assert process.pid == pids[0]
        process.send_signal(number)
        ended_well(process, place, pids)
        assert f"received {number.name}" in process.stderr.read().decode()


@pytest.mark.parametrize(("number", "ends"), [(signal.SIGINT, True), (signal.SIGHUP, False)])
def test_nohup_is_respected_and_a_script_can_interrupt_its_background_server(place, number, ends):
    before = signal.signal(number, signal.SIG_IGN)  # as nohup does, and as shells do for background jobs
    try:
        with foreground(place) as process:
            signal.signal(number, before)
            process.send_signal(number)
            if ends:
                assert process.wait(10) == 0
            else:
                assert answers(place)
    finally:
        signal.signal(number, before)


def test_a_signal_right_after_the_start_ends_the_server_cleanly(place):
    # Repeated, because the moment is short.
    for _ in range(8):
        process = subprocess.Popen(
            [BIN / "phux", "server", "--socket", str(place)], env=clean_environment(), stderr=subprocess.PIPE
        )
        assert b"listening" in process.stderr.readline()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=10)
        assert process.returncode == 0
        assert not os.path.lexists(place)


def test_kill_server_ends_the_server_cleanly_before_it_returns(place, tmp_path):
    with foreground(place) as process, RawClient(str(place)) as client:
        client.see(client.get("new_session", cwd="/", command=DEAF)["pane_id"], "deaf")
        pids = processes_of(client)
        cli = Cli(str(place), tmp_path)
        assert cli.json("kill", "--server")["killed"] == 1
        assert cli("status", "--json").error["error"]["code"] == "no_server"
        ended_well(process, place, pids)


def test_the_server_ends_when_its_last_session_is_killed_and_not_before(place, tmp_path):
    with foreground(place) as process:
        cli = Cli(str(place), tmp_path)
        assert cli.json("ls")["sessions"] == []
        cli.json("new", "-s", "one", "--", "sleep", "1000")
        cli.json("new", "-s", "two", "--", "sleep", "1000")
        with RawClient(str(place)) as client:
            pids = processes_of(client)
        cli.json("kill", "one")
        assert cli.json("status")["sessions"] == 1
        cli.json("kill", "two")
        ended_well(process, place, pids)


def test_the_server_ends_when_the_last_dead_pane_is_cleared(place, tmp_path):
    with foreground(place, "--keep-dead", "1") as process:
        cli = Cli(str(place), tmp_path)
        cli.json("new", "-s", "short", "--", "true")
        assert cli.json("wait", "short", "--exit", "--timeout", "5")["state"] == "dead"
        ended_well(process, place, [])


def test_killing_a_program_that_ignores_the_hang_up_takes_half_a_second(place):
    with foreground(place), RawClient(str(place)) as client:
        client.get("new_session", name="stays", cwd="/", command=["sleep", "1000"])
        made = client.get("new_session", cwd="/", command=DEAF)
        client.see(made["pane_id"], "deaf")
        pid = processes_of(client)[-1]
        before = time.monotonic()
        assert client.get("kill", scope="pane", id=made["pane_id"]) == {"killed": 1}
        assert 0.4 < time.monotonic() - before < 3
        assert process_gone(pid)


@pytest.mark.parametrize("how", ["kill", "SIGTERM"])
def test_a_foreground_job_that_ignores_the_hang_up_does_not_survive_its_shell(place, tmp_path, how):
    # SIGHUP ends the shell at once; its job, another process group, must not survive.
    pid_file = tmp_path / "pid"
    job = None
    try:
        with foreground(place) as process, RawClient(str(place)) as client:
            client.get("new_session", name="stays", cwd="/", command=["sleep", "1000"])
            env = clean_environment()
            made = client.get("new_session", cwd="/", command=["bash", "--norc", "--noprofile", "-i"], env=env)
            client.see(made["pane_id"], "$")
            line = f"sh -c 'trap \"\" HUP; echo $$ > {pid_file}; exec sleep 1000'"
            client.get("input", pane=made["pane_id"], items=[{"text": line}, {"key": "Enter"}])
            job = int(eventually(lambda: pid_file.exists() and pid_file.read_text()))
            assert os.getpgid(job) == job
            if how == "kill":
                client.get("kill", scope="pane", id=made["pane_id"])
            else:
                process.send_signal(signal.SIGTERM)
                process.wait(10)
            eventually(lambda: process_gone(job), within_s=2)
    finally:
        if job is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(job, signal.SIGKILL)


def test_exit_after_idle_ends_the_server_after_that_time_without_clients(place):
    with foreground(place, "--exit-after-idle", "1") as process:
        with RawClient(str(place)) as client:
            client.get("new_session", cwd="/", command=["sleep", "1000"])
            pids = processes_of(client)
            # The server stays while a client is connected, idle or not.
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(1.5)
        left = time.monotonic()
        ended_well(process, place, pids)
        assert time.monotonic() - left > 0.8


def test_exit_after_idle_counts_from_the_start(place):
    with foreground(place, "--exit-after-idle", "1") as process:
        ended_well(process, place, [])


def test_a_second_server_on_the_socket_is_refused_and_the_first_unharmed(place, tmp_path):
    with foreground(place) as process:
        cli = Cli(str(place), tmp_path)
        cli.json("new", "-s", "mine", "--", "sleep", "1000")
        identity = os.lstat(place).st_ino
        second = cli("server", "--socket", str(place))
        assert second.code == 2
        assert "already listening" in second.err
        assert "phux kill --server" in second.err
        assert os.lstat(place).st_ino == identity
        assert cli.json("ls")["sessions"][0]["name"] == "mine"
        assert process.poll() is None


def test_a_dying_server_does_not_unlink_its_successors_socket(place, tmp_path):
    with foreground(place) as first:
        first.send_signal(signal.SIGSTOP)  # it would create its socket again
        os.unlink(place)
        with foreground(place) as second:
            cli = Cli(str(place), tmp_path)
            assert cli.json("status")["keeper_pid"] == second.pid
            first.send_signal(signal.SIGCONT)
            first.send_signal(signal.SIGTERM)
            assert first.wait(10) == 0
            assert cli.json("status")["keeper_pid"] == second.pid


def test_the_socket_is_private(place):
    with foreground(place):
        assert stat.S_IMODE(os.lstat(place).st_mode) == 0o600


# Started for the first session


@pytest.fixture
def auto(runtime, tmp_path):
    """``phux`` without a server; a server that it starts ends with the test."""
    cli = Cli("", tmp_path, {"XDG_RUNTIME_DIR": str(runtime)})
    yield cli
    cli("kill", "--server")
    eventually(lambda: not os.path.lexists(runtime / "phux" / "phux.sock"))


def test_new_starts_a_detached_server(auto, runtime):
    auto.json("new", "-s", "w", "--", "sleep", "1000")
    status = auto.json("status")
    assert status["socket"] == str(runtime / "phux" / "phux.sock")
    keeper = status["keeper_pid"]
    assert os.getsid(keeper) == keeper != os.getsid(0)
    assert os.readlink(f"/proc/{keeper}/cwd") == "/"
    assert Path(f"/proc/{keeper}/stat").read_text().rpartition(")")[2].split()[4] == "0"  # no terminal
    log = os.path.realpath(status["log"])
    for pid in (keeper, status["service_pid"]):
        assert os.readlink(f"/proc/{pid}/fd/0") == "/dev/null"
        assert os.readlink(f"/proc/{pid}/fd/1") == log
        assert os.readlink(f"/proc/{pid}/fd/2") == log
    lock = os.path.realpath(f"{status['socket']}.lock")
    held = [os.readlink(f"/proc/{keeper}/fd/{fd}") for fd in os.listdir(f"/proc/{keeper}/fd")]
    assert lock not in held


def test_the_server_log_is_private_shown_in_status_and_names_the_socket(auto, runtime):
    auto.json("new", "-s", "w", "--", "sleep", "1000")
    status = auto.json("status")
    assert stat.S_IMODE(os.stat(status["log"]).st_mode) == 0o600
    assert f"listening on {status['socket']}" in Path(status["log"]).read_text()
    assert stat.S_IMODE(os.stat(runtime / "phux").st_mode) == 0o700


@pytest.mark.parametrize(
    "verb",
    [["ls"], ["status"], ["snapshot", "w"], ["send-keys", "w", "x"], ["kill", "w"], ["paste", "w", "x"], ["wait", "w"]],
    ids=lambda words: words[0],
)
def test_other_verbs_start_no_server(auto, runtime, verb):
    finished = auto(verb[0], "--json", *verb[1:])
    assert finished.error["error"]["code"] == "no_server"
    assert "phux new" in finished.error["remedy"]
    assert list(runtime.iterdir()) == []


def test_ten_concurrent_cold_starts_create_one_server_and_ten_sessions(auto, runtime):
    finished = []
    threads = [
        threading.Thread(target=lambda: finished.append(auto("new", "-d", "--", "sleep", "1000"))) for _ in range(10)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.code for one in finished] == [0] * 10, [one.err for one in finished]
    assert {one.out.split("'")[1] for one in finished} == {str(number) for number in range(10)}
    status = auto.json("status")
    assert status["sessions"] == 10
    assert Path(status["log"]).read_text().count("listening on") == 1


def test_a_stale_socket_is_replaced(auto, runtime):
    directory = runtime / "phux"
    directory.mkdir(mode=0o700)
    dead = plain_socket.socket(plain_socket.AF_UNIX)
    dead.bind(str(directory / "phux.sock"))
    dead.close()
    assert auto("ls", "--json").error["error"]["code"] == "no_server"
    auto.json("new", "-s", "w", "--", "sleep", "1000")
    assert auto.json("status")["sessions"] == 1


def test_a_server_whose_first_session_failed_ends_by_itself(auto, runtime):
    finished = auto("new", "--json", "-s", "w", "--", "no-such-program")
    assert finished.error["error"]["code"] == "cannot_execute"
    keeper = auto.json("status")["keeper_pid"]
    eventually(lambda: process_gone(keeper), within_s=12)
    assert not os.path.lexists(runtime / "phux" / "phux.sock")


def test_invalid_input_starts_no_server(auto, runtime):
    assert auto("new", "--json", "-s", "a:b").error["error"]["code"] == "bad_name"
    assert list(runtime.iterdir()) == []


# Unsafe and unusable paths


@pytest.fixture(params=["new", "server"])
def begin(request, tmp_path):
    """Try to start a server in each of two ways, which must refuse alike; return the message and the remedy."""

    def attempt(socket, **env):
        cli = Cli(str(socket), tmp_path, env)
        if request.param == "new":
            finished = cli("new", "--json", "-s", "w", "--", "sleep", "1000")
            error = finished.error
            return error["error"]["message"], error["remedy"]
        finished = cli("server", "--socket", str(socket))
        assert finished.code != 0
        assert "Traceback" not in finished.err
        lines = [line.removeprefix("phux server: ") for line in finished.err.splitlines()]
        assert all(line.startswith("phux server: ") for line in finished.err.splitlines())
        return lines[0], lines[1] if len(lines) > 1 else ""

    return attempt


def test_a_regular_file_in_place_of_the_socket_is_refused_and_kept(place, begin):
    place.write_text("precious")
    message, remedy = begin(place)
    assert str(place) in message
    assert remedy
    assert place.read_text() == "precious"


def test_a_directory_in_place_of_the_socket_is_refused_and_kept(place, begin):
    place.mkdir()
    message, remedy = begin(place)
    assert str(place) in message
    assert remedy
    assert place.is_dir()


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o701, 0o1777])
def test_a_directory_that_others_can_enter_is_refused_and_not_changed(place, begin, mode):
    place.parent.chmod(mode)
    message, remedy = begin(place)
    assert str(place.parent) in message
    assert "0700" in message
    assert "700" in remedy
    assert stat.S_IMODE(place.parent.stat().st_mode) == mode
    assert list(place.parent.iterdir()) == []


def test_a_directory_that_is_a_symbolic_link_is_refused_and_not_changed(place, begin):
    real = place.parent / "real"
    real.mkdir(mode=0o700)
    link = place.parent / "link"
    link.symlink_to(real)
    message, remedy = begin(link / "phux.sock")
    assert str(link) in message
    assert "symbolic link" in message
    assert remedy
    assert list(real.iterdir()) == []


@pytest.mark.skipif(os.getuid() != 0, reason="only root can change the owner of a directory")
def test_a_directory_of_another_user_is_refused(place, begin):
    os.chown(place.parent, 65534, 65534)
    message, remedy = begin(place)
    assert "65534" in message
    assert remedy
    os.chown(place.parent, 0, 0)


def test_a_path_that_is_too_long_is_refused_with_limit_and_length(place, begin):
    longer = place.parent / ("x" * (108 - len(str(place.parent)) - 1))
    assert len(str(longer)) == 108
    message, remedy = begin(longer)
    assert "107" in message
    assert "108" in message
    assert "--socket" in remedy
    with foreground(str(longer)[:-1]) as process:
        assert process.poll() is None


def test_a_parent_that_is_a_file_is_refused(place, begin):
    (place.parent / "file").write_text("")
    message, remedy = begin(place.parent / "file" / "run" / "phux.sock")
    assert "file" in message
    assert remedy


def test_an_unknown_engine_is_rejected_with_a_list_of_engines(place, begin):
    message, remedy = begin(place, PHUX_ENGINE="nonsense")
    assert "nonsense" in message
    assert "ghostty" in remedy
    assert "pyte" in remedy
    assert not os.path.lexists(place)


@pytest.mark.parametrize("suffix", ["log", "lock"])
@pytest.mark.parametrize("what", ["directory", "symbolic link", "FIFO"])
def test_a_log_or_lock_that_cannot_be_written_is_a_start_error_that_names_the_file(place, tmp_path, suffix, what):
    taken = Path(f"{place}.{suffix}")
    if what == "directory":
        taken.mkdir()
    elif what == "FIFO":
        os.mkfifo(taken)
    else:
        taken.symlink_to("/dev/null")
    finished = Cli(str(place), tmp_path)("new", "--json", "-s", "w", "--", "sleep", "1000")
    assert "Traceback" not in finished.err
    error = finished.error
    assert error["error"]["code"] in {"start_failed", "unsafe_path"}
    assert str(taken) in error["error"]["message"] + error["remedy"]
    assert error["remedy"]
    assert not os.path.lexists(place)


def test_a_start_lock_held_too_long_is_reported(place, tmp_path):
    import fcntl

    with open(f"{place}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        before = time.monotonic()
        error = Cli(str(place), tmp_path)("new", "--json", "-s", "w").error
        assert 4 < time.monotonic() - before < 8
    assert error["error"]["code"] == "start_failed"
    assert f"{place}.log" in error["remedy"]


# Access


@pytest.mark.skipif(os.getuid() != 0, reason="only root can run programs as another user")
def test_another_user_is_rejected_even_if_permissions_allow_access():
    script = (
        "import json, socket, sys\n"
        "sock = socket.socket(socket.AF_UNIX)\n"
        "sock.settimeout(5)\n"
        "sock.connect(sys.argv[1])\n"
        "body = json.dumps({'hello': {'protocol': [1, 0]}}).encode()\n"
        "try:\n"
        "    sock.sendall(len(body).to_bytes(4, 'big') + bytes(4) + body)\n"
        "    print(repr(sock.recv(1000)))\n"
        "except (BrokenPipeError, ConnectionResetError):\n"
        "    print(repr(b''))\n"
    )

    def connect_as(user, path):
        # The system's Python, because the current one may be in root's home directory.
        python = shutil.which("python3", path="/usr/bin:/bin") or sys.executable
        options = {} if user is None else {"user": user, "group": user, "extra_groups": []}
        return subprocess.run(
            [python, "-c", script, path], capture_output=True, text=True, timeout=20, cwd="/", env={}, **options
        )

    with embedded_server() as server:
        directory = os.path.dirname(server.socket)
        os.chmod(directory, 0o755)
        os.chmod(server.socket, 0o666)
        stranger = connect_as(65534, server.socket)
        assert (stranger.returncode, stranger.stdout.strip()) == (0, "b''"), stranger.stderr
        assert "phux/" in connect_as(None, server.socket).stdout
        os.chmod(directory, 0o700)


def test_a_client_does_not_connect_to_a_socket_in_an_open_directory(tmp_path):
    with embedded_server() as server:
        directory = os.path.dirname(server.socket)
        os.chmod(directory, 0o755)
        error = Cli(server.socket, tmp_path)("ls", "--json").error
        os.chmod(directory, 0o700)
    assert error["error"]["code"] == "unsafe_path"
    assert json.dumps(error).count(directory)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_a_client_sends_nothing_to_a_server_of_another_user(tmp_path):
    tmp_path.chmod(0o700)
    path = str(tmp_path / "phux.sock")
    with plain_socket.socket(plain_socket.AF_UNIX) as impostor:
        impostor.bind(path)
        os.seteuid(65534)
        try:
            impostor.listen()
        finally:
            os.seteuid(0)
        impostor.settimeout(10)
        error = Cli(path, tmp_path)("ls", "--json").error
        assert error["error"]["code"] == "unsafe_path"
        assert "another user" in error["error"]["message"]
        connection, _address = impostor.accept()
        with connection:
            assert connection.recv(100) == b""


def test_a_client_does_not_use_a_socket_that_others_can_replace(tmp_path):
    above = tmp_path / "above"
    (above / "private").mkdir(parents=True)
    (above / "private").chmod(0o700)
    above.chmod(0o777)
    for verb in (["ls"], ["new", "-s", "work"]):
        error = Cli(str(above / "private" / "phux.sock"), tmp_path)(*verb, "--json").error
        assert error["error"]["code"] == "unsafe_path"
        assert f"{above} is writable by others" in error["error"]["message"]
    assert os.listdir(above / "private") == []


def test_in_a_state_directory_that_others_can_replace_nothing_is_logged(tmp_path):
    tmp_path.chmod(0o700)
    state = tmp_path / "state"
    (state / "phux").mkdir(parents=True)
    (state / "phux").chmod(0o777)
    cli = Cli(str(tmp_path / "phux.sock"), tmp_path, {"XDG_STATE_HOME": str(state)})
    cli.json("new", "-s", "work")
    try:
        assert f"{state}/phux is writable by others" in cli("status").out
        assert f"{state}/phux is writable by others" in cli("doctor").out
        assert os.listdir(state / "phux") == []
    finally:
        assert cli("kill", "--server").code == 0


@pytest.mark.parametrize(("variables", "engine"), [({}, "ghostty"), ({"PHUX_ENGINE": "pyte"}, "pyte")])
def test_the_environment_selects_the_engine_or_else_the_best_one_is_used(tmp_path, variables, engine):
    tmp_path.chmod(0o700)
    cli = Cli(str(tmp_path / "phux.sock"), tmp_path, variables)
    cli.json("new", "-s", "work")
    try:
        assert cli.json("status")["engine"] == engine
    finally:
        assert cli("kill", "--server").code == 0


def test_the_server_option_overrides_the_engine_of_the_environment(tmp_path):
    tmp_path.chmod(0o700)
    cli = Cli(str(tmp_path / "phux.sock"), tmp_path, {"PHUX_ENGINE": "ghostty"})
    server = subprocess.Popen([BIN / "phux", "server", "--engine", "pyte"], env=cli.env, stderr=subprocess.DEVNULL)
    try:
        eventually(lambda: cli("ls").code == 0)  # unlike the status, the keeper does not answer this
        assert cli.json("status")["engine"] == "pyte"
    finally:
        server.terminate()
        assert server.wait(10) == 0

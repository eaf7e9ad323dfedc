"""Who may use the live view: tokens, Host and Origin, headers, limits, addresses and TLS."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import socket
import ssl
import stat
import subprocess
import sys
import urllib.request
from functools import partial
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosedError
from websockets.sync.client import connect

from servers import BIN, Cli, clean_environment, embedded_server, eventually
from web_pages import Live, Web, web_server


@pytest.fixture(scope="module")
def server():
    with embedded_server() as server:
        yield server


@pytest.fixture(scope="module")
def web(server):
    with web_server(server.socket) as web:
        yield web


@pytest.fixture
def pane(phux):
    session = phux.new_session(command=["cat"])
    yield session.pane
    session.kill()


def get(web, path="/", **headers):
    connection = http.client.HTTPConnection(web.host, timeout=10)
    connection.putrequest("GET", path, skip_host=True)
    for name, value in ({"Host": web.host} | headers).items():
        connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body


def upgrade_status(web, path="/live", *, tls=None, **headers):
    """Ask for a WebSocket, and return the status of the refusal.

    The client of the library websockets may lose the refusal, because its reader fails after the end of the stream.
    """
    place = web.host if tls is None else f"127.0.0.1:{web.host.rpartition(':')[2]}"
    kind = http.client.HTTPConnection if tls is None else partial(http.client.HTTPSConnection, context=tls)
    connection = kind(place, timeout=10)
    upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
    upgrade |= {"Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==", "Host": place}
    connection.putrequest("GET", path, skip_host=True)
    for name, value in (upgrade | headers).items():
        connection.putheader(name, value)
    connection.endheaders()
    status = connection.getresponse().status
    connection.close()
    return status


def close_code(live):
    with pytest.raises(ConnectionClosedError) as caught:
        while True:
            live.receive()
    return caught.value.rcvd.code


@pytest.mark.parametrize("token", ["", "x", "é", None, 7, ["a"], {"a": 1}])
def test_a_wrong_token_gets_nothing(web, pane, token):
    with Live(web, token) as live:
        assert close_code(live) == 4401
        assert not live.hello
        assert not live.panes


@pytest.mark.parametrize(
    "first", ["", "no json", "[1]", '"text"', b"binary", "[" * 100_000, '{"do":"type","ask":1,"pane":1}']
)
def test_a_first_message_without_a_token_ends_the_connection(web, first):
    with connect(f"ws://{web.host}/live", origin=web.origin) as raw:
        raw.send(first)
        with pytest.raises(ConnectionClosedError) as caught:
            raw.recv(timeout=10)
    assert caught.value.rcvd.code == 4401


def test_the_token_that_allows_watching_allows_neither_typing_nor_resizing(web, pane, phux):
    watch = web.urls["watch"].partition("#")[2]
    with web.live(watch) as live:
        live.until(lambda: pane.id in live.panes)
        assert live.hello["control"] is False
        for request in (
            {"what": "type", "items": [{"text": "secret"}]},
            {"what": "resize", "cols": 40, "rows": 10},
        ):
            error = live.ask(request.pop("what"), pane=pane.id, **request)["error"]
            assert error["code"] == "refused"
            assert "only watch" in error["message"]
        assert "ok" in live.ask("freeze", pane=pane.id)
    assert pane.snapshot().text == ""
    assert pane.info().cols == 80


def test_read_only_makes_no_token_for_control(server, pane):
    with web_server(server.socket, "--read-only") as web:
        assert list(web.urls) == ["watch"]
        with web.live() as live:
            live.until(lambda: pane.id in live.panes)
            assert live.hello["control"] is False
            assert live.ask("type", pane=pane.id, items=[{"text": "x"}])["error"]["code"] == "refused"


@pytest.mark.parametrize("call", ["kill_server", "kill", "run", "tree", "signal", "", None, 5, ["type"], {}])
def test_a_browser_can_make_no_other_calls(web, pane, call):
    with web.live() as live:
        assert live.ask(call, pane=pane.id)["error"]["code"] == "bad_request"


@pytest.mark.parametrize(
    "message",
    [
        {"show": "all"},
        {"show": [None, "1", -5, 2**70, True, {}]},
        {"drawn": {"a": 1}},
        {"open": "x", "show": []},
        {"ask": {"a": 1}, "do": "commands", "pane": "x"},
        {"ask": 77, "do": "type", "pane": 1, "items": "x"},
        {"ask": 2, "do": "rows", "first": -1, "count": 10**30},
        {"ask": 3, "do": "past", "pane": 1, "moment": "x", "extra": [1]},
        {"ask": 4, "do": "type", "limit_s": 3},
        {"unknown": 1},
        {},
    ],
)
def test_malformed_messages_affect_neither_the_browser_nor_others(web, pane, message):
    with web.live() as live:
        live.send(**message)
        live.socket.send("no json")
        live.socket.send("[]")
        live.socket.send(b"{}")
        assert "ok" in live.ask("commands", pane=pane.id)


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "127.0.0.1:80@evil.example", "", "10.0.0.1", "a:b:c"],
)
def test_requests_for_another_name_are_refused(web, host):
    response, body = get(web, Host=host)
    assert response.status == 421 or (not host and response.status == 400)
    assert b"<html" not in body


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "10.0.0.1"])
def test_a_page_of_another_name_cannot_connect(web, host):
    assert upgrade_status(web, Host=host, Origin=f"http://{host}") == 403


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "localhost:9999", "[::1]:81", "LOCALHOST:1"])
def test_a_tunnel_may_use_another_port_of_this_machine(web, host):
    assert get(web, Host=host)[0].status == 200
    with web.live(host=host, origin=f"http://{host}") as live:
        live.until(lambda: live.hello)


@pytest.mark.parametrize(
    "origin",
    ["", "null", "http://evil.example", "http://127.0.0.1:1", "http://localhost:9999", "https://{host}", "file://"],
)
def test_pages_of_other_origins_cannot_connect(web, origin):
    assert upgrade_status(web, Origin=f"http://{web.host}") == 101
    assert upgrade_status(web, Origin=origin.format(host=web.host)) == 403


def test_every_response_forbids_inline_scripts_and_framing(web):
    for path in ("/", "/app.js", "/nothing", "/../app.py", "/%2e%2e/app.py", "/live"):
        response, body = get(web, path)
        policy = response.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "require-trusted-types-for 'script'" in policy
        assert "frame-ancestors 'none'" in policy
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["referrer-policy"] == "no-referrer"
        assert b"Starlette" not in body, path


def test_the_page_has_no_inline_code_and_loads_nothing_from_elsewhere(web):
    static = Path(__file__).parents[2] / "phux_client" / "web" / "static"
    page = (static / "index.html").read_text()
    assert page.count("<script") == 1
    assert "style=" not in page
    for path in static.iterdir():
        text = path.read_text().replace("http://www.w3.org/2000/svg", "")
        assert not re.search("https?://", text), path
        assert "innerHTML" not in text, path
        assert "eval(" not in text, path


def test_the_number_of_browsers_is_bounded(server, pane):
    with web_server(server.socket) as web:
        connected = [web.live() for _ in range(16)]
        for live in connected:
            live.until(lambda live=live: live.hello)
        with web.live() as surplus:
            assert close_code(surplus) == 4429
        connected.pop().close()
        eventually(lambda: _is_accepted(web))
        for live in connected:
            live.close()


def _is_accepted(web):
    try:
        with web.live() as live:
            return live.until(lambda: live.hello)
    except ConnectionClosedError:
        return False


def test_a_message_that_is_too_large_ends_only_its_connection(web, pane):
    with web.live() as good, web.live() as bad:
        bad.socket.send("x" * (3 * 1024 * 1024))
        assert close_code(bad) == 1009
        assert "ok" in good.ask("commands", pane=pane.id)


def test_requests_in_excess_are_refused(web, pane):
    with web.live() as live:
        for number in range(200):
            live.send(ask=number, do="timeline", pane=pane.id)
        live.until(lambda: len(live.replies) == 200)
        refused = [reply for reply in live.replies.values() if "error" in reply]
        assert all("too many requests" in reply["error"]["message"] for reply in refused)
        assert len(refused) < 190


def test_waiting_input_is_bounded(web, phux):
    session = phux.new_session(command=["sh", "-c", "stty raw -echo; echo ready; sleep 1000"])
    session.pane.wait(until="ready", timeout_s=20)
    with web.live() as live:
        for number in range(12):  # the first one blocks, because the program does not read
            live.send(ask=number, do="type", pane=session.pane.id, items=[{"text": "x" * 1_000_000}])
        live.until(lambda: any("too much waits" in reply["error"]["message"] for reply in live.replies.values()))
    session.kill()


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--bind", "0.0.0.0:8737"], "ssh -L 8737:127.0.0.1:8737"),
        (["--bind", "[::]:8737"], "--allow-remote"),
        (["--bind", "0.0.0.0:8737", "--allow-remote"], "without TLS"),
        (["--bind", "0.0.0.0:0", "--allow-remote", "--tls-cert", "x"], "both --tls-cert and --tls-key"),
        (["--tls-cert", "nothing", "--tls-key", "nothing"], "the TLS files cannot be used"),
        (["--bind", "example.com:80"], "is not an address and a port"),
        (["--bind", "127.0.0.1"], "is not an address and a port"),
        (["--bind", "127.0.0.1:99999"], "is not an address and a port"),
        (["--bind", "203.0.113.7:0", "--allow-remote"], "without TLS"),
    ],
)
def test_a_page_that_others_could_reach_needs_tls(server, tmp_path, flags, says):
    finished = Cli(server.socket, tmp_path)("web", *flags)
    assert finished.code == 2
    assert says in finished.err
    assert finished.out == ""


def test_an_address_in_use_is_reported_if_it_was_chosen(web, server, tmp_path):
    finished = Cli(server.socket, tmp_path)("web", "--bind", web.host)
    assert finished.code == 2
    assert "Address already in use" in finished.err


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_the_page_is_served_with_tls(server, tmp_path):
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=phux.test"]
    command += ["-addext", "subjectAltName=DNS:phux.test,IP:127.0.0.1", "-keyout", key, "-out", cert]
    subprocess.run(command, check=True, capture_output=True)
    flags = ("--bind", "0.0.0.0:0", "--allow-remote", "--tls-cert", str(cert), "--tls-key", str(key))
    with web_server(server.socket, *flags) as web:
        assert web.origin.startswith(f"https://{socket.gethostname()}:")
        port = web.host.rpartition(":")[2]
        context = ssl.create_default_context(cafile=str(cert))
        with urllib.request.urlopen(f"https://127.0.0.1:{port}/", context=context) as response:
            assert b"phux" in response.read()
        with connect(f"wss://127.0.0.1:{port}/live", ssl=context, origin=f"https://127.0.0.1:{port}") as live:
            live.send(json.dumps({"token": web.token}))
            assert "hello" in json.loads(live.recv(timeout=10))
        assert upgrade_status(web, tls=context, Origin=f"http://127.0.0.1:{port}") == 403
        assert upgrade_status(web, tls=context, Origin=f"https://127.0.0.1:{port}") == 101


def test_the_token_is_in_no_arguments_and_in_no_file_of_others(server, tmp_path):
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(
        f'#!/bin/sh\nfile=${{1#file://}}\n{{ echo "$1"; stat -c %a "$file" "${{file%/*}}"; cat "$file"; }} > {seen}.new\nmv {seen}.new {seen}\n'
    )
    browser.chmod(0o700)
    web = Web(server.socket, "--open", env={"BROWSER": f"{browser} %s", "TMPDIR": str(tmp_path)})
    eventually(seen.exists)
    argument, file_mode, directory_mode, *page = seen.read_text().splitlines()
    assert web.token not in argument
    assert (file_mode, directory_mode) == ("600", "700")
    assert web.urls["control"] in "".join(page)
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            assert web.token.encode() not in entry.read_bytes()
        except OSError:
            continue
    assert stat.S_ISREG(os.stat(argument.removeprefix("file://")).st_mode)
    web.close(signal.SIGTERM)
    assert not os.path.exists(argument.removeprefix("file://"))


def test_without_the_extra_the_error_says_what_to_install(server):
    code = """
import importlib.util, sys
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == "uvicorn" else found(name, *more)
from phux_cli.main import main
sys.exit(main(["web"]))
"""
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=clean_environment())
    assert finished.returncode == 2
    assert "uvicorn, which is not installed" in finished.stderr
    assert "pip install 'phux[web]'" in finished.stderr


def test_both_urls_are_printed_and_ctrl_c_ends_the_command(server):
    command = [BIN / "phux", "web", "--socket", server.socket, "--bind", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=clean_environment()) as process:
        lines = [process.stdout.readline() for _ in range(3)]
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0
    assert lines[1].startswith("watch and type  http://127.0.0.1:")
    assert lines[2].startswith("only watch      http://127.0.0.1:")
    assert lines[1].split("#")[1] != lines[2].split("#")[1]

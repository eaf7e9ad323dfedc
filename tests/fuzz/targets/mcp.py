"""Lines to a real phux-mcp: each reply is JSON-RPC, no request has an internal error, and stderr has no traceback."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile

from mutation import mutate
from rawwire import RawClient
from servers import BIN, clean_environment, embedded_server

_TOOLS = (
    "phux_ls",
    "phux_snapshot",
    "phux_send_keys",
    "phux_run",
    "phux_wait",
    "phux_logs",
    "phux_search",
    "phux_resize",
)
_ARGUMENTS = ("target", "keys", "command", "until", "regex", "lines", "pattern", "cols", "timeout_secs", "max_bytes")
_METHODS = ("initialize", "ping", "tools/list", "tools/call", "prompts/list", "prompts/get", "resources/list")
_METHODS += ("resources/read", "resources/subscribe", "resources/unsubscribe", "resources/templates/list")
_METHODS += ("server/discover", "notifications/cancelled", "notifications/initialized", "logging/setLevel", "nonsense")
_VALUES = (None, True, 0, -1, 1.5, 2**70, "", "work", "@1", "é", "\ud800", [], ["a"], {}, {"a": [1]}, "run-and-fix")
_VALUES += ("2024-11-05", "2025-03-26", "2025-11-25", "phux://panes", "phux://pane/1/screen", "(", "a+")
_PARAMS = ("name", "arguments", "protocolVersion", "_meta", "cursor", "uri", "requestId", "capabilities", "clientInfo")
_END = b'{"jsonrpc":"2.0","id":"end","method":"nonsense"}\n'


def _message(chance):
    params = {name: chance.choice(_VALUES) for name in chance.sample(_PARAMS, chance.randint(0, 3))}
    if chance.random() < 0.5:
        arguments = {name: chance.choice(_VALUES) for name in chance.sample(_ARGUMENTS, chance.randint(0, 3))}
        params |= {"name": chance.choice(_TOOLS), "arguments": arguments}
    message = {"jsonrpc": "2.0", "method": chance.choice(_METHODS), "params": params}
    if chance.random() < 0.8:
        message["id"] = chance.choice((1, 2, "a", *_VALUES))
    return message if chance.random() < 0.95 else [message, message]


def make(chance):
    lines = [json.dumps(_message(chance)).encode() for _ in range(chance.randint(1, 5))]
    return b"\n".join(mutate(chance, line) if chance.random() < 0.3 else line for line in lines)


def _check_message(message):
    assert message["jsonrpc"] == "2.0"
    if "method" not in message:
        assert ("result" in message) != ("error" in message)
        assert "phux-mcp failed" not in message.get("error", {}).get("message", ""), message


@contextlib.contextmanager
def checker():
    with contextlib.ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="phux-fuzz-"))
        server = stack.enter_context(embedded_server())
        errors = stack.enter_context(open(os.path.join(directory, "stderr"), "w+b"))
        with RawClient(server.socket) as client:
            client.get("new_session", name="work", cwd=directory, command=["sh"])
        environment = clean_environment() | {"XDG_RUNTIME_DIR": directory, "XDG_STATE_HOME": directory}
        command = [BIN / "phux-mcp", "--safety", "destructive", "--socket", server.socket]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": errors}
        with subprocess.Popen(command, env=environment, cwd=directory, **pipes) as process:

            def check(data):
                process.stdin.write(data + b"\n" + _END)
                process.stdin.flush()
                while True:
                    line = process.stdout.readline()
                    assert line, "the adapter has exited"
                    messages = json.loads(line)
                    if isinstance(messages, dict) and messages.get("id") == "end":
                        break
                    for message in messages if isinstance(messages, list) else [messages]:
                        _check_message(message)
                report = errors.read()
                assert b"Traceback" not in report, report.decode(errors="replace")

            yield check
            process.stdin.close()

"""``phux mcp setup``: print the configuration for a host, or merge it into the host's file."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from typing import TYPE_CHECKING, Any, NamedTuple

from phux_core.errors import RefusedError
from phux_core.hosts import server_address
from phux_mcp import config_text
from phux_mcp.environment import KEPT

if TYPE_CHECKING:
    import argparse


class _Host(NamedTuple):
    """The configuration of one host.

    Attributes:
        linux: The host's file; ``~`` is the home directory.
        mac: The file on macOS, if different.
        path: The keys that lead to our entry.
        kind: ``stdio`` if the entry names that transport, ``plain`` if it names none, ``local`` for opencode's form.
        moved: A variable that names another directory, and the name of the file in that directory.
    """

    linux: str
    mac: str | None
    path: tuple[str, ...]
    kind: str = "plain"
    moved: tuple[str, str] | None = None


_MAC = "~/Library/Application Support"
HOSTS = {
    "claude-code": _Host(
        "~/.claude.json", None, ("mcpServers", "phux"), "stdio", ("CLAUDE_CONFIG_DIR", ".claude.json")
    ),
    "claude-desktop": _Host(
        "~/.config/Claude/claude_desktop_config.json",
        f"{_MAC}/Claude/claude_desktop_config.json",
        ("mcpServers", "phux"),
    ),
    "codex": _Host("~/.codex/config.toml", None, ("mcp_servers", "phux"), moved=("CODEX_HOME", "config.toml")),
    "cursor": _Host("~/.cursor/mcp.json", None, ("mcpServers", "phux")),
    "vscode": _Host("~/.config/Code/User/mcp.json", f"{_MAC}/Code/User/mcp.json", ("servers", "phux"), "stdio"),
    "gemini": _Host(
        "~/.gemini/settings.json", None, ("mcpServers", "phux"), moved=("GEMINI_CLI_HOME", ".gemini/settings.json")
    ),
    "opencode": _Host(
        "~/.config/opencode/opencode.json", None, ("mcp", "phux"), "local", ("OPENCODE_CONFIG_DIR", "opencode.json")
    ),
}
"""The supported hosts."""


def main(options: argparse.Namespace) -> int:
    """Print the configuration of a host, or of all; with ``--write``, merge it into the host's file."""
    if options.write and options.host is None:
        raise RefusedError("--write needs the name of a host", remedy=f"add one of {', '.join(HOSTS)}")
    words = _command(options)
    for name in [options.host] if options.host else HOSTS:
        host = HOSTS[name]
        path = file_of(host)
        if not options.write:
            print(f"# {name}: {path}\n{merged('', host, words, path)}")
        elif write(path, host, words):
            print(f"phux was added to {path}; restart {name} to use it")
        else:
            print(f"phux is already set up in {path}")
    return 0


def _command(options: argparse.Namespace) -> list[str]:
    """Return the command with which a host starts us, with an absolute path because the host's PATH may differ."""
    script = os.path.join(os.path.dirname(os.path.abspath(sys.executable)), "phux-mcp")
    words = [script] if os.access(script, os.X_OK) else [sys.executable, "-m", "phux_mcp"]
    if options.safety:
        words += ["--safety", options.safety]
    if options.profile != "phux":
        words += ["--profile", options.profile]
    socket = options.socket or os.environ.get("PHUX_SOCKET")  # the host would not pass on the variable
    if socket:
        words += ["--socket", server_address(socket)]
    if options.start is not None:
        words.append("--start" if options.start else "--no-start")
    for variable in options.env or [f"{name}={os.environ[name]}" for name in KEPT if os.environ.get(name)]:
        words += ["--env", variable]
    return words


def file_of(host: _Host) -> str:
    """Return a host's file; if it can have two names, as for opencode, return the existing one."""
    path = _usual_file(host)
    with_comments = f"{path}c"
    may_be_named_so = host.kind == "local" and os.path.exists(with_comments) and not os.path.exists(path)
    return with_comments if may_be_named_so else path


def _usual_file(host: _Host) -> str:
    elsewhere = os.environ.get(host.moved[0]) if host.moved else None
    if host.moved and elsewhere:
        return os.path.join(os.path.abspath(os.path.expanduser(elsewhere)), host.moved[1])
    path = host.mac if host.mac is not None and sys.platform == "darwin" else host.linux
    config = os.environ.get("XDG_CONFIG_HOME")
    if config and path.startswith("~/.config/"):
        return os.path.join(config, path.removeprefix("~/.config/"))
    return os.path.expanduser(path)


def merged(text: str, host: _Host, words: list[str], path: str) -> str:
    """Return the text of a host's file with our entry set."""
    if path.endswith(".toml"):
        return config_text.set_in_toml(text, host.path, {"command": words[0], "args": words[1:]})
    entry: dict[str, Any] = {"command": words[0], "args": words[1:]}
    if host.kind == "stdio":
        entry = {"type": "stdio", **entry}
    elif host.kind == "local":
        entry = {"type": "local", "command": words, "enabled": True}
    return config_text.set_in_json(text, host.path, entry)


def write(path: str, host: _Host, words: list[str]) -> bool:
    """Merge our entry into a file, and keep a backup of the original next to it; return False if nothing changed."""
    path = os.path.realpath(path)  # keep a link into the user's dotfiles
    try:
        old = None
        if os.path.exists(path):
            with open(path, encoding="utf-8", newline="") as file:  # unchanged, including carriage returns
                old = file.read()
        new = merged(old or "", host, words, path)
        if new == old:
            return False
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        if old is not None:
            shutil.copy2(path, _free_name(f"{path}.phux-backup"))
        _replace(path, new)
    except (config_text.ConfigError, UnicodeError) as error:
        raise RefusedError(
            f"{path} was not changed: {error}", remedy="add the entry by hand: without --write, it is printed"
        ) from error
    except OSError as error:
        raise RefusedError(f"cannot write {error.filename or path}: {error.strerror}") from error
    return True


def _free_name(path: str) -> str:
    names = (path, *(f"{path}.{number}" for number in range(2, 1000)))
    return next(name for name in names if not os.path.lexists(name))


def _replace(path: str, text: str) -> None:
    """Replace a file's text atomically. A new file is readable only by the user: it may get keys of other servers."""
    fd, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".phux-")
    try:
        with os.fdopen(fd, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(path):
            shutil.copymode(path, temporary)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise

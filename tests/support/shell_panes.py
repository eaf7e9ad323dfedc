"""Panes with all supported kinds of shells, in a private home directory."""

from __future__ import annotations

import contextlib
import os
import shutil
import threading
from typing import TYPE_CHECKING, Any

import pytest

from phux_client import blocking
from phux_core import errors
from servers import eventually

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Shells integrated by hooks, shells integrated by prompts, and one with options that prevent integration.
SHELLS = {
    "bash": ["bash"],
    "zsh": ["zsh"],
    "fish": ["fish"],
    "bash --norc": ["bash", "--norc"],
    "dash": ["dash"],
    "ksh": ["ksh"],
    "busybox": ["busybox", "sh"],
}
INTEGRATED = ("bash", "zsh", "fish")
MARKED = [name for name in SHELLS if name != "bash --norc"]
POSIX = [name for name in SHELLS if name != "fish"]
PLAIN_RC = {
    ".bashrc": "PS1='$ '\n",
    ".zshrc": "PS1='$ '\n",
    ".config/fish/config.fish": "function fish_prompt; echo -n '$ '; end\n",
}


def make_home(directory: Path, files: dict[str, str] = PLAIN_RC) -> dict[str, str]:
    """Write the files of a home directory, and return the environment for its shells."""
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    # Without this directory, fish reads all manual pages of the system in the background.
    (directory / ".local/share/fish/generated_completions").mkdir(parents=True, exist_ok=True)
    return {"HOME": str(directory), "PS1": "$ ", "ENV": "", "HISTFILE": str(directory / "history")}


def files_of_runs(socket: str) -> list[str]:
    """Return the files next to the socket that shells source to run commands."""
    return [name for name in os.listdir(os.path.dirname(socket)) if name.startswith("r")]


class ShellPanes:
    """Open panes with shells, and kill them on close.

    Args:
        phux: The connection used to open the panes.
        home: The home and working directory of the shells.
    """

    def __init__(self, phux: blocking.Phux, home: Path) -> None:
        self._phux = phux
        self._home = home
        self._sessions: list[blocking.Session] = []

    def __call__(
        self,
        name: str,
        *,
        size: tuple[int, int] = (80, 24),
        rc: dict[str, str] | None = None,
        history: bool = True,
        **env: str,
    ) -> blocking.Pane:
        command = SHELLS[name]
        if shutil.which(command[0]) is None:
            pytest.skip(f"{command[0]} is not installed")
        home = make_home(self._home, PLAIN_RC if rc is None else rc)
        session = self._phux.new_session(
            None, command=command, size=size, cwd=str(self._home), env=home | env, history=history
        )
        self._sessions.append(session)
        return session.pane

    def close(self) -> None:
        for session in self._sessions:
            with contextlib.suppress(errors.PhuxError):  # the test may have killed the session
                session.kill()
        assert files_of_runs(self._phux.socket) == []


def wait_for_program(pane: blocking.Pane, *names: str) -> None:
    """Wait until a program with one of these names is in the foreground."""
    eventually(lambda: (front := pane.info().foreground) is not None and front.command in names)


@contextlib.contextmanager
def running(pane: blocking.Pane, command: str, **options: Any) -> Iterator[list[Any]]:
    """Run a command over another connection during the block; yield a list that receives the result or error."""
    outcome: list[Any] = []

    def run() -> None:
        with blocking.Phux(pane._phux.socket) as other:
            try:
                outcome.append(other.pane(pane.id).run(command, **options))
            except errors.PhuxError as error:
                outcome.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield outcome
    finally:
        thread.join()

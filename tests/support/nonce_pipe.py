"""Start a shell on a PTY with the descriptor from which it reads the nonce of its marks."""

from __future__ import annotations

import os
from typing import Any

from ptyprocess import PtyProcess

_FD = 9


def spawn_with_nonce(argv: list[str], nonce: str, **options: Any) -> PtyProcess:
    reader, writer = os.pipe()
    os.write(writer, f"{nonce}\n".encode())
    os.close(writer)

    def pass_reader() -> None:
        os.dup2(reader, _FD)
        os.set_inheritable(_FD, True)

    try:
        return PtyProcess.spawn(argv, pass_fds=(reader, _FD), preexec_fn=pass_reader, **options)
    finally:
        os.close(reader)

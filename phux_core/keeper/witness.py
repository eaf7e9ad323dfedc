"""What the keeper can see of programs and the service may not: in which call a process waits.

Where Yama restricts ptrace (``kernel.yama.ptrace_scope`` 1, as in Ubuntu and Arch), the kernel tells this only to those
that a process descends from. That is the keeper. It is asked over a socket of its own, and a question is answered at
once or not at all; the answer is what the file says, unread.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct

QUESTION = struct.Struct("=III")
"""The question's number, a process, and one of its threads."""
NUMBER = struct.Struct("=I")
"""What an answer begins with; nothing behind it means that the keeper cannot see it either."""
LONGEST_ANSWER = 4096


def make_pair() -> tuple[socket.socket, socket.socket]:
    """Make the keeper's end, which never waits, and the service's."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    ours.setblocking(False)
    return ours, theirs


def read_call(pid: int, tid: int) -> bytes:
    """Read the call that a thread is in.

    Raises:
        OSError: It is gone, or this process may not know.
    """
    fd = os.open(f"/proc/{pid}/task/{tid}/syscall", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(fd, LONGEST_ANSWER - NUMBER.size)
    finally:
        os.close(fd)


def answer(end: socket.socket) -> None:
    """Answer what was asked, at the keeper's end; what is no question is passed over."""
    with contextlib.suppress(OSError):  # nothing more was asked, or whoever asked is gone
        while True:
            question = end.recv(QUESTION.size + 1)
            if len(question) == QUESTION.size:
                number, pid, tid = QUESTION.unpack(question)
                try:
                    call = read_call(pid, tid)
                except OSError:
                    call = b""
                end.send(NUMBER.pack(number) + call)

"""Answer the service's questions about the system call that a process is blocked in.

Where Yama restricts ptrace (``kernel.yama.ptrace_scope`` 1, as in Ubuntu and Arch), the kernel reveals this only to
ancestors of a process, such as the keeper. Questions arrive on a separate socket and are answered immediately or not
at all; the answer is the unparsed content of ``/proc/PID/task/TID/syscall``.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct

QUESTION = struct.Struct("=III")
"""The question's number, a process id and a thread id."""
NUMBER = struct.Struct("=I")
"""The prefix of an answer; if nothing follows, the keeper could not read the file."""
LONGEST_ANSWER = 4096


def make_pair() -> tuple[socket.socket, socket.socket]:
    """Return the keeper's end, which is non-blocking, and the service's end."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    ours.setblocking(False)
    return ours, theirs


def read_call(pid: int, tid: int) -> bytes:
    """Return the unparsed content of the file that describes the system call of a thread, or raise OSError."""
    fd = os.open(f"/proc/{pid}/task/{tid}/syscall", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(fd, LONGEST_ANSWER - NUMBER.size)
    finally:
        os.close(fd)


def answer(end: socket.socket) -> None:
    """Answer all pending questions at the keeper's end; ignore invalid ones."""
    with contextlib.suppress(OSError):  # no more questions, or the service is gone
        while True:
            question = end.recv(QUESTION.size + 1)
            if len(question) == QUESTION.size:
                number, pid, tid = QUESTION.unpack(question)
                try:
                    call = read_call(pid, tid)
                except OSError:
                    call = b""
                end.send(NUMBER.pack(number) + call)

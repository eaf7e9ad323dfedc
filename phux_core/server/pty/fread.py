"""Read a descriptor until it is empty, in one call.

A pty returns about four kilobytes per read, whatever the buffer size. The C library's ``fread`` repeats the read until
the buffer is full or nothing is left, directly into the buffer and without the GIL, so that reading a flood costs no
more than its system calls.
"""

from __future__ import annotations

import ctypes
import errno
import os

_libc = ctypes.CDLL(None, use_errno=True)
_libc.fdopen.argtypes = [ctypes.c_int, ctypes.c_char_p]
_libc.fdopen.restype = ctypes.c_void_p
_libc.setvbuf.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
_libc.fread.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p]
_libc.fread.restype = ctypes.c_size_t
for _function in (_libc.clearerr, _libc.feof, _libc.fclose):
    _function.argtypes = [ctypes.c_void_p]
_UNBUFFERED = 2


class Drain:
    """A non-blocking descriptor that is read in large pieces; still owned by the caller."""

    def __init__(self, fd: int) -> None:
        duplicate = os.dup(fd)
        self._file = _libc.fdopen(duplicate, b"rb")
        if not self._file:
            code = ctypes.get_errno()
            os.close(duplicate)
            raise OSError(code, os.strerror(code))
        _libc.setvbuf(self._file, None, _UNBUFFERED, 0)

    def read_into(self, buffer: memoryview) -> int:
        """Read available bytes into a buffer.

        Returns:
            The number of bytes; less than the buffer's size if there were no more, 0 at the end.

        Raises:
            OSError: Nothing could be read: BlockingIOError if there is nothing now, else the error of os.read.
        """
        count = int(_libc.fread(ctypes.addressof(ctypes.c_char.from_buffer(buffer)), 1, len(buffer), self._file))
        if count < len(buffer):
            code = ctypes.get_errno()
            ended = _libc.feof(self._file)
            _libc.clearerr(self._file)  # else the C library would not read again
            if not count and not ended:
                raise (
                    BlockingIOError(code, os.strerror(code))
                    if code == errno.EAGAIN
                    else OSError(code, os.strerror(code))
                )
        return count

    def close(self) -> None:
        """Free it; the caller's descriptor stays open."""
        if self._file:
            _libc.fclose(self._file)
            self._file = None

"""The local ends of copies: read a file that is sent, and write a file that is received."""

import hashlib
import os
import stat

from phux_core import files
from phux_core.errors import RefusedError
from phux_core.file_calls import FILE_CHUNK


class Source:
    """A local file to send.

    Raises:
        RefusedError: The file cannot be read, or is not a regular file.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self._fd = files.open_regular(path, os.O_RDONLY)
        except OSError as error:
            raise refused(path, error) from None
        found = os.fstat(self._fd)
        self.size = found.st_size
        self.mode = stat.S_IMODE(found.st_mode) & 0o777

    def digest(self, _nothing: None = None) -> str:
        """Return the SHA-256 digest of the content."""
        with open(self._fd, "rb", closefd=False) as file:
            file.seek(0)
            return hashlib.file_digest(file, "sha256").hexdigest()

    def read(self, offset: int) -> bytes:
        """Return the chunk at an offset."""
        return os.pread(self._fd, FILE_CHUNK, offset)

    def close(self) -> None:
        """Close the file."""
        os.close(self._fd)


class Destination:
    """A local file to receive, in a temporary file beside it until it is complete.

    Args:
        path: The path; a directory gets a file with the name of the remote one.
        name: The name of the remote file.
        version: The version of the remote file: an interrupted copy of the same version continues.

    Raises:
        RefusedError: The file cannot be written.

    Attributes:
        size: How many bytes are there.
    """

    def __init__(self, path: str, name: str, version: str) -> None:
        self.path = os.path.join(path, name) if os.path.isdir(path) and not os.path.islink(path) else path
        identity = hashlib.sha256(f"{version}/{os.path.basename(self.path)}".encode("utf-8", "surrogateescape"))
        self._part = os.path.join(os.path.dirname(self.path), f".phux-part-{identity.hexdigest()[:32]}")
        try:
            self._check()
            self._fd = files.open_regular(self._part, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise refused(self.path, error) from None
        self.size = os.fstat(self._fd).st_size

    def _check(self) -> None:
        try:
            found = os.lstat(self.path)
        except FileNotFoundError:
            return
        if not stat.S_ISREG(found.st_mode):
            raise RefusedError(f"{self.path} is not a regular file", remedy="name another path")

    def write(self, data: bytes) -> None:
        """Append a chunk."""
        try:
            while data:
                count = os.pwrite(self._fd, data, self.size)
                data, self.size = data[count:], self.size + count
        except OSError as error:
            raise refused(self.path, error) from None

    def restart(self) -> None:
        """Drop what is there, because it is no beginning of the remote file."""
        os.ftruncate(self._fd, 0)
        self.size = 0

    def commit(self, mode: int) -> None:
        """Give the complete file its permission bits and its path."""
        try:
            self._check()
            os.fchmod(self._fd, mode)
            os.fsync(self._fd)
            os.rename(self._part, self.path)
        except OSError as error:
            raise refused(self.path, error) from None

    def close(self) -> None:
        """Close the file; what is there of an incomplete copy stays, so that the copy can continue."""
        os.close(self._fd)


def refused(path: str, error: OSError) -> RefusedError:
    """Return the error for a local file that cannot be copied."""
    return RefusedError(f"the file {path} cannot be copied: {error.strerror}")

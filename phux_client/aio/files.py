"""Copy files to and from the machine of the server."""

from __future__ import annotations

import base64
import os

from phux_client import flows
from phux_client.aio.backend import in_thread
from phux_client.transfers import Destination, Source
from phux_core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from phux_client.aio.driver import Driver
    from phux_client.aio.server import Phux


async def put(
    phux: Driver,
    local: str,
    remote: str,
    *,
    pane: int | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> str:
    """Copy a local file to the machine of the server, and return its path there; see ``Pane.put``."""
    source = Source(local)
    try:
        sha256 = await in_thread(source.digest, None)
        about = await phux.request(flows.Request("file_info", path=remote, pane=pane, sha256=sha256))
        if about["kind"] == "directory":
            within = os.path.join(about["path"], os.path.basename(local))
            about = await phux.request(flows.Request("file_info", path=within, sha256=sha256))
        path, offset = about["path"], about["part"]
        if about["kind"] not in {"file", "none"}:
            raise RefusedError(
                f"{path} is a {about['kind']}, and only a file can be replaced", remedy="name another path"
            )
        while offset < source.size:
            data = await in_thread(source.read, offset)
            if not data:
                break  # the file became shorter: the commit reports it
            text = base64.b64encode(data).decode()
            await phux.request(flows.Request("file_write", path=path, sha256=sha256, offset=offset, data=text))
            offset += len(data)
            if on_progress is not None:
                on_progress(offset, source.size)
        await phux.request(flows.Request("file_commit", path=path, sha256=sha256, mode=source.mode))
        return str(path)
    finally:
        source.close()


async def get(
    phux: Driver,
    remote: str,
    local: str,
    *,
    pane: int | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> str:
    """Copy a file from the machine of the server, and return its local path; see ``Pane.get``."""
    about = await phux.request(flows.Request("file_info", path=remote, pane=pane))
    path = about["path"]
    if about["kind"] != "file":
        problem = "does not exist" if about["kind"] == "none" else f"is a {about['kind']}, and only files are copied"
        raise RefusedError(f"{path} {problem}", remedy="check the path")
    destination = Destination(local, os.path.basename(path), about["version"])
    try:
        if destination.size > about["size"]:
            destination.restart()
        while destination.size < about["size"]:
            asked = flows.Request("file_read", path=path, offset=destination.size, version=about["version"])
            data = base64.b64decode((await phux.request(asked))["data"])
            if not data:
                raise RefusedError(f"the file {path} changed while it was copied", remedy="copy it again")
            await in_thread(destination.write, data)
            if on_progress is not None:
                on_progress(destination.size, about["size"])
        await in_thread(destination.commit, about["mode"])
        return destination.path
    finally:
        destination.close()


class PaneFiles:
    """The methods of a pane's handle that copy files."""

    id: int
    _phux: Phux

    async def put(
        self,
        local: str | PathLike[str],
        remote: str | PathLike[str],
        *,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> str:
        """Copy a local file to the machine of the pane.

        The new file appears completely or not at all, with the permission bits of the local one. Symbolic links are
        neither followed nor replaced. An interrupted copy of the same content continues where it stopped.

        Args:
            local: The local file.
            remote: The path there; a relative one begins at the pane's directory. A directory gets a file of that name.
            on_progress: Called with the number of bytes that are there, and of all bytes.

        Returns:
            The absolute path there.

        Raises:
            RefusedError: One of the files cannot be used.

        Example:
            >>> import tempfile
            >>> with tempfile.TemporaryDirectory() as directory:
            ...     path = await pane.put("/etc/passwd", directory)
            >>> path.endswith("/passwd")
            True
        """
        return await put(self._phux, os.fspath(local), os.fspath(remote), pane=self.id, on_progress=on_progress)

    async def get(
        self,
        remote: str | PathLike[str],
        local: str | PathLike[str],
        *,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> str:
        """Copy a file of the machine of the pane here; the guarantees are those of ``put``.

        Args:
            remote: The path there; a relative one begins at the pane's directory.
            local: The local path; a directory gets a file of that name.
            on_progress: Called with the number of bytes that are there, and of all bytes.

        Returns:
            The local path.

        Raises:
            RefusedError: One of the files cannot be used, or the remote one changed during the copy.

        Example:
            >>> import tempfile
            >>> with tempfile.TemporaryDirectory() as directory:
            ...     path = await pane.get("/etc/passwd", directory)
            >>> path.endswith("/passwd")
            True
        """
        return await get(self._phux, os.fspath(remote), os.fspath(local), pane=self.id, on_progress=on_progress)

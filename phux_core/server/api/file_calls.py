"""Calls that copy files. Threads do the work, because a disk may be slow.

New content is written to a file beside its destination, whose name is made of the content's digest, so that an
interrupted copy can continue. It replaces the destination in one step, when it is complete and its digest is right.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import hashlib
import os
import stat
from typing import TYPE_CHECKING, TypeVar

from phux_core import files
from phux_core.errors import BadRequestError, RefusedError
from phux_core.file_calls import FILE_CHUNK
from phux_core.server.api.handlers import find_pane, handles
from phux_core.server.shell.pane_shell import current_directory
from phux_core.server.tree.launch import home_directory

if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_core.server.connection import Result
    from phux_core.server.service import Service

    Answer = TypeVar("Answer")


@handles("file_info")
async def file_info(service: Service, path: str, pane: int | None, sha256: str | None) -> Result:
    place = home_directory() if pane is None else current_directory(find_pane(service, pane).record)
    # No normpath: `..` after a link to a directory is not the directory of the link.
    where = "/" + "/".join(part for part in os.path.join(place or "/", path).split("/") if part not in {"", "."})
    return await _in_thread(path, lambda: _describe(where, sha256))


@handles("file_read")
async def file_read(_service: Service, path: str, offset: int, version: str) -> Result:
    return await _in_thread(path, lambda: _read(_absolute(path), offset, version))


@handles("file_write")
async def file_write(_service: Service, path: str, sha256: str, offset: int, data: str) -> Result:
    return await _in_thread(path, lambda: _write(_part(_absolute(path), sha256), offset, data))


@handles("file_commit")
async def file_commit(_service: Service, path: str, sha256: str, mode: int) -> Result:
    return await _in_thread(path, lambda: _commit(_absolute(path), sha256, mode))


async def _in_thread(path: str, work: Callable[[], Result]) -> Result:
    try:
        return await asyncio.to_thread(work)
    except OSError as error:
        raise RefusedError(f"the file {path} cannot be copied: {error.strerror}") from None


def _absolute(path: str) -> str:
    if not os.path.isabs(path):
        raise BadRequestError(f"the path {path!r:.80} is not absolute", remedy="send the path that file_info returned")
    return path


def _part(path: str, sha256: str) -> str:
    name = hashlib.sha256(f"{sha256}/{os.path.basename(path)}".encode("utf-8", "surrogateescape")).hexdigest()
    return os.path.join(os.path.dirname(path), f".phux-part-{name[:32]}")


def _describe(path: str, sha256: str | None) -> Result:
    part = 0
    if sha256 is not None:
        with contextlib.suppress(OSError):
            part = os.lstat(_part(path, sha256)).st_size
    about = {"path": path, "kind": "none", "size": None, "mode": None, "version": None, "part": part}
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return about
    if not stat.S_ISREG(found.st_mode):
        kinds = {stat.S_IFDIR: "directory", stat.S_IFLNK: "link"}
        return about | {"kind": kinds.get(stat.S_IFMT(found.st_mode), "other")}
    mode = stat.S_IMODE(found.st_mode) & 0o777
    return about | {"kind": "file", "size": found.st_size, "mode": mode, "version": _version(found)}


def _version(found: os.stat_result) -> str:
    return f"{found.st_dev}-{found.st_ino}-{found.st_size}-{found.st_mtime_ns}"


def _read(path: str, offset: int, version: str) -> Result:
    with os.fdopen(files.open_regular(path, os.O_RDONLY), "rb") as file:
        data = os.pread(file.fileno(), FILE_CHUNK, offset)
        if _version(os.fstat(file.fileno())) != version:
            raise RefusedError(f"the file {path} changed while it was copied", remedy="copy it again")
    return {"data": base64.b64encode(data).decode()}


def _write(part: str, offset: int, text: str) -> Result:
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise BadRequestError("`data` is not base64") from None
    if len(data) > FILE_CHUNK:
        raise BadRequestError(f"`data` has more than {FILE_CHUNK} bytes", remedy="send smaller chunks")
    with os.fdopen(files.open_regular(part, os.O_RDWR | os.O_CREAT), "r+b", buffering=0) as file:
        if offset > os.fstat(file.fileno()).st_size:
            raise BadRequestError("`offset` is after the end of what is there", remedy="call file_info")
        while data:
            count = os.pwrite(file.fileno(), data, offset)
            data, offset = data[count:], offset + count
    return {}


def _commit(path: str, sha256: str, mode: int) -> Result:
    part = _part(path, sha256)
    # An empty file has no writes.
    with os.fdopen(files.open_regular(part, os.O_RDWR | os.O_CREAT), "r+b") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != sha256:
            os.unlink(part)
            raise RefusedError(f"the content that arrived for {path} is damaged", remedy="copy it again")
        kind = _describe(path, None)["kind"]
        if kind not in {"file", "none"}:
            raise RefusedError(f"{path} is a {kind}, and only a file can be replaced", remedy="name another path")
        os.fchmod(file.fileno(), mode)
        os.fsync(file.fileno())
        os.rename(part, path)
    return {}

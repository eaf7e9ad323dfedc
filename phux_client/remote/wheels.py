"""Pack installed distributions as wheels again: phux and what it needs, for a machine without a package registry."""

import base64
import hashlib
import os
import re
import zipfile
from importlib import metadata

from phux_core.errors import CannotExecuteError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_PACKAGES = ("phux_core", "phux_client", "phux_cli", "phux_mcp")
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def pack_all(directory: str) -> list[str]:
    """Write wheels of phux and the distributions it needs into a directory, and return the names of the files."""
    return [pack(metadata.distribution(name), directory) for name in sorted(_needed("phux"))]


def _needed(name: str) -> set[str]:
    """Return the names of the installed distributions that one needs, without extras, and its own."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        one = waiting.pop()
        if one in found:
            continue
        try:
            requires = metadata.distribution(one).requires or []
        except metadata.PackageNotFoundError:
            continue  # not needed on this platform
        found.add(one)
        names = (_NAME.match(line) for line in requires if "extra ==" not in line)
        waiting += [match[0].lower().replace("_", "-") for match in names if match is not None]
    return found


def pack(distribution: metadata.Distribution, directory: str) -> str:
    """Write the wheel of one installed distribution, and return the name of the file.

    Raises:
        CannotExecuteError: Files of the distribution are missing.
    """
    name = re.sub(r"[-_.]+", "_", distribution.metadata["Name"]).lower()
    base = f"{name}-{distribution.version}"
    about = distribution.read_text("WHEEL") or ""
    tags = re.findall(r"(?m)^Tag: (\S+)$", about) or ["py3-none-any"]
    # A wheel with several tags lists all their combinations.
    parts = (".".join(sorted(set(column))) for column in zip(*(tag.split("-") for tag in tags), strict=True))
    file = f"{base}-{'-'.join(parts)}.whl"
    files = dict(_own_files() if name == "phux" else _files(distribution))
    info = f"{base}.dist-info"
    for part in ("METADATA", "entry_points.txt", "WHEEL"):
        text = distribution.read_text(part)
        if text is not None:
            files[f"{info}/{part}"] = text.encode()
    if not any(path.endswith((".py", ".so")) for path in files):
        raise CannotExecuteError(f"the files of {base} are not installed here, so they cannot be sent")
    record = "".join(f"{path},sha256={_digest(data)},{len(data)}\n" for path, data in files.items())
    with zipfile.ZipFile(os.path.join(directory, file), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            wheel.writestr(path, data)
        wheel.writestr(f"{info}/RECORD", f"{record}{info}/RECORD,,\n")
    return file


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _files(distribution: metadata.Distribution) -> "Iterator[tuple[str, bytes]]":
    for path in distribution.files or ():
        if ".dist-info" not in path.parts[0] and path.parts[0] != ".." and "__pycache__" not in path.parts:
            with open(path.locate(), "rb") as file:
                yield path.as_posix(), file.read()


def _own_files() -> "Iterator[tuple[str, bytes]]":
    """Yield the files of phux itself, also of a checkout."""
    import importlib.util

    from phux_core import schema

    for package in _PACKAGES:
        spec = importlib.util.find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        root = os.path.dirname(spec.origin)
        for place, directories, names in os.walk(root):
            directories[:] = [name for name in directories if name != "__pycache__"]
            for name in names:
                path = os.path.join(place, name)
                with open(path, "rb") as file:
                    yield f"{package}/{os.path.relpath(path, root)}", file.read()
    for name in schema.names():
        yield f"phux_core/schemas/{name}.json", schema.read(name).encode()

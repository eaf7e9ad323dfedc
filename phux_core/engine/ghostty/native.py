"""libghostty-vt for the ghostty engine: the loaded library, terminals, callbacks and snapshots.

Untyped code stays in this package: ``ffi`` and ``lib`` are ``Any``. The library is loaded from pyghostty, but pyghostty
itself is not imported: it parses its C declarations at each start, and its wrapper costs tens of microseconds per call.
``declarations`` is cffi's compiled form of the declarations used here; it belongs to one release of pyghostty.
"""

from __future__ import annotations

import importlib.util
import os
import zlib
from typing import Any

from phux_core.engine.encoding import CELL_HEIGHT, CELL_WIDTH
from phux_core.engine.ghostty import declarations
from phux_core.version import __version__


def _load() -> Any:
    """Open the library.

    Raises:
        ImportError: pyghostty is not installed, is incomplete, or is another release.
    """
    found = importlib.util.find_spec("pyghostty")
    if found is None or found.origin is None:
        raise ImportError("pyghostty is not installed")
    directory = os.path.dirname(found.origin)
    try:
        with open(os.path.join(directory, "_cdef.py"), "rb") as file:
            checksum = zlib.crc32(file.read())
        if checksum != declarations.CHECKSUM:
            raise ImportError("the installed release of pyghostty is not the one that this release of phux needs")
        folder = os.path.join(directory, "_lib")
        (library,) = [name for name in os.listdir(folder) if name.startswith("libghostty-vt.")]
        return ffi.dlopen(os.environ.get("PYGHOSTTY_LIB") or os.path.join(folder, library))
    except (OSError, ValueError) as error:
        raise ImportError(f"pyghostty is incomplete: {error}") from error


ffi: Any = declarations.ffi
lib = _load()

grid_ref: Any = ffi.cast(
    "GhosttyResult(*)(GhosttyTerminal, PhuxPoint, GhosttyGridRef*)",
    ffi.addressof(lib, "ghostty_terminal_grid_ref"),
)
scroll_viewport: Any = ffi.cast(
    "void(*)(GhosttyTerminal, PhuxScroll)",
    ffi.addressof(lib, "ghostty_terminal_scroll_viewport"),
)

CONTINUATION_MAX_BYTES = 64 * 1024
"""Maximum length of an unfinished sequence that a checkpoint can include."""

# The colors reported to programs: light grey on black, as in most terminals.
_COLORS = {
    "GHOSTTY_TERMINAL_OPT_COLOR_FOREGROUND": (0xD0, 0xD0, 0xD0),
    "GHOSTTY_TERMINAL_OPT_COLOR_BACKGROUND": (0x00, 0x00, 0x00),
    "GHOSTTY_TERMINAL_OPT_COLOR_CURSOR": (0xD0, 0xD0, 0xD0),
}
_TERMINFO_NAME = b"xterm-256color"
_VERSION = f"phux {__version__}".encode()
_VERSION_MEMORY = ffi.from_buffer("uint8_t[]", _VERSION)
_VERSION_STRING = ffi.new("GhosttyString*", {"ptr": _VERSION_MEMORY, "len": len(_VERSION)})


class GhosttyError(RuntimeError):
    """A library call failed: out of memory, or a bug in this package."""


class Sink:
    """Results of the library's callbacks during one call, and the size for reports.

    A terminal's callbacks find the sink through their user data. It is separate from the engine, so that the engine and
    its handle do not keep each other alive.
    """

    __slots__ = ("bell", "cols", "has_effects", "replies", "rows", "title")

    def __init__(self, cols: int, rows: int) -> None:
        self.has_effects = False
        self.replies: list[bytes] = []
        self.bell = False
        self.title = False
        self.cols = cols
        self.rows = rows


@ffi.callback("GhosttyTerminalWritePtyFn")  # type: ignore[untyped-decorator]
def _on_write(_terminal: Any, userdata: Any, data: Any, size: int) -> None:
    sink = ffi.from_handle(userdata)
    sink.replies.append(ffi.buffer(data, size)[:])
    sink.has_effects = True


@ffi.callback("GhosttyTerminalBellFn")  # type: ignore[untyped-decorator]
def _on_bell(_terminal: Any, userdata: Any) -> None:
    sink = ffi.from_handle(userdata)
    sink.bell = sink.has_effects = True


@ffi.callback("GhosttyTerminalTitleChangedFn")  # type: ignore[untyped-decorator]
def _on_title(_terminal: Any, userdata: Any) -> None:
    sink = ffi.from_handle(userdata)
    sink.title = sink.has_effects = True


@ffi.callback("GhosttyTerminalXtversionFn")  # type: ignore[untyped-decorator]
def _on_xtversion(_terminal: Any, _userdata: Any) -> Any:
    return _VERSION_STRING[0]


@ffi.callback("GhosttyTerminalSizeFn")  # type: ignore[untyped-decorator]
def _on_size(_terminal: Any, userdata: Any, out: Any) -> bool:
    sink = ffi.from_handle(userdata)
    out.columns, out.rows = sink.cols, sink.rows
    out.cell_width, out.cell_height = CELL_WIDTH, CELL_HEIGHT
    return True


@ffi.callback("GhosttyTerminalColorSchemeFn")  # type: ignore[untyped-decorator]
def _on_color_scheme(_terminal: Any, _userdata: Any, out: Any) -> bool:
    out[0] = lib.GHOSTTY_COLOR_SCHEME_DARK
    return True


@ffi.callback("GhosttyTerminalDeviceAttributesFn")  # type: ignore[untyped-decorator]
def _on_device_attributes(_terminal: Any, _userdata: Any, out: Any) -> bool:
    # A VT220 (62) with ANSI color (22), as Ghostty itself reports; programs support it.
    out.primary.conformance_level = 62
    out.primary.features[0] = 22
    out.primary.num_features = 1
    out.secondary.device_type, out.secondary.firmware_version = 1, 10
    out.secondary.rom_cartridge = out.tertiary.unit_id = 0
    return True


_CALLBACKS = {
    "GHOSTTY_TERMINAL_OPT_WRITE_PTY": _on_write,
    "GHOSTTY_TERMINAL_OPT_BELL": _on_bell,
    "GHOSTTY_TERMINAL_OPT_TITLE_CHANGED": _on_title,
    "GHOSTTY_TERMINAL_OPT_XTVERSION": _on_xtversion,
    "GHOSTTY_TERMINAL_OPT_SIZE": _on_size,
    "GHOSTTY_TERMINAL_OPT_COLOR_SCHEME": _on_color_scheme,
    "GHOSTTY_TERMINAL_OPT_DEVICE_ATTRIBUTES": _on_device_attributes,
}


def check(result: int, what: str) -> None:
    """Raise MemoryError or GhosttyError if a library call failed."""
    if result == lib.GHOSTTY_OUT_OF_MEMORY:
        raise MemoryError(what)
    if result != lib.GHOSTTY_SUCCESS:
        raise GhosttyError(f"libghostty-vt: {what} failed ({result})")


def sized(ctype: str) -> Any:
    """Return a new struct whose size fields are set, in nested structs too."""
    pointer = ffi.new(f"{ctype}*")
    _set_sizes(pointer)
    return pointer


def _set_sizes(pointer: Any) -> None:
    ctype = ffi.typeof(pointer).item
    for name, field in ctype.fields:
        if name == "size":
            pointer.size = ffi.sizeof(ctype)
        elif field.type.kind == "struct":
            _set_sizes(ffi.addressof(pointer[0], name))


def write(terminal: Any, data: bytes) -> None:
    """Feed bytes to a terminal."""
    lib.ghostty_terminal_vt_write(terminal, data, len(data))


def set_size_option(terminal: Any, option: str, value: int | None) -> None:
    """Set an option of type ``size_t``; None removes the limit."""
    pointer = ffi.NULL if value is None else ffi.new("size_t*", value)
    check(lib.ghostty_terminal_set(terminal, getattr(lib, f"GHOSTTY_TERMINAL_OPT_{option}"), pointer), option)


def new_terminal(cols: int, rows: int) -> Any:
    """Return a terminal that is freed with its pointer, or by ``ffi.release``."""
    out = ffi.new("GhosttyTerminal*")
    check(lib.ghostty_terminal_new(ffi.NULL, out, cols, rows), "terminal_new")
    terminal = ffi.gc(out[0], lib.ghostty_terminal_free)
    set_size_option(terminal, "CONTINUATION_MAX_BYTES", CONTINUATION_MAX_BYTES)
    return terminal


def configure(terminal: Any, sink: Sink) -> Any:
    """Install callbacks and the values that the terminal reports.

    Returns:
        The handle of ``sink``; it must live as long as the terminal is used.
    """
    handle = ffi.new_handle(sink)
    check(lib.ghostty_terminal_set(terminal, lib.GHOSTTY_TERMINAL_OPT_USERDATA, handle), "set userdata")
    for option, callback in _CALLBACKS.items():
        check(lib.ghostty_terminal_set(terminal, getattr(lib, option), callback), option)
    for option, (red, green, blue) in _COLORS.items():
        color = ffi.new("GhosttyColorRgb*", {"r": red, "g": green, "b": blue})
        check(lib.ghostty_terminal_set(terminal, getattr(lib, option), color), option)
    name = ffi.from_buffer("uint8_t[]", _TERMINFO_NAME)
    terminfo = ffi.new("GhosttyString*", {"ptr": name, "len": len(_TERMINFO_NAME)})
    check(lib.ghostty_terminal_set(terminal, lib.GHOSTTY_TERMINAL_OPT_TERMINFO_NAME, terminfo), "set terminfo")
    # Images and glyph uploads are not supported; refusing them bounds memory.
    none = ffi.new("uint64_t*", 0)
    check(lib.ghostty_terminal_set(terminal, lib.GHOSTTY_TERMINAL_OPT_KITTY_IMAGE_STORAGE_LIMIT, none), "kitty")
    no = ffi.new("bool*", False)
    check(lib.ghostty_terminal_set(terminal, lib.GHOSTTY_TERMINAL_OPT_GLYPH_PROTOCOL, no), "glyph protocol")
    set_size_option(terminal, "APC_MAX_BYTES", CONTINUATION_MAX_BYTES)
    return handle


def encode_snapshot(terminal: Any) -> bytes | None:
    """Return the terminal as bytes, or None if the library cannot encode its state."""
    return _allocated(lib.ghostty_snapshot_encode_alloc, terminal)


def continuation(terminal: Any) -> bytes | None:
    """Return the bytes of the current sequence, empty between sequences; None if there were too many to keep."""
    return _allocated(lib.ghostty_terminal_continuation_alloc, terminal)


def _allocated(function: Any, terminal: Any) -> bytes | None:
    """Return the bytes that a function allocates, or None if it refuses."""
    out, size = ffi.new("uint8_t**"), ffi.new("size_t*")
    result = function(terminal, ffi.NULL, out, size)
    if result == lib.GHOSTTY_INVALID_VALUE:
        return None
    check(result, "encoding the terminal")
    data: bytes = ffi.buffer(out[0], size[0])[:] if size[0] else b""
    lib.ghostty_free(ffi.NULL, out[0], size[0])
    return data


def decode_snapshot(data: bytes) -> Any:
    """Restore a terminal from ``encode_snapshot``; it is freed like a terminal of ``new_terminal``.

    Raises:
        ValueError: The bytes are not a snapshot of this version of the library.
    """
    out = ffi.new("GhosttySnapshotDecoder*")
    source = ffi.from_buffer("uint8_t[]", data)
    check(lib.ghostty_snapshot_decoder_new_buf(ffi.NULL, out, source, len(data)), "snapshot_decoder_new")
    decoder = ffi.gc(out[0], lib.ghostty_snapshot_decoder_free)
    try:
        limit = ffi.new("size_t*", CONTINUATION_MAX_BYTES)
        keep = ffi.new("bool*", True)
        for option, value in (
            (lib.GHOSTTY_SNAPSHOT_DECODER_OPT_MAX_CONTINUATION_BYTES, limit),
            (lib.GHOSTTY_SNAPSHOT_DECODER_OPT_RETAIN_CONTINUATION, keep),
        ):
            check(lib.ghostty_snapshot_decoder_set(decoder, option, value), "snapshot_decoder_set")
        terminal = ffi.new("GhosttyTerminal*")
        if lib.ghostty_snapshot_decoder_decode(decoder, terminal) != lib.GHOSTTY_SUCCESS:
            raise ValueError("the data is not a terminal snapshot of this version of libghostty-vt")
        return ffi.gc(terminal[0], lib.ghostty_terminal_free)
    finally:
        ffi.release(decoder)

"""Load libghostty-vt from pyghostty, with only the declarations that the engine uses.

cffi takes a fifth of a second to parse pyghostty's C declarations, which would delay the start of the service. So the
functions named here, and the types they need, are parsed ahead of time: ``declarations`` is cffi's compiled form. It is
used only if it matches the installed pyghostty; otherwise the declarations are parsed at runtime. pyghostty itself is
not imported.

After a new release of pyghostty, regenerate it with ``python -m phux_core.engine.ghostty.binding PATH``.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import zlib
from typing import Any

_USED = """
ghostty_cell_get ghostty_free ghostty_grid_ref_cell ghostty_grid_ref_graphemes ghostty_grid_ref_row
ghostty_grid_ref_style ghostty_key_encoder_encode ghostty_key_encoder_new
ghostty_key_encoder_setopt_from_terminal ghostty_key_event_new ghostty_key_event_set_action
ghostty_key_event_set_consumed_mods ghostty_key_event_set_key ghostty_key_event_set_mods
ghostty_key_event_set_unshifted_codepoint ghostty_key_event_set_utf8 ghostty_render_state_clean
ghostty_render_state_free ghostty_render_state_get ghostty_render_state_new ghostty_render_state_row_get
ghostty_render_state_row_iterator_free ghostty_render_state_row_iterator_new ghostty_render_state_row_iterator_next
ghostty_render_state_row_iterator_next_dirty ghostty_render_state_update
ghostty_row_get ghostty_snapshot_decoder_decode ghostty_snapshot_decoder_free ghostty_snapshot_decoder_new_buf
ghostty_snapshot_decoder_set ghostty_snapshot_encode_alloc ghostty_terminal_continuation_alloc ghostty_terminal_free
ghostty_terminal_get ghostty_terminal_grid_ref ghostty_terminal_new ghostty_terminal_resize
ghostty_terminal_scroll_viewport ghostty_terminal_selection_format_alloc ghostty_terminal_set
ghostty_terminal_vt_write
GhosttyCellContentTag GhosttyCellSemanticContent GhosttyCellWide GhosttyCellsView GhosttyColorScheme GhosttyKeyAction
GhosttyPointTag GhosttyRowSemanticPrompt
GhosttyRenderStateCursorVisualStyle GhosttyTerminalBellFn GhosttyTerminalColorSchemeFn
GhosttyTerminalDeviceAttributesFn GhosttyTerminalModeConfig GhosttyTerminalScrollViewportTag GhosttyTerminalSizeFn
GhosttyTerminalTitleChangedFn GhosttyTerminalWritePtyFn GhosttyTerminalXtversionFn
"""

# ABI-mode cffi cannot pass unions by value; these structs have the layout of GhosttyPoint and
# GhosttyTerminalScrollViewport, which are passed in memory on all platforms with wheels.
_TWINS = """
typedef struct { int tag; int gap; uint16_t x; uint32_t y; uint64_t pad; } PhuxPoint;
typedef struct { int tag; int gap; size_t row; uint64_t pad; } PhuxScroll;
"""

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_BOUNDARY = re.compile(r"[{};]")
_NAME = re.compile(r"\b[Gg]hostty\w+")
# The name that a declaration defines: a function, a pointer to one, or the end of a typedef.
_FUNCTION = re.compile(r"\b(ghostty_\w+)\s*\(")
_POINTER = re.compile(r"\(\s*\*\s*(Ghostty\w+)\s*\)")
_TYPE = re.compile(r"(Ghostty\w+)\s*(?:\[\w+\])?;\Z")


def load() -> tuple[Any, Any]:
    """Declare and open the library.

    Returns:
        cffi's ``ffi`` and ``lib``.

    Raises:
        ImportError: pyghostty is not installed, or is incompatible.
    """
    directory = _directory()
    ffi = _compiled(directory) or _parsed(directory)
    try:
        return ffi, ffi.dlopen(os.environ.get("PYGHOSTTY_LIB") or _library(os.path.join(directory, "_lib")))
    except OSError as error:
        raise ImportError(f"cannot load libghostty-vt: {error}") from error


def compile_declarations(path: str) -> None:
    """Write the module of compiled declarations."""
    directory = _directory()
    ffi = _parsed(directory)
    ffi.set_source("declarations", None)
    ffi.emit_python_code(path)
    with open(path, "a", encoding="ascii") as module:
        module.write(f"CHECKSUM = {_checksum(directory)}\n")


def _compiled(directory: str) -> Any:
    """Return the compiled declarations, or None if they do not match pyghostty's."""
    try:
        from phux_core.engine.ghostty import declarations
    except ImportError:  # the compiled form does not match the cffi version
        return None
    return declarations.ffi if _checksum(directory) == declarations.CHECKSUM else None


def _parsed(directory: str) -> Any:
    import cffi

    ffi = cffi.FFI()
    ffi.cdef(reduce(_declarations(directory), _USED.split()) + _TWINS)
    return ffi


def _checksum(directory: str) -> int:
    try:
        with open(os.path.join(directory, "_cdef.py"), "rb") as declarations:
            return zlib.crc32(declarations.read())
    except OSError as error:
        raise ImportError("pyghostty's C declarations were not found") from error


def reduce(declarations: str, used: list[str]) -> str:
    """Return only the C declarations that the used names need.

    Raises:
        ImportError: A name is not declared.
    """
    parts = list(_split(_COMMENT.sub("", declarations)))
    places: dict[str, int] = {}
    for place, part in enumerate(parts):
        match = _TYPE.search(part) or _POINTER.search(part) if "typedef" in part else _FUNCTION.search(part)
        if match is not None:
            places.setdefault(match[1], place)
    wanted: set[int] = set()
    names = list(used)
    while names:
        name = names.pop()
        if name not in places:
            raise ImportError(f"libghostty-vt has no {name}")
        place = places[name]
        if place not in wanted:
            wanted.add(place)
            names += [other for other in _NAME.findall(parts[place]) if other in places]
    return "\n".join(parts[place] for place in sorted(wanted))


def _split(text: str) -> list[str]:
    """Split declarations at semicolons outside of braces."""
    parts, depth, start = [], 0, 0
    for match in _BOUNDARY.finditer(text):
        if match[0] == ";" and depth == 0:
            parts.append(text[start : match.end()])
            start = match.end()
        depth += {"{": 1, "}": -1}.get(match[0], 0)
    return parts


def _directory() -> str:
    found = importlib.util.find_spec("pyghostty")
    if found is None or found.origin is None:
        raise ImportError("pyghostty is not installed")
    return os.path.dirname(found.origin)


def _declarations(directory: str) -> str:
    path = os.path.join(directory, "_cdef.py")
    found = importlib.util.spec_from_file_location("_phux_ghostty_declarations", path)
    if found is None or found.loader is None or not os.path.exists(path):
        raise ImportError("pyghostty's C declarations were not found")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return str(module.CDEF)


def _library(directory: str) -> str:
    names = [name for name in os.listdir(directory) if name.startswith("libghostty-vt.")]
    if not names:
        raise ImportError("pyghostty's shared library was not found")
    return os.path.join(directory, names[0])


if __name__ == "__main__":
    compile_declarations(sys.argv[1])

"""Compile the declarations of libghostty-vt that the ghostty engine uses.

cffi takes a fifth of a second to parse pyghostty's C declarations, which would delay the start of the service. This
script parses the functions named here, and the types they need, ahead of time. Run it for each release of pyghostty:
``python tests/support/ghostty_declarations.py phux_core/engine/ghostty/declarations.py``.
"""

import re
import sys
import zlib

import cffi
from pyghostty import _cdef

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

# cffi cannot pass unions by value without a compiler; these structs have the layout of GhosttyPoint and
# GhosttyTerminalScrollViewport, which are passed in memory on all platforms with wheels.
_TWINS = """
typedef struct { int tag; int gap; uint16_t x; uint32_t y; uint64_t pad; } PhuxPoint;
typedef struct { int tag; int gap; size_t row; uint64_t pad; } PhuxScroll;
"""

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_BOUNDARY = re.compile(r"[{};]")
_NAME = re.compile(r"\b[Gg]hostty\w+")
# The name that a declaration defines: of a function, of a function pointer, or at the end of a typedef.
_FUNCTION = re.compile(r"\b(ghostty_\w+)\s*\(")
_POINTER = re.compile(r"\(\s*\*\s*(Ghostty\w+)\s*\)")
_TYPE = re.compile(r"(Ghostty\w+)\s*(?:\[\w+\])?;\Z")


def parse():
    """Return an ``ffi`` with the declarations, parsed from those of the installed pyghostty."""
    ffi = cffi.FFI()
    ffi.cdef(reduce(_cdef.CDEF, _USED.split()) + _TWINS)
    return ffi


def write(path):
    """Write the module of compiled declarations."""
    ffi = parse()
    ffi.set_source("declarations", None)
    ffi.emit_python_code(path)
    with open(_cdef.__file__, "rb") as declarations:
        checksum = zlib.crc32(declarations.read())
    with open(path, "a", encoding="ascii") as module:
        module.write(f"CHECKSUM = {checksum}\n")


def reduce(declarations, used):
    """Return only the C declarations that the used names need."""
    parts = list(_split(_COMMENT.sub("", declarations)))
    places = {}
    for place, part in enumerate(parts):
        match = _TYPE.search(part) or _POINTER.search(part) if "typedef" in part else _FUNCTION.search(part)
        if match is not None:
            places.setdefault(match[1], place)
    wanted = set()
    names = list(used)
    while names:
        name = names.pop()
        place = places[name]
        if place not in wanted:
            wanted.add(place)
            names += [other for other in _NAME.findall(parts[place]) if other in places]
    return "\n".join(parts[place] for place in sorted(wanted))


def _split(text):
    """Split declarations at semicolons outside of braces."""
    parts, depth, start = [], 0, 0
    for match in _BOUNDARY.finditer(text):
        if match[0] == ";" and depth == 0:
            parts.append(text[start : match.end()])
            start = match.end()
        depth += {"{": 1, "}": -1}.get(match[0], 0)
    return parts


if __name__ == "__main__":
    write(sys.argv[1])

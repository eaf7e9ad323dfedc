"""The compiled declarations match libghostty-vt, and cells have the layout that the engine expects."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("pyghostty")

import ghostty_declarations

from phux_core.engine.ghostty import grid, native
from phux_core.engine.ghostty.native import ffi, lib

ENGINE = Path(native.__file__).parent
OURS = {"GhosttyEngine", "GhosttyError"}


def names(pattern):
    text = "".join(path.read_text() for path in ENGINE.glob("*.py"))
    return set(re.findall(pattern, text)) - OURS


def test_every_function_and_constant_used_by_the_engine_is_declared():
    for name in names(r"\blib\.(\w+)"):
        assert hasattr(lib, name), name


def test_every_type_used_by_the_engine_is_declared():
    for name in names(r"\bGhostty\w+"):
        assert ffi.typeof(name), name


def test_the_compiled_declarations_match_the_installed_library():
    parsed = ghostty_declarations.parse()
    for name in names(r"\bGhostty\w+"):
        assert parsed.getctype(name) == ffi.getctype(name)
        if parsed.typeof(name).kind == "struct":
            assert [(field, kind.offset) for field, kind in parsed.typeof(name).fields] == [
                (field, kind.offset) for field, kind in ffi.typeof(name).fields
            ]


def test_another_release_of_pyghostty_is_refused(monkeypatch):
    monkeypatch.setattr(native.declarations, "CHECKSUM", 0)
    with pytest.raises(ImportError, match="release of pyghostty"):
        native._load()


@pytest.mark.parametrize(
    ("twin", "real", "first"),
    [("PhuxPoint", "GhosttyPoint", "x"), ("PhuxScroll", "GhosttyTerminalScrollViewport", "row")],
)
def test_structs_that_stand_for_unions_have_their_layout(twin, real, first):
    assert (ffi.sizeof(twin), ffi.offsetof(twin, first)) == (ffi.sizeof(real), ffi.offsetof(real, "value"))


def cell(bits, data):
    """Return a field of a packed cell, as the library reads it."""
    out = ffi.new("uint32_t*")
    lib.ghostty_cell_get(bits, data, out)
    return out[0]


def row(bits, data):
    """Return a field of a packed row, as the library reads it."""
    out = ffi.new("uint32_t*")
    lib.ghostty_row_get(bits, data, out)
    return out[0]


def test_cells_and_rows_are_packed_as_the_grid_reads_them():
    background = grid.TAG_BACKGROUND
    tag = lib.GHOSTTY_CELL_DATA_CONTENT_TAG
    assert cell(0x10FFFF << grid.CONTENT_SHIFT, lib.GHOSTTY_CELL_DATA_CODEPOINT) == 0x10FFFF
    assert cell(1, tag) == lib.GHOSTTY_CELL_CONTENT_CODEPOINT_GRAPHEME
    assert cell(background, tag) == lib.GHOSTTY_CELL_CONTENT_BG_COLOR_PALETTE
    assert cell(background | 1, tag) == lib.GHOSTTY_CELL_CONTENT_BG_COLOR_RGB
    assert cell(background | 0xAB << grid.CONTENT_SHIFT, lib.GHOSTTY_CELL_DATA_COLOR_PALETTE) == 0xAB
    assert cell(background | 1 | 0x332211 << grid.CONTENT_SHIFT, lib.GHOSTTY_CELL_DATA_COLOR_RGB) == 0x332211
    assert cell(0xBEEF << grid.STYLE_SHIFT, lib.GHOSTTY_CELL_DATA_STYLE_ID) == 0xBEEF
    assert cell(2 << grid.WIDE_SHIFT, lib.GHOSTTY_CELL_DATA_WIDE) == lib.GHOSTTY_CELL_WIDE_SPACER_TAIL
    semantic = lib.GHOSTTY_CELL_DATA_SEMANTIC_CONTENT
    assert cell(2 << grid.SEMANTIC_SHIFT, semantic) == lib.GHOSTTY_CELL_SEMANTIC_PROMPT
    assert row(grid.ROW_WRAPPED, lib.GHOSTTY_ROW_DATA_WRAP) == 1
    assert row(grid.ROW_STYLED, lib.GHOSTTY_ROW_DATA_STYLED) == 1
    prompt = lib.GHOSTTY_ROW_DATA_SEMANTIC_PROMPT
    assert row(grid.ROW_PROMPT, prompt) == lib.GHOSTTY_ROW_SEMANTIC_PROMPT

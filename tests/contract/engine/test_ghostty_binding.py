"""The binding declares exactly the parts of libghostty-vt that the engine uses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("pyghostty")

from phux_core.engine.ghostty import binding
from phux_core.engine.ghostty.native import ffi, lib

ENGINE = Path(binding.__file__).parent
OURS = {"GhosttyEngine", "GhosttyError"}
DECLARATIONS = """
typedef enum { GHOSTTY_ONE = 1, } GhosttyOne;
typedef struct { int a; GhosttyOne one; } GhosttyTwo;
typedef void (*GhosttyCall)(GhosttyTwo*, int);
typedef struct { int b; } GhosttyUnused;
/* a comment; with a semicolon */
GhosttyOne ghostty_used(GhosttyCall call);
void ghostty_unused(GhosttyUnused* unused);
"""


def names(pattern):
    text = "".join(path.read_text() for path in ENGINE.glob("*.py") if path.stem != "binding")
    return set(re.findall(pattern, text)) - OURS


def test_every_function_and_constant_used_by_the_engine_is_declared():
    for name in names(r"\blib\.(\w+)"):
        assert hasattr(lib, name), name


def test_every_type_used_by_the_engine_is_declared():
    for name in names(r"\bGhostty\w+"):
        assert ffi.typeof(name), name


def test_reduce_keeps_only_the_used_names_and_their_dependencies():
    reduced = binding.reduce(DECLARATIONS, ["ghostty_used"])
    assert set(re.findall(r"[Gg]hostty\w+", reduced)) == {"ghostty_used", "GhosttyCall", "GhosttyTwo", "GhosttyOne"}


def test_a_name_missing_from_the_library_raises_import_error():
    with pytest.raises(ImportError, match="ghostty_gone"):
        binding.reduce(DECLARATIONS, ["ghostty_gone"])


def test_the_compiled_declarations_match_the_installed_library():
    """If they differ, each start takes 150 ms longer; update with ``python -m phux_core.engine.ghostty.binding PATH``."""
    directory = binding._directory()
    compiled, parsed = binding._compiled(directory), binding._parsed(directory)
    assert compiled is ffi
    for name in names(r"\bGhostty\w+"):
        assert parsed.getctype(name) == compiled.getctype(name)
        if parsed.typeof(name).kind == "struct":
            assert [(field, kind.offset) for field, kind in parsed.typeof(name).fields] == [
                (field, kind.offset) for field, kind in compiled.typeof(name).fields
            ]


def test_declarations_of_another_release_are_parsed_at_runtime(tmp_path):
    directory = Path(binding._directory())
    (tmp_path / "_cdef.py").write_text((directory / "_cdef.py").read_text() + "\n# a newer release\n")
    assert binding._compiled(str(tmp_path)) is None
    assert binding._parsed(str(tmp_path)).typeof("GhosttyTerminal")

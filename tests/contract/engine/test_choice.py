"""Choosing and creating engines."""

import subprocess
import sys

import pytest

from phux_core import engine as engines


def test_an_engine_requested_by_name_is_chosen(engine_name):
    assert engines.choose(engine_name) == engine_name


@pytest.mark.parametrize("requested", [None, ""])
def test_an_engine_is_chosen_if_none_is_requested(requested):
    assert engines.choose(requested) in engines.ENGINES


def test_the_error_for_an_unknown_name_lists_the_engines():
    with pytest.raises(ValueError, match="ghostty, pyte"):
        engines.choose("xterm")
    with pytest.raises(ValueError, match="ghostty, pyte"):
        engines.create("xterm", 80, 24)


@pytest.mark.parametrize("size", [(0, 24), (80, 0), (1001, 24), (80, 1001)])
def test_a_size_out_of_range_is_refused(engine, size):
    with pytest.raises(ValueError):
        engine(*size)


def test_importing_the_package_imports_no_backend():
    code = "import sys, phux_core.engine; print([m for m in sys.modules if m.split('.')[0] in ('pyghostty', 'cffi', 'pyte')])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_the_log_gives_the_reason_why_ghostty_is_not_used(monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "phux_core.engine.ghostty.engine", None)
    assert engines.choose(None) == "pyte"
    assert "import of phux_core.engine.ghostty.engine halted" in caplog.text

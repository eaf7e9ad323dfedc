"""Screenshots of real panes, through the CLI and the library, and in a real browser."""

import json
import shutil

import pytest
from playwright.sync_api import sync_playwright

from phux_client import CellStyle, DefaultColor, blocking
from phux_core.errors import BadRequestError

pytestmark = pytest.mark.slow

STYLED = r"""printf '\033[1mbold\033[m \033[31;44mcolor\033[m \033[4:3;58;5;1mcurly\033[m \033[7minverse\033[m\n'
printf '┌─┬─┐ ╔═╗ ▒█▀\n│ │ │ ║ ║ naïve é 日本 <&>\n'"""
FLAGS = ("bold", "faint", "italic", "underline", "blink", "inverse", "invisible", "strikethrough", "overline")
PLAIN = CellStyle(**dict.fromkeys(FLAGS, False), fg=DefaultColor(), bg=DefaultColor())
CHROMIUM = shutil.which("chromium")


@pytest.fixture(params=["ghostty", "pyte"])
def pane(request):
    with blocking.embedded(engine=request.param) as phux:
        pane = phux.new_session(
            "work", command=["sh"], env={"PS1": "$ ", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
        ).pane
        pane.run(STYLED)
        yield pane


def test_underline_styles_and_the_cursor_shape_are_in_the_screen(pane):
    pane.run(r"printf '\033[5 q'; clear; printf '\033[4ms\033[4:2md\033[4:3mc\033[58;2;1;2;3mr\033[m\n'")
    screen = pane.snapshot(cells=True)
    row = next(y for y, line in enumerate(screen.lines) if line == "sdcr")
    styles = [cell.style for cell in screen.cells if cell.row == row]
    assert [style.underline for style in styles] == [True] * 4
    assert [style.underline_style for style in styles] == [None, "double", "curly", "curly"]
    assert [style.underline_color and style.underline_color.kind for style in styles] == [None, None, None, "rgb"]
    assert screen.cursor_shape == "bar"


def test_every_format_shows_the_screen(pane):
    lines = pane.snapshot().lines
    assert pane.screenshot("text") == "".join(f"{line}\n" for line in lines)
    assert "\x1b[38;5;1;48;5;4mcolor\x1b[m" in pane.screenshot("ansi")
    assert "inverse" in pane.screenshot("svg")
    assert "naïve" in pane.screenshot("html", theme="light")
    assert pane.screenshot("png").startswith(b"\x89PNG")
    with pytest.raises(BadRequestError):
        pane.screenshot("gif")


def test_the_rows_with_escape_sequences_draw_the_same_cells_again(pane, tmp_path):
    drawn = tmp_path / "drawn"
    drawn.write_text(pane.screenshot("ansi").rstrip("\n"))
    before = pane.snapshot(cells=True)
    pane.run(f"clear; cat {drawn}")
    after = pane.snapshot(cells=True)
    marked = [cell for cell in before.cells if cell.style != PLAIN]
    assert marked
    assert [cell for cell in after.cells if cell.style != PLAIN][: len(marked)] == marked


def test_svg_and_html_look_the_same_in_a_browser(pane, tmp_path):
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    for name in ("svg", "html"):
        (tmp_path / f"screen.{name}").write_text(pane.screenshot(name))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 688, "height": 424})
        pixels = {}
        for name in ("svg", "html"):
            page.goto(f"file://{tmp_path}/screen.{name}")
            pixels[name] = page.screenshot()
        text = page.evaluate("getSelection().selectAllChildren(document.body) || getSelection().toString()")
        browser.close()
    assert text.splitlines() == pane.screenshot("text").splitlines()[: len(text.splitlines())]
    assert "│ │ │ ║ ║ naïve é 日本 <&>" in text
    assert pixels["svg"] == pixels["html"]
    assert len(set(pixels["html"])) > 100  # not a blank page


@pytest.mark.parametrize("picture", ["text", "ansi", "html", "svg", "png", "json"])
def test_the_cli_prints_a_picture_or_the_document(cli, picture):
    cli("new", "-d", "-s", "work", "--shell", "/bin/sh")
    cli("run", "work", "echo picture")
    out = cli("snapshot", "work", "--format", picture).bytes
    if picture == "json":
        assert "picture" in json.loads(out)["lines"]
    elif picture == "png":
        assert out.startswith(b"\x89PNG")
    else:
        assert b"picture" in out

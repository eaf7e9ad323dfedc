"""Exported recordings: casts in the official player, and the CLI and the library with good and bad input."""

from __future__ import annotations

import base64
import json
import os
import re
import sys
import zlib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from browsers import chromium
from outers import PHUX, OwnTerminal, environment
from phux_client import blocking, connect, flows, stored_logs
from phux_client.export import FORMATS
from phux_client.export.text import row_text
from phux_core.errors import BadRequestError, NoSuchTargetError
from servers import Cli, embedded_server, eventually

PLAYER = Path(sys.prefix) / "player" / "node_modules" / "asciinema-player" / "dist" / "bundle"
COLORED = r"printf '\033[31mred\033[m naïve 日本 \033]52;c;%s\007end\n' $(printf %09d 0)"


@pytest.fixture
def phux():
    with embedded_server() as server, blocking.connect(server.socket) as connected:
        yield connected


@pytest.fixture
def pane(phux):
    pane = phux.new_session("work", command=["bash"], size=(60, 10)).pane
    pane.wait(state="prompt", timeout_s=20)
    return pane


def export_stored(target, *words, root, **options):
    return stored_logs.drive(flows.export(stored_logs.CALLER, target, *words, **options), root)


def log_directory(phux, pane):
    logs = phux.status().logs
    return Path(logs.directory, logs.server, f"pane-{pane.id}")


def shown(page):
    """Return the rows of the last frame of a page."""
    (packed,) = re.findall(r'id="recording">([^<]*)<', page)
    recording = json.loads(zlib.decompress(base64.b64decode(packed)))
    screen = []
    for _ms, _seq, _cursor, changes, size in recording["frames"]:
        screen = [0] * size[1] if size else screen
        for first, *numbers in changes:
            screen[first : first + len(numbers)] = numbers
    return [row_text(recording["rows"][number]) for number in screen]


def events(cast):
    header, *rest = map(json.loads, cast.splitlines())
    return header, rest


# Casts

PLAY = """async cast => {
  const player = AsciinemaPlayer.create({ data: cast }, document.body, { fit: false, terminalFontFamily: "monospace" });
  await player.play();
  await player.pause();
  await player.seek("100%");
  return [await player.getDuration(), await player.getCurrentTime()];
}"""


@pytest.mark.skipif(not PLAYER.exists(), reason="npm's asciinema-player is not installed; .ci/run installs it")
@pytest.mark.parametrize("version", [2, 3])
def test_the_official_player_shows_the_screen_of_the_pane(pane, version):
    pane.run("seq 1 1000; clear")
    pane.run(COLORED)
    pane.resize(cols=50, rows=8)
    pane.run("echo half; false")
    middle = pane.snapshot().seq
    pane.run("echo more")
    whole, part = (pane.export("cast", cast_version=version, start=start) for start in (None, middle))
    lines = pane.snapshot().lines
    assert "more" in lines
    with chromium() as browser:
        for cast in (whole, part):
            page = browser.new_page()
            problems = []
            page.on("pageerror", lambda error: problems.append(str(error)))  # noqa: B023
            page.add_style_tag(path=PLAYER / "asciinema-player.css")
            page.add_script_tag(path=PLAYER / "asciinema-player.js")
            duration, reached = page.evaluate(PLAY, cast)
            last = [line.rstrip() for line in lines if line.strip()][-1]
            page.wait_for_function("text => document.querySelector('.ap-term').textContent.includes(text)", arg=last)
            shown = page.locator(".ap-line").all_text_contents()
            assert [line.rstrip() for line in shown][: len(lines)] == [line.rstrip() for line in lines]
            assert (problems, duration) == ([], reached)


@pytest.mark.parametrize("version", [2, 3])
def test_a_cast_has_markers_sizes_and_typed_input_but_no_clipboard(pane, version):
    pane.run(COLORED)
    pane.act("echo typed", "Enter", state="prompt", timeout_s=10)
    pane.resize(cols=44, rows=11)
    pane.run("true")
    header, found = events(pane.export("cast", cast_version=version))
    by_kind = {kind: [text for _time, each, text in found if each == kind] for kind in "omir"}
    size = header["term"] if version == 3 else {"cols": header["width"], "rows": header["height"]}
    assert (header["version"], size) == (version, {"cols": 60, "rows": 10})
    assert by_kind["m"] == [COLORED, "echo typed", "true"]
    assert "44x11" in by_kind["r"]
    assert "echo typed\r" in "".join(by_kind["i"])
    assert "naïve 日本 " in "".join(by_kind["o"])
    assert "000000000" not in "".join(by_kind["o"])
    assert "7748" not in "".join(by_kind["o"])


def test_a_part_of_a_cast_begins_with_the_screen_and_has_only_its_own_output(pane):
    pane.run("echo before")
    before = pane.snapshot().seq
    pane.run("echo between")
    after = pane.snapshot().seq
    pane.run("echo after")
    _header, found = events(pane.export("cast", start=before, end=after))
    painted, *rest = (text for _time, kind, text in found if kind == "o")
    assert "before" in painted
    assert "between" in "".join(rest)
    assert "after" not in "".join(rest)


# Everywhere


def test_the_command_exports_closed_panes_also_without_a_server(runtime, tmp_path):
    cli = Cli(str(runtime / "phux.sock"), tmp_path, {"XDG_STATE_HOME": str(tmp_path / "state")})
    try:
        cli.json("new", "-d", "-s", "work", "--", "bash")
        cli.json("run", "work", "echo hello")
        assert cli("export", "work", "--format", "cast", "-o", "open.cast").code == 0
        cli.json("new", "-d", "-s", "other", "--", "bash")
        cli.json("kill", "work")
        assert cli("export", "@1", "--format", "html", "-o", "closed.html").code == 0
    finally:
        cli("kill", "--server")
    eventually(lambda: cli("ls").code == 1)
    printed = cli("export", "@1", "--format", "cast", "--cast-version", "3")
    assert (printed.code, printed.err) == (0, "")
    assert cli("export", "work", "--format", "html", "--output", "gone.html").code == 0
    for name in ("closed.html", "gone.html"):
        assert (tmp_path / name).read_text().startswith("<!doctype html>")
    for cast in ((tmp_path / "open.cast").read_text(), printed.out):
        assert "hello" in "".join(text for _time, kind, text in events(cast)[1] if kind == "o")


def test_the_library_exports_panes_that_are_gone_and_stored_logs(phux, pane):
    pane.run("echo hello")
    log = pane.logs().log
    with_server = pane.export()
    directory = phux.status().logs.directory
    pane.kill()
    assert phux.export(log, end="-0s").startswith("<!doctype html>")
    assert export_stored(log, root=directory).startswith("<!doctype html>")
    assert with_server.startswith("<!doctype html>")
    header, found = events(export_stored(log, "cast", cast_version=3, root=directory))
    assert header["version"] == 3
    assert "hello" in "".join(text for _time, kind, text in found if kind == "o")


@pytest.mark.anyio
async def test_the_async_client_exports_in_any_loop():
    with embedded_server() as server:
        async with connect(server.socket) as phux:
            pane = (await phux.new_session("work", command=["bash"])).pane
            await pane.run("echo hello")
            assert (await pane.export()).startswith("<!doctype html>")
            assert (await phux.export("work", "cast", cast_version=3)).startswith('{"version": 3')


def test_a_recording_is_not_printed_on_a_terminal(phux, pane):
    pane.run("echo hello")
    with OwnTerminal([PHUX, "export", "work", "--format", "html"], environment(phux.socket)) as terminal:
        terminal.shows("use -o FILE")
        assert terminal.wait() == 2


# Bad input


def test_wrong_options_are_refused_with_those_that_exist(phux, pane, tmp_path):
    pane.run("true")
    cli = Cli(phux.socket, tmp_path)
    for words, problem in (
        (("--format", "gif"), "'cast', 'html'"),
        ((), "--format"),
        (("--format", "cast", "--cast-version", "1"), "2, 3"),
        (("--format", "html", "--cast-version", "3"), "--cast-version is for casts"),
        (("--format", "html", "--from", "yesterday"), "is not a moment"),
        (("--format", "html", "--from", "-1d"), "before the start"),
        (("--format", "html", "--to", "99999999"), "the log ends at"),
        (("--format", "cast", "--from", "-0s", "--to", "+0s"), "the start of the recording is after its end"),
    ):
        refused = cli("export", "work", *words)
        assert (refused.code, refused.out, problem in refused.err) == (2, "", True), refused.err
    missing = cli("export", "nothing", "--format", "html")
    assert (missing.code, "nothing" in missing.err) == (1, True)
    unwritable = cli("export", "work", "--format", "html", "-o", "missing/work.html")
    assert (unwritable.code, "cannot write 'missing/work.html'" in unwritable.err) == (1, True)
    for wrong in ({"format": "gif"}, {"format": "cast", "cast_version": 1}, {"start": True}, {"start": -1}):
        with pytest.raises(BadRequestError):
            pane.export(**wrong)
    with pytest.raises(BadRequestError, match="before the start") as caught:
        pane.export(start=datetime(2020, 1, 1, tzinfo=UTC))
    assert "use a time from 20" in caught.value.remedy


def test_a_pane_without_a_log_cannot_be_exported(phux):
    quiet = phux.new_session("quiet", command=["bash"], log=False).pane
    for format_ in FORMATS:
        with pytest.raises(NoSuchTargetError, match="not logged"):
            quiet.export(format_)


def damage(path):
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 3] + b"\0\xff garbage [" + data[len(data) // 3 + 20 :])


def test_a_damaged_timeline_loses_only_the_damaged_entries(phux, pane):
    for number in range(20):
        pane.run(f"echo number {number}")
    directory = log_directory(phux, pane)
    pane.kill()
    root = str(directory.parents[1])
    for path in directory.glob("*.time"):
        damage(path)
        path.write_bytes(path.read_bytes()[:-3])  # and truncated
    for format_ in FORMATS:
        document = export_stored(pane.selector, format_, root=root)
        assert "number 19" in (shown(document) if format_ == "html" else document)
    for path in directory.glob("*.time"):
        path.write_bytes(os.urandom(1000))
    for format_ in FORMATS:
        with pytest.raises(NoSuchTargetError, match="has no times") as caught:
            export_stored(pane.selector, format_, root=root)
        assert "phux logs" in caught.value.remedy


def test_missing_output_is_left_out_of_a_page_and_refused_for_a_cast(phux, pane):
    pane.run("echo first")
    pane.run("seq 3000000", timeout_s=60)
    pane.run("echo last")
    directory = log_directory(phux, pane)
    pane.kill()
    root = str(directory.parents[1])
    second = sorted(directory.glob("*.log"))[1]
    second.unlink()
    hole = int(second.stem)
    page = export_stored(pane.selector, "html", root=root)
    assert "last" in shown(page)
    with pytest.raises(NoSuchTargetError, match=f"from {hole} to") as caught:
        export_stored(pane.selector, "cast", root=root)
    assert f"--to {hole}" in caught.value.remedy
    cast = export_stored(pane.selector, "cast", root=root, end=hole)
    assert "first" in cast

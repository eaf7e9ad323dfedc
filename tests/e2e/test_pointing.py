"""Regions of the screen, and the mouse, with real programs."""

from __future__ import annotations

import re
import shutil
import time

import pytest

from phux_client import AmbiguousError, BadRequestError, LimitError, NoSuchTargetError, RefusedError, aio
from servers import Cli


@pytest.fixture
def pane(phux, tmp_path):
    session = phux.new_session(
        shell="sh", size=(80, 24), cwd=str(tmp_path), env={"TERM": "xterm-256color", "PS1": "$ "}
    )
    yield session.pane
    session.kill()


@pytest.fixture
def program(pane):
    """Start a program, and wait until it has drawn its screen."""

    def start(command, shows):
        if shutil.which(command.split()[0]) is None:
            pytest.skip(f"{command.split()[0]} is not installed")
        pane.run("clear")
        pane.send_keys(command, "Enter")
        pane.find(re.compile(shows), timeout_s=20)
        pane.wait(idle_ms=200, timeout_s=20)

    return start


def test_find_waits_for_the_text_and_wakes_when_it_appears(pane):
    pane.send_keys("sleep 0.4; echo do''ne", "Enter")
    began = time.monotonic()
    assert pane.find(re.compile("^done$"), timeout_s=20).row == 1
    assert 0.2 < time.monotonic() - began < 10
    with pytest.raises(NoSuchTargetError, match="no 'missing'"):
        pane.find("missing", timeout_s=0.1)


def test_find_waits_for_a_style_that_changes_without_text(pane):
    pane.run(r"clear; printf 'one\ntwo\n'")
    pane.send_keys(r"sleep 0.4; printf '\033[1;1H\033[7mone\033[m\033[4;1H'", "Enter")
    assert pane.find("one", style="inverse", timeout_s=20).row == 0


def test_find_stops_a_pattern_that_takes_too_long(pane):
    pane.run("clear; printf '%s!\\n' aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")
    with pytest.raises(LimitError):
        pane.find(re.compile("(a+)+$"))


def test_a_click_moves_the_cursor_of_vim_and_a_drag_selects(program, pane, tmp_path):
    (tmp_path / "text").write_text("first line\nsecond line\nthird word\n")
    program(f"vim -Nu NONE -c 'set mouse=a ttymouse=sgr' {tmp_path}/text", "third word")
    word = pane.find("second")
    pane.click(word)
    pane.act("i", "X", "Escape", until="seXcond")
    pane.drag("first", "third")
    pane.find("VISUAL", timeout_s=20)
    pane.act("Escape", ":q!", "Enter", state="prompt")


def test_a_click_chooses_in_htop_mc_dialog_and_fzf(program, pane, tmp_path):
    program("htop", "F10Quit|Quit")
    pane.click("Help")
    pane.find("Released under", timeout_s=20)
    pane.act("q", "q", state="prompt")

    (tmp_path / "folder").mkdir()
    pane.run(f"cd {tmp_path}")
    program("mc -x", "Options")
    pane.click("Left")
    pane.find("File listing", timeout_s=20)
    pane.act("Escape", "Escape", idle_ms=600)
    pane.act("F10", state="prompt")

    program("dialog --menu Pick 15 40 5 a Apple b Banana c Cherry 2> chosen", "Cherry")
    before = pane.snapshot()
    pane.click("Banana")
    pane.wait(since=before.seq, idle_ms=200, timeout_s=20)
    pane.click("OK")
    pane.wait(state="prompt", timeout_s=20)
    assert pane.run("cat chosen").output == "b"

    program(r"printf 'one\ntwo\nthree\n' | fzf --no-height > picked", "3/3")
    assert pane.highlighted().text.strip() == "> one"
    pane.double_click(re.compile("two"))
    pane.wait(state="prompt", timeout_s=20)
    assert pane.run("cat picked").output == "two"


def test_the_wheel_scrolls_less(program, pane, tmp_path):
    pane.run(f"cd {tmp_path}; seq 1000 > numbers")
    program("less --mouse numbers", "^numbers$")
    pane.scroll("down", times=4)
    pane.find(re.compile("^27$"), timeout_s=20)
    assert pane.snapshot().lines[0] == "5"
    pane.scroll("up", times=2)
    pane.find(re.compile("^3$"), timeout_s=20)
    pane.act("q", state="prompt")


def test_the_mouse_is_refused_with_the_reason_and_nothing_is_typed(pane):
    pane.run("clear; echo OK OK")
    before = pane.snapshot()
    with pytest.raises(RefusedError, match="did not request these mouse events"):
        pane.click((0, 0))
    with pytest.raises(AmbiguousError, match=r"2 matches of 'OK'"):
        pane.click("OK")
    with pytest.raises(NoSuchTargetError):
        pane.click("Cancel", timeout_s=0)
    for place in ((24, 0), (0, 80), (-1, 0), (0,)):
        with pytest.raises(BadRequestError, match="no cell"):
            pane.click(place)
    with pytest.raises(BadRequestError, match="no button 'fourth'"):
        pane.click((0, 0), button="fourth")
    with pytest.raises(BadRequestError, match="times"):
        pane.scroll("down", times=0)
    assert pane.snapshot().lines == before.lines


def test_events_are_encoded_for_the_requested_mode(pane):
    pane.run(r"clear; printf '\033[?1002h\033[?1006h'")
    pane.send_keys("cat -v", "Enter")
    pane.wait(state="awaiting_input", timeout_s=20)
    pane.click((2, 4), button="right", modifiers=["ctrl"])
    pane.drag((0, 0), (1, 1))
    pane.send_keys("Enter")
    expected = "^[[<18;5;3M^[[<18;5;3m^[[<0;1;1M^[[<32;2;2M^[[<0;2;2m"
    pane.wait(until=expected, timeout_s=20)


@pytest.mark.anyio
async def test_the_async_client_has_the_same_methods(server):
    async with aio.connect(server.socket) as phux:
        session = await phux.new_session(shell="sh")
        await session.pane.run(r"clear; printf 'a\n\033[7mb c\033[m\n'; printf '\033[?1000h'")
        assert (await session.pane.highlighted()).text == "b c"
        assert [region.col for region in await session.pane.find_all(re.compile("[bc]"))][:2] == [0, 2]
        await session.pane.click("b c")
        await session.kill()


def test_the_cli_clicks_by_text_cell_and_pattern(server, phux, tmp_path):
    cli = Cli(server.socket, tmp_path)
    session = phux.new_session("clicked", shell="sh", size=(80, 24))
    pane = session.pane
    pane.run(r"clear; printf '\033[?1000h\033[?1006h'; echo ' press OK'")
    pane.send_keys("cat -v", "Enter")
    pane.wait(state="awaiting_input", timeout_s=20)
    for words in (["click", "OK"], ["click", "3,7"], ["click", "--regex", "pr.ss"], ["scroll", "up", "OK"]):
        assert cli.json("mouse", "clicked", *words)["sent"] is True
    pane.send_keys("Enter")
    pane.wait(until="^[[<0;8;1M^[[<0;8;1m^[[<0;8;4M^[[<0;8;4m^[[<0;4;1M^[[<0;4;1m^[[<64;8;1M", timeout_s=20)
    assert cli("mouse", "clicked", "drag", "OK").code == 2
    assert cli("mouse", "clicked", "click", "nowhere", "--timeout", "0").code == 1
    session.kill()

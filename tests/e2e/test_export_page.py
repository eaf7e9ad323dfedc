"""The exported page in a real browser: what it shows, how it plays, and what it must never do."""

from __future__ import annotations

import re

import pytest

from browsers import Recording, chromium, cpu_s
from phux_client import blocking, flows, stored_logs
from phux_client.export.film import Film
from phux_client.export.material import Material
from phux_client.export.page import to_page
from phux_client.moments import Place
from phux_core import engine as engines
from phux_core.logs.film import Page
from servers import embedded_server, eventually

HOSTILE = "</script><img src=x onerror=alert(1)><!--{{script}}"
STYLED = r"""printf '\033[1;31mred\033[m \033[4:3mcurly\033[m \033[7minverse\033[m ┌─┐│█▒╭╯ naïve 日本 end\n'"""


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """The file of a recording, and what the pane showed: times and rows."""
    path = tmp_path_factory.mktemp("export") / "work.html"
    with embedded_server() as server, blocking.connect(server.socket) as phux:
        pane = phux.new_session("work", command=["bash"], size=(80, 20), env={"HOSTILE": HOSTILE}).pane
        pane.wait(state="prompt", timeout_s=20)
        shown = []

        def run(command):
            pane.run(command, timeout_s=60)
            screen = pane.wait(idle_ms=100, timeout_s=20)  # so long that it is in a frame of its own
            shown.append((pane.snapshot(at=screen.seq).at, screen.lines))

        run(STYLED)
        run(r'''printf '\033]0;%s\007%s\n' "$HOSTILE" "$HOSTILE"''')
        run("(exit 3)")
        pane.send_keys("vim -u NONE -N -n /etc/passwd", "Enter")
        pane.wait(until="root:", timeout_s=20)
        pane.wait(idle_ms=100, timeout_s=20)
        pane.send_keys(":q!", "Enter")
        pane.wait(state="prompt", timeout_s=20)
        pane.resize(cols=60, rows=15)
        run("seq -f 'line %g of the flood' 1 50000")
        run("sleep 3.3; clear; echo after a pause")
        path.write_text(pane.export())
        first = pane.timeline(most=1).started_at
    return path, first, shown


def seconds(start, at):
    from datetime import datetime

    return (datetime.fromisoformat(at) - datetime.fromisoformat(start)).total_seconds()


def test_the_page_opens_at_the_last_failed_command_and_lists_all(browser, recorded):
    with Recording(browser, recorded[0]) as recording:
        page = recording.page
        assert recording.commands[0] == STYLED
        assert recording.commands[2:4] == ["(exit 3)", "vim -u NONE -N -n /etc/passwd"]
        assert page.locator("#commands li[aria-current] code").text_content() == "(exit 3)"
        assert page.locator("#commands li.failed b").all_text_contents() == ["exit 3"]
        assert page.text_content("#count") == "6 commands"
        page.click("#failed")
        assert recording.commands == ["(exit 3)"]
        assert re.fullmatch(r"3\.\d s", page.locator("#commands li small span:nth-child(2)").all_text_contents()[-1])
        assert page.text_content("#name") == "work"


def test_the_screen_at_any_time_is_that_of_the_pane(browser, recorded):
    path, start, shown = recorded
    with Recording(browser, path) as recording:
        for at, lines in [*shown, *reversed(shown)]:
            recording.seek(seconds(start, at) + 0.001)
            assert recording.rows == lines
        recording.page.keyboard.press("End")
        assert recording.rows == shown[-1][1]
        assert recording.page.text_content("#size") == "60×15"
        recording.page.keyboard.press("Home")
        assert recording.page.text_content("#size") == "80×20"


def test_selected_text_is_that_of_the_rows(browser, recorded):
    path, start, shown = recorded
    with Recording(browser, path) as recording:
        at, lines = shown[0]
        recording.seek(seconds(start, at) + 0.001)
        selected = recording.page.evaluate(
            "getSelection().selectAllChildren(document.getElementById('rows')) ?? getSelection().toString()"
        )
        rows = [line.rstrip() for line in selected.splitlines()]
        assert rows == lines[: len(rows)]
        assert "red curly inverse ┌─┐│█▒╭╯ naïve 日本 end" in rows


def test_nothing_from_a_pane_is_interpreted_as_html(browser, recorded):
    path, start, shown = recorded
    with Recording(browser, path) as recording:
        page = recording.page
        recording.seek(seconds(start, shown[1][0]) + 0.001)
        assert HOSTILE in recording.rows
        assert page.text_content("#caption") == HOSTILE
        page.hover("#timeline")
        assert recording.search(HOSTILE)
        page.keyboard.press("Enter")
        assert page.locator("img").count() == 0
        # Even if it were, the policy of the page would not let it run.
        page.evaluate("html => document.body.insertAdjacentHTML('beforeend', html)", "<svg onload=alert(1)>")
        page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'alert(1)'}))")
        eventually(lambda: len(recording.problems) >= 2)
        assert all("Content Security Policy" in problem for problem in recording.problems)


def test_playing_pausing_speed_and_steps(browser, recorded):
    with Recording(browser, recorded[0]) as recording:
        page, press = recording.page, recording.page.keyboard.press
        press("Home")
        press(" ")
        recording.until("player.time > 100")
        press(" ")
        paused = recording.time_s
        assert page.get_attribute("#play", "aria-label") == "Play"
        for speed in ("2×", "4×", "8×"):
            press("+")
            assert page.text_content("#speed") == speed
        press("-")
        page.click("#play")
        recording.until(f"player.time > {1000 * paused + 500}")
        press(" ")
        starts = page.evaluate("player.recording.commands.map(command => command.start / 1000)")
        press("Home")
        for start in starts:
            press("]")
            assert recording.time_s == start
        press("[")
        assert recording.time_s == starts[-2]
        press(".")
        after = recording.time_s
        assert after > starts[-2]
        press(",")
        assert recording.time_s < after
        press("End")
        press(" ")  # starts again
        recording.until("player.isPlaying && player.time > 0")


def test_idle_time_is_skipped_unless_it_should_be_shown(browser, recorded):
    with Recording(browser, recorded[0]) as recording:
        skipping = recording.page.evaluate("player.timeline.axis.length")
        assert recording.page.locator("#lanes .cut").count() >= 1
        recording.page.keyboard.press("i")
        assert recording.page.get_attribute("#idle", "aria-pressed") == "false"
        whole = recording.page.evaluate("player.timeline.axis.length")
        assert whole - skipping > 1000
        assert whole == recording.page.evaluate("player.recording.about.duration")


def test_the_axis_of_the_timeline_maps_times_back_and_forth(browser, recorded):
    with Recording(browser, recorded[0]) as recording:
        maps = recording.page.evaluate("""() => {
          const { axis } = player.timeline;
          return player.moments.map(time => [time, axis.real(axis.played(time)), axis.played(time)]);
        }""")
        assert [time for time, _real, _played in maps] == pytest.approx([real for _time, real, _played in maps])
        played = [played for *_, played in maps]
        assert played == sorted(played)


def test_a_click_on_the_timeline_goes_to_that_time(browser, recorded):
    with Recording(browser, recorded[0]) as recording:
        page = recording.page
        box = page.locator("#timeline").bounding_box()
        page.mouse.click(box["x"] + box["width"] - 0.1, box["y"] + 40)
        assert recording.rows == recorded[2][-1][1]
        page.mouse.click(box["x"] + 1, box["y"] + 40)
        assert recording.time_s < 0.5
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 40)
        assert page.is_visible("#tip")


def test_search_finds_what_was_shown_and_what_scrolled_past(browser, recorded):
    with Recording(browser, recorded[0]) as recording:
        page = recording.page
        page.keyboard.press("/")
        assert recording.search("after a pause")[-1] == "after a pause"
        page.keyboard.press("Shift+Enter")  # the last one
        assert "after a pause" in recording.rows
        assert page.evaluate("[...CSS.highlights.get('match')].map(String)") == ["after a pause"]
        assert recording.search("line 23456 of") == ["line 23456 of the flood"]
        page.keyboard.press("Enter")
        around = page.locator("#lines .row").all_text_contents()
        assert "line 23455 of the flood" in around
        assert page.text_content("#lines .row[aria-current]") == "line 23456 of the flood"
        page.keyboard.press("Escape")
        page.keyboard.press("End")
        assert page.is_hidden("#passed")
        assert recording.rows == recorded[2][-1][1]
        assert recording.search("no such text") == []
        assert recording.search("ROOT:") == []
        assert recording.search("root:")
        assert recording.search("") == []
        assert page.is_visible("#commands")


def test_light_and_dark_follow_the_system_and_a_key(browser, recorded):
    def color(page):
        return page.evaluate("getComputedStyle(document.getElementById('terminal')).backgroundColor")

    colors = {}
    for scheme in ("light", "dark"):
        with Recording(browser, recorded[0], color_scheme=scheme) as recording:
            colors[scheme] = color(recording.page)
            recording.page.keyboard.press("t")
            colors[f"{scheme} after t"] = color(recording.page)
    assert colors["light"] == colors["dark after t"] == "rgb(250, 250, 250)"
    assert colors["dark"] == colors["light after t"] == "rgb(30, 33, 39)"


@pytest.mark.parametrize("size", [(480, 700), (1280, 800), (1920, 1080)])
def test_the_whole_screen_fits_in_the_window(browser, recorded, size):
    with Recording(browser, recorded[0]) as recording:
        recording.page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
        recording.until("""() => {
          const [rows, main] = ["rows", "terminal"].map(id => document.getElementById(id).getBoundingClientRect());
          return rows.left >= main.left && rows.right <= main.right && rows.bottom <= main.bottom
            && main.right <= innerWidth && rows.width > 100;
        }""")


def test_cells_line_up_in_every_font(browser, recorded):
    """Wide characters, drawn characters and text start where their columns are."""
    path, start, shown = recorded
    with Recording(browser, path) as recording:
        recording.seek(seconds(start, shown[0][0]) + 0.001)
        off = recording.page.evaluate("""() => {
          const width = player.screen.cell.width;
          return player.screen.rows.querySelectorAll(".row").values().flatMap((row) => {
            const left = row.getBoundingClientRect().left;
            return [...row.children].map((cell) => ((cell.getBoundingClientRect().left - left) / width) % 1);
          }).filter((part) => Math.abs(part - Math.round(part)) > 0.01).toArray();
        }""")
        assert off == []


def test_a_part_of_a_recording_and_a_link_to_a_moment(browser, recorded, tmp_path):
    with embedded_server() as server, blocking.connect(server.socket) as phux:
        pane = phux.new_session("work", command=["bash"]).pane
        pane.run("echo before")
        start = pane.snapshot()
        pane.run("sleep 0.2; seq 1000", timeout_s=20)  # its line is read when the part starts, and then is shown
        end = pane.snapshot()
        pane.run("true")
        (tmp_path / "part.html").write_text(pane.export(start=start.seq, end=end.seq))
        logs = phux.status().logs.directory
        pane.run("exit 0; true")
        pane.wait(state="dead", timeout_s=20)
        phux.new_session("other", command=["bash"])
        empty = stored_logs.drive(flows.export(stored_logs.CALLER, "other", "html"), logs)
    (tmp_path / "empty.html").write_text(empty)
    with Recording(browser, tmp_path / "part.html") as recording:
        recording.page.keyboard.press("Home")
        assert recording.rows == start.lines
        recording.page.keyboard.press("End")
        assert recording.rows == end.lines
        assert recording.commands[-1] == "sleep 0.2; seq 1000"
    with Recording(browser, tmp_path / "empty.html") as recording:
        assert recording.page.text_content("#count") == "No commands were recorded"
    linked = recorded[0].with_name("linked.html")
    linked.write_text(recorded[0].read_text())
    with Recording(browser, linked) as recording:
        recording.page.goto(f"{linked.as_uri()}#t=0.25")
        recording.page.reload()
        recording.page.wait_for_selector("html[data-ready]", state="attached")
        assert recording.time_s == 0.25


def test_each_screen_of_a_moment_and_its_link_can_be_shown(browser, tmp_path):
    engine, page, wanted = engines.create("pyte", 20, 3), Page(1.75e9), ["", "one", "onetwo", "onetwothree"]
    for text in (b"", b"one", b"two", b"three"):
        engine.feed(text)
        page.add(engine, 1.75e9)
    engine.close()
    material = Material({"log": "x/1", "pane": 1, "live": True}, Place(0, 1.75e9), Place(0, 1.75e9), [])
    material.pages.append({"start": 1.75e9, "data": page.dump()})
    (tmp_path / "moment.html").write_text(to_page(material))
    with Recording(browser, tmp_path / "moment.html") as recording:
        assert recording.rows[0] == wanted[-1]
        recording.page.keyboard.press("Home")
        for text in wanted:
            assert recording.rows[0] == text
            recording.page.reload()
            recording.page.wait_for_selector("html[data-ready]", state="attached")
            assert recording.rows[0] == text
            recording.page.keyboard.press(".")


def test_the_page_is_one_file_with_a_strict_policy(recorded):
    text = recorded[0].read_text()
    player = text.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"://|@import|url\(|src=|href=", player)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert len(re.findall(r"</script>", text)) == 3


# Large recordings


def opening_s(browser, path):
    """Return the time that the browser works to show a file: how long that takes if no other program is busy."""
    before_s = cpu_s()
    with Recording(browser, path) as recording:
        assert any(recording.rows)
        return cpu_s() - before_s


def test_a_recording_of_10_mb_opens_within_two_seconds(browser, tmp_path):
    with embedded_server() as server, blocking.connect(server.socket) as phux:
        pane = phux.new_session("work", command=["bash"]).pane
        pane.run("seq 1 1300000", timeout_s=100)
        pane.run("false")
        assert pane.snapshot().seq > 10_000_000
        (tmp_path / "flood.html").write_text(pane.export())
    assert (tmp_path / "flood.html").stat().st_size < 10_000_000
    assert opening_s(browser, tmp_path / "flood.html") < 2
    with Recording(browser, tmp_path / "flood.html") as recording:
        assert recording.search("654321")[0] == "654321"


def test_a_recording_of_an_hour_of_a_full_screen_program_opens_within_two_seconds(browser, tmp_path):
    frames = 20_000
    engine = engines.create("ghostty", 100, 30)
    material = Material(
        {"log": "x/1", "pane": 1, "live": True},
        Place(0, 1.75e9),
        Place(0, 1.75e9 + frames / 5),
        [(1.75e9, 0, "bell", {})],
    )
    page = Page(1.75e9)
    for number in range(frames):
        for row in (number % 29, number * 7 % 29):
            engine.feed(
                b"\x1b[%d;1H\x1b[3%dm%-9d\x1b[m python %d%%\x1b[K" % (row + 1, number % 8, number, number % 100)
            )
        page.add(engine, 1.75e9 + number / 5)
    engine.close()
    material.pages.append({"start": 1.75e9, "data": page.dump()})
    (tmp_path / "hour.html").write_text(to_page(material))
    assert opening_s(browser, tmp_path / "hour.html") < 2
    film = Film(1.75e9)
    film.add(material.pages[0])
    with Recording(browser, tmp_path / "hour.html") as recording:
        for number in (19_999, 3, 12_345, 12_344, 128, 127):
            recording.page.evaluate("number => player.seek(player.recording.frames[number][0])", number)
            assert recording.rows[number % 29].split()[0] == str(number)

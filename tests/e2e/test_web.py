"""The live view in a real browser: the overview, typing, the mouse, the past, hostile output, and restarts."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect, sync_playwright

from servers import Cli, embedded_server, eventually, kill_service
from web_pages import CHROMIUM, web_server

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"


@pytest.fixture(scope="module")
def web(server):
    with web_server(server.socket) as web:
        yield web


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


class Pages:
    """Open pages, and check that none of them reported a problem."""

    def __init__(self, browser, web):
        self._browser, self._web = browser, web
        self._contexts = []
        self.problems = []

    def __call__(self, level="control", url=None, **more):
        context = self._browser.new_context(viewport={"width": 1200, "height": 760}, **more)
        self._contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda message: self.problems.append(message.text) if message.type == "error" else None)
        page.on("dialog", lambda dialog: self.problems.append(f"dialog: {dialog.message}"))
        page.goto(url or self._web.urls[level])
        return page

    def close(self):
        for context in self._contexts:
            context.close()


@pytest.fixture
def pages(browser, web):
    pages = Pages(browser, web)
    yield pages
    pages.close()
    assert pages.problems == []


@pytest.fixture
def bash(phux, tmp_path):
    (tmp_path / ".bashrc").write_text("PS1='$ '\n")
    session = phux.new_session(command=["bash"], env={"HOME": str(tmp_path)}, cwd=str(tmp_path), size=(80, 24))
    session.pane.wait(state="prompt", timeout_s=20)
    yield session.pane
    session.kill()


def tile(page, pane):
    return page.locator(f'.tile[data-pane="{pane.id}"]')


def open_pane(page, pane):
    tile(page, pane).click()
    screen = page.locator("#live .screen")
    expect(screen.locator(".row").first).to_be_attached()
    return screen


def rows(screen):
    return [row.rstrip() for row in screen.locator(".row").all_text_contents()]


def shows(screen, text):
    expect(screen).to_contain_text(text)


def test_the_overview_shows_what_each_pane_does(pages, phux, bash):
    bash.run("false")
    asking = phux.new_session("asking", command=["sh", "-c", "stty -echo; read secret"])
    asking.pane.wait(state="awaiting_secret", timeout_s=20)
    ended = phux.new_session("ended", command=["sh", "-c", "exit 3"])
    ended.pane.wait(state="dead", timeout_s=20)
    page = pages()
    expect(tile(page, bash).locator(".state")).to_have_text("ready")
    expect(tile(page, bash).locator(".exit")).to_have_text("last exit 1")
    expect(tile(page, asking.pane).locator(".state")).to_have_text("needs a secret")
    expect(tile(page, ended.pane).locator(".exit")).to_have_text("exited with 3")
    order = [int(one.get_attribute("data-pane")) for one in page.locator(".tile").all()]
    assert order.index(asking.pane.id) == 0
    expect(page.locator('section[data-attention="needed"] h2')).to_contain_text("Needs you")
    expect(page).to_have_title("(1) phux")
    asking.kill()
    ended.kill()
    expect(tile(page, asking.pane)).to_have_count(0)
    expect(page).to_have_title("phux")


def test_a_new_pane_its_title_and_its_state_appear_at_once(pages, phux):
    page = pages()
    session = phux.new_session("new", command=["sh", "-c", r"printf '\033]2;my title\007'; read x"])
    expect(tile(page, session.pane).locator(".title")).to_have_text("my title")
    expect(tile(page, session.pane).locator(".state")).to_have_text("needs input")
    session.kill()


def test_watching_neither_attaches_nor_resizes(pages, phux, bash):
    page = pages()
    open_pane(page, bash)
    session = next(one for one in phux.tree().sessions if one.windows[0].panes[0].id == bash.id)
    assert session.attached_clients == 0
    assert (bash.info().cols, bash.info().rows) == (80, 24)


def test_typing_into_bash(pages, bash):
    page = pages()
    screen = open_pane(page, bash)
    page.keyboard.type("echo $((6 * 7)) 'quoted' ~\n")
    shows(screen, "42 quoted")
    page.keyboard.type("echo onX")
    page.keyboard.press("Backspace")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Control+a")
    page.keyboard.press("Alt+f")
    page.keyboard.type(" two")
    page.keyboard.press("Enter")
    shows(screen, "two on")
    page.keyboard.type("sleep 100\n")
    expect(page.locator("#full .state")).to_have_text("running")
    page.keyboard.press("Control+c")
    expect(page.locator("#full .state")).to_have_text("ready")
    assert bash.commands()[-1].client.startswith("phux-web/")


def test_keys_are_encoded_for_the_modes_of_the_program(pages, bash):
    page = pages()
    screen = open_pane(page, bash)
    page.keyboard.type("echo one-$((1 + 1)); cat -v\n")
    shows(screen, "one-2")
    for key in ("Escape", "F5", "Control+ArrowRight", "Shift+F3", "Alt+x", "Delete", "Home", "PageDown", "Shift+Tab"):
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    shows(screen, "^[^[[15~^[[1;5C^[[1;2R^[x^[[3~^[[H^[[6~^[[Z")
    page.keyboard.press("Control+d")
    page.keyboard.type("printf '\\033[?1htwo-%d\\n' $((1 + 1)); cat -v\n")
    shows(screen, "two-2")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    shows(screen, "^[OA")


def test_composed_text_and_characters_without_keys_are_typed(pages, bash):
    page = pages()
    screen = open_pane(page, bash)
    page.keyboard.type("echo one-$((1 + 1)); cat\n")
    shows(screen, "one-2")
    session = page.context.new_cdp_session(page)
    session.send("Input.imeSetComposition", {"text": "に", "selectionStart": 1, "selectionEnd": 1})
    session.send("Input.imeSetComposition", {"text": "にほ", "selectionStart": 2, "selectionEnd": 2})
    session.send("Input.insertText", {"text": "日本"})
    page.keyboard.insert_text("é€😀")
    page.keyboard.press("Enter")
    eventually(lambda: rows(screen).count("日本é€😀") == 2)


def test_typing_into_vim(pages, bash, tmp_path):
    page = pages()
    screen = open_pane(page, bash)
    page.keyboard.type("vim -u NONE -i NONE notes.txt\n")
    shows(screen, "~")
    expect(page.locator("#full .state")).to_have_text("full screen")
    page.keyboard.type("ifirst line\nsecond")
    page.keyboard.press("Escape")
    page.keyboard.type("yyP:wq\n")
    expect(page.locator("#full .state")).to_have_text("ready")
    assert (tmp_path / "notes.txt").read_text() == "first line\nsecond\nsecond\n"


def test_a_paste_is_bracketed_and_has_no_control_characters(pages, bash):
    page = pages(permissions=["clipboard-read", "clipboard-write"])
    screen = open_pane(page, bash)
    page.keyboard.type("printf '\\033[?2004hone-%d\\n' $((1 + 1)); cat -v\n")
    shows(screen, "one-2")
    page.evaluate("navigator.clipboard.writeText('one\\u001b[201~two\\nthree')")
    page.keyboard.press("Control+Shift+v")
    page.keyboard.press("Enter")
    shows(screen, "^[[200~onetwo")
    shows(screen, "three^[[201~")


def test_colors_styles_and_wide_characters_are_drawn_in_their_cells(pages, bash):
    bash.send_keys(
        "clear; printf '\\033[31mred \\033[1;38;2;1;2;3;48;5;21mrgb\\033[m \\033[7minv\\033[m 日本|é|\\n'", "Enter"
    )
    page = pages(color_scheme="dark")
    screen = open_pane(page, bash)
    shows(screen, "inv 日本|é|")
    styles = page.evaluate("""() => [...document.querySelectorAll('#live .row')[0].querySelectorAll('span')].map((span) => {
        const style = getComputedStyle(span);
        return [span.textContent, style.color, style.backgroundColor, style.fontWeight];
    })""")
    red, rgb, inverse = styles[:3]
    assert red[0] == "red "
    assert red[1] == "rgb(255, 123, 114)"
    assert rgb == ["rgb", "rgb(1, 2, 3)", "rgb(0, 0, 255)", "700"]
    assert inverse[1] != inverse[2]
    # What follows the two wide characters begins in column 16.
    left, cell = page.evaluate("""() => {
        const row = document.querySelectorAll('#live .row')[0];
        const range = document.createRange();
        const text = [...row.childNodes].find((node) => node.nodeType === 3 && node.data.startsWith('|'));
        range.setStart(text, 0);
        range.setEnd(text, 1);
        const box = range.getBoundingClientRect();
        return [box.left - row.getBoundingClientRect().left, box.width];
    }""")
    assert round(left / cell) == len("red rgb inv ") + 4
    assert abs(left / cell - round(left / cell)) < 0.05


def test_underlines_and_links_to_the_web_are_drawn(pages, bash):
    bash.send_keys(
        "clear; printf '\\033[4:3;58;2;1;2;3mcurly\\033[m \\033]8;;https://x.example/1\\033\\\\linked\\033]8;;\\033\\\\"
        " \\033]8;;javascript:alert(1)\\007harmless\\033]8;;\\007\\n'",
        "Enter",
    )
    page = pages()
    screen = open_pane(page, bash)
    shows(screen, "curly linked harmless")
    line = screen.locator("span", has_text="curly").evaluate("""(span) => {
        const style = getComputedStyle(span);
        return [style.textDecorationStyle, style.textDecorationColor];
    }""")
    assert line == ["wavy", "rgb(1, 2, 3)"]
    links = screen.locator("a")
    expect(links).to_have_text(["linked"])
    expect(links).to_have_attribute("href", "https://x.example/1")
    expect(links).to_have_attribute("rel", "noopener noreferrer")


def test_fit_resizes_the_pane_on_request_only(pages, bash):
    page = pages()
    screen = open_pane(page, bash)
    page.get_by_role("button", name="Fit").click()
    eventually(lambda: bash.info().cols != 80)
    page.keyboard.type("clear; stty size\n")
    shows(screen, f"{bash.info().rows} {bash.info().cols}")
    expect(page.locator("#full-place")).to_contain_text(f"{bash.info().cols}×{bash.info().rows}")
    bash.resize(cols=80, rows=24)
    expect(page.locator("#full-place")).to_contain_text("80×24")
    eventually(lambda: screen.locator(".row").count() == 24)


def test_the_mouse_is_reported_to_programs_that_ask_for_it(pages, bash):
    page = pages()
    screen = open_pane(page, bash)
    page.keyboard.type("clear; stty -echo -icanon; printf '\\033[?1002h\\033[?1006h'; cat -v\n")
    eventually(lambda: page.evaluate("document.querySelectorAll('#live .row')[0].textContent.trim()") == "")
    box = screen.bounding_box()
    cell = (box["width"] / 80, box["height"] / 24)

    def point(x, y):
        return box["x"] + (x + 0.5) * cell[0], box["y"] + (y + 0.5) * cell[1]

    eventually(lambda: page.mouse.click(*point(4, 10)) or "^[[<0;5;11M^[[<0;5;11m" in "".join(rows(screen)))
    page.mouse.move(*point(2, 2))
    page.mouse.down()
    page.mouse.move(*point(3, 2))
    page.mouse.up()
    shows(screen, "^[[<32;4;3M")
    page.mouse.wheel(0, 200)
    shows(screen, "^[[<65;")
    page.mouse.click(*point(4, 10), button="right")
    shows(screen, "^[[<2;5;11M")


def test_text_is_selected_with_the_mouse_and_copied_without_trailing_blanks(pages, bash):
    bash.send_keys("clear; printf 'alpha   \\nbeta\\n'", "Enter")
    page = pages(permissions=["clipboard-read", "clipboard-write"])
    screen = open_pane(page, bash)
    shows(screen, "beta")
    box = screen.bounding_box()
    height = box["height"] / 24
    page.mouse.move(box["x"] + 1, box["y"] + height * 0.5)
    page.mouse.down()
    page.mouse.move(box["x"] + 400, box["y"] + height * 1.5)
    page.mouse.up()
    page.keyboard.press("Control+Shift+c")
    assert page.evaluate("navigator.clipboard.readText()").splitlines() == ["alpha", "beta"]


def test_the_wheel_shows_the_scrollback_with_its_colors(pages, bash):
    bash.run("for i in $(seq 1 400); do printf '\\033[32mline-%s\\033[m\\n' $i; done")
    page = pages()
    screen = open_pane(page, bash)
    shows(screen, "line-400")
    screen.hover()
    page.mouse.wheel(0, -300)
    history = page.locator("#scrollback")
    expect(history).to_be_visible()
    shows(history, "line-395")
    bash.send_keys("echo later-$((1 + 1))", "Enter")
    bash.wait(until="later-2")
    expect(history).not_to_contain_text("later-2")
    page.keyboard.press("Home")
    eventually(lambda: "line-1\n" in "\n".join(history.locator(".row").all_text_contents()) + "\n")
    assert page.evaluate("getComputedStyle(document.querySelector('#scrollback .row span')).color") != ""
    page.keyboard.press("Escape")
    expect(history).to_be_hidden()
    shows(screen, "later-2")


def test_the_ledger_lists_commands_with_their_output(pages, bash):
    bash.run("echo first; false")
    page = pages()
    open_pane(page, bash)
    page.get_by_role("button", name="Commands").click()
    side = page.locator("#side")
    expect(side.locator("code").first).to_have_text("echo first; false")
    expect(side.locator("li span").first).to_contain_text("exit 1")
    side.locator("li button").first.click()
    expect(side.locator("pre")).to_have_text("first")
    bash.run("echo second")
    expect(side.locator("code").first).to_have_text("echo second")


def test_the_timeline_shows_the_pane_as_it_was(pages, bash):
    bash.run("clear; echo before")
    bash.run("sleep 0.4")
    bash.run("clear; echo after")
    page = pages()
    screen = open_pane(page, bash)
    shows(screen, "after")
    slider = page.get_by_label("Time")
    past = page.locator("#past")

    def shows_before():
        for value in range(100, 2000, 60):
            slider.evaluate(
                "(input, value) => { input.value = value; input.dispatchEvent(new Event('input')); }", value
            )
            page.wait_for_timeout(40)
            if "before" in past.inner_text() and "after" not in past.inner_text():
                return True
        return False

    eventually(shows_before, within_s=20)
    expect(page.locator("#pinned")).to_contain_text("As it was at")
    page.keyboard.press("Escape")
    expect(screen).to_be_visible()


def test_hostile_titles_and_output_are_shown_as_text(pages, phux):
    bidi = "a\u202eb\u2066c"
    command = f"printf '\\033]2;%s\\007' '{HOSTILE}{bidi}'; printf '%s\\n' '{HOSTILE}' '{bidi}' '&amp; \\x1b]8;;javascript:alert(3)\\x07link'; cat"
    session = phux.new_session("hostile", window_name="<b>bold<b>", command=["sh", "-c", command], size=(120, 20))
    page = pages()
    expect(tile(page, session.pane).locator(".title")).to_have_text(f"{HOSTILE}a\ufffdb\ufffdc")
    expect(tile(page, session.pane).locator(".place")).to_contain_text("<b>bold<b>")
    screen = open_pane(page, session.pane)
    shows(screen, HOSTILE)
    shows(screen, "abc")
    assert page.locator("img:not([src='icon.svg']), #live script, a, iframe").count() == 0
    text = page.evaluate("document.body.innerText")
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", text)
    session.kill()


def test_the_browser_itself_keeps_the_page_from_creating_html(pages):
    page = pages()
    blocked = page.evaluate("""() => {
        try { document.body.insertAdjacentHTML('beforeend', '<b id=made>x</b>'); } catch (error) { return error.name; }
        return document.getElementById('made') ? 'made' : 'nothing';
    }""")
    assert blocked == "TypeError"
    assert "TrustedHTML" in pages.problems.pop()


def test_two_viewers_see_the_same_and_the_one_that_only_watches_cannot_type(pages, bash):
    first, second = pages(), pages("watch")
    one, two = open_pane(first, bash), open_pane(second, bash)
    first.keyboard.type("echo shared-$((1 + 1))\n")
    shows(one, "shared-2")
    shows(two, "shared-2")
    expect(second.locator("#mode")).to_have_text("watching only")
    expect(second.get_by_role("button", name="Fit")).to_be_hidden()
    second.keyboard.type("echo nothing\n")
    second.keyboard.press("Control+c")
    first.keyboard.type("echo done-$((1 + 1))\n")
    shows(two, "done-2")
    assert "nothing" not in bash.snapshot().text
    second.keyboard.press("Escape")
    expect(second.locator("#full")).to_be_hidden()


def test_the_view_continues_after_the_service_was_killed(pages, phux, bash):
    page = pages()
    screen = open_pane(page, bash)
    page.keyboard.type("echo one-$((1 + 1))\n")
    shows(screen, "one-2")
    kill_service(phux)
    expect(page.locator("#link")).to_have_text("live")
    page.keyboard.type("echo two-$((1 + 1))\n")
    shows(screen, "two-2")
    assert rows(screen).count("one-2") == 1
    page.keyboard.press("Control+Shift+Enter")
    shows(tile(page, bash), "two-2")


def test_a_page_without_a_valid_token_says_what_to_do(pages, web):
    for url in (web.origin, f"{web.origin}/#wrong-token-wrong-token-wrong-token"):
        page = pages(url=url)
        expect(page.get_by_role("alert")).to_contain_text("needs the URL that phux web printed")
        assert page.locator(".tile").count() == 0


def test_the_token_leaves_the_address_and_a_reload_keeps_the_access(pages, bash):
    page = pages()
    tile(page, bash).wait_for()
    assert "#" not in page.url
    page.reload()
    tile(page, bash).wait_for()


def test_a_page_waits_for_a_server_and_says_when_phux_web_has_ended(browser, runtime, tmp_path):
    socket = str(runtime / "phux.sock")
    cli = Cli(socket, tmp_path)
    with web_server(socket) as web:
        pages = Pages(browser, web)
        page = pages()
        expect(page.get_by_role("alert")).to_contain_text("No phux server is running")
        expect(page.locator("#link")).to_have_text("no server")
        try:
            for name in ("first", "second"):
                assert cli("new", "-d", "-s", name, "--", "cat").code == 0
                expect(page.locator(".tile .place")).to_have_text(f"{name}:0.0")
                expect(page.locator("#link")).to_have_text("live")
                assert cli("kill", "--server").code == 0
                expect(page.locator("#link")).to_have_text("no server")
        finally:
            cli("kill", "--server")
    expect(page.get_by_role("alert")).to_contain_text("connection to phux web was lost")
    expect(page.locator("#link")).to_have_text("disconnected")
    pages.close()


def test_a_server_without_panes_shows_how_to_make_one(browser):
    with embedded_server() as own, web_server(own.socket) as web:
        pages = Pages(browser, web)
        expect(pages().locator("#empty")).to_contain_text("No panes yet")
        pages.close()


def test_panes_are_found_and_opened_with_the_keyboard(pages, phux):
    sessions = [phux.new_session(f"keyboard{number}", command=["cat"]) for number in range(5)]
    page = pages()
    tile(page, sessions[-1].pane).wait_for()
    page.keyboard.press("/")
    page.keyboard.type("keyboard")
    expect(page.locator(".tile")).to_have_count(5)
    page.keyboard.press("Enter")
    expect(tile(page, sessions[0].pane)).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(tile(page, sessions[1].pane)).to_be_focused()
    page.keyboard.press("ArrowDown")
    focused = page.evaluate("Number(document.activeElement.dataset.pane)")
    assert focused not in {sessions[0].pane.id, sessions[1].pane.id}
    page.keyboard.press("ArrowUp")
    expect(tile(page, sessions[1].pane)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#full-place")).to_contain_text(f"@{sessions[1].pane.id}")
    page.go_back()
    expect(page.locator("#full")).to_be_hidden()
    expect(tile(page, sessions[1].pane)).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.keyboard.press("/")
    page.keyboard.type("no such pane")
    expect(page.locator("#empty h2")).to_have_text("No pane matches")
    for session in sessions:
        session.kill()


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_the_colors_follow_the_system_and_the_reader(pages, scheme):
    page = pages(color_scheme=scheme)

    def background():
        return sum(map(int, re.findall(r"\d+", page.evaluate("getComputedStyle(document.body).backgroundColor"))[:3]))

    assert (background() < 200) == (scheme == "dark")
    page.locator("#link", has_text="live").wait_for()
    page.keyboard.press("t")
    assert (background() < 200) != (scheme == "dark")
    page.reload()
    assert (background() < 200) != (scheme == "dark")


def test_a_closed_pane_returns_to_the_overview(pages, phux):
    session = phux.new_session("closing", command=["cat"])
    page = pages()
    open_pane(page, session.pane)
    session.kill()
    expect(page.locator("#full")).to_be_hidden()
    expect(page.locator("#toasts")).to_contain_text("is closed")

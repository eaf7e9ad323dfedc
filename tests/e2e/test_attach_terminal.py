"""Features of the user's terminal in `phux attach`: underlines, hyperlinks, extended keys, notifications, clipboard."""

from __future__ import annotations

import pytest

from outers import attached

LINKED = "\\033]8;;http://x/1\\033\\\\li\\033[1mnk\\033]8;;\\033\\\\\\033[m"


@pytest.fixture
def pane(phux, tmp_path):
    session = phux.new_session("work", command=["sh"], env={"PS1": "$ "}, cwd=str(tmp_path), size=(80, 23))
    yield session.pane
    session.kill()


@pytest.fixture
def client(server, pane):
    with attached(server.socket, "work") as terminal:
        terminal.shows("[work]")
        yield terminal


def found(client, text):
    """Return the style of a span of the user's terminal, once there is one with exactly this text."""

    def span():
        spans = client.engine.spans(0, client.engine.rows)
        return next((span for span in spans if span.text.strip() == text), None)

    return client.until(span).style


def test_underlines_have_the_kind_and_color_that_the_program_gave_them(client):
    client.type("clear; printf '\\033[4:3;58;2;1;2;3mcurly\\033[4:4;58:5:9mdotted\\033[0;4mplain\\033[m\\n'\r")
    assert (found(client, "curly").underline, found(client, "curly").underline_color) == ("curly", (1, 2, 3))
    assert (found(client, "dotted").underline, found(client, "dotted").underline_color) == ("dotted", 9)
    assert (found(client, "plain").underline, found(client, "plain").underline_color) == ("single", None)
    # A terminal that knows neither draws a plain underline.
    assert b"4m\x1b[4:3;58:2::1:2:3m" in client.raw


def test_hyperlinks_reach_the_terminal_and_stay_with_their_text(client, phux, pane):
    client.type(f"clear; printf 'a{LINKED}b\\n'\r")
    assert found(client, "li").link == found(client, "nk").link == "http://x/1"
    assert found(client, "b").link is None
    client.type("\x01%")
    client.until(lambda: pane.snapshot().cols < 80)
    assert found(client, "li").link == "http://x/1"
    # In copy mode, too.
    client.type("\x01hseq 50\r\x01[g")
    assert found(client, "li").link == "http://x/1"
    client.type("q\x01d")
    client.wait()
    assert client.raw.rindex(b"\x1b]8;;\x1b\\") > client.raw.rindex(b"http://x/1")


def test_keys_that_look_the_same_without_extended_keys_are_distinguished_only_for_programs_that_ask(client, pane):
    client.until(lambda: client.engine.modes().kitty_flags == 5)
    client.type("cat -v\r\x1b[105;5uA\x1b[13;2uB\r")  # C-i and S-Enter
    client.shows("        A")
    client.shows("B")
    client.type("\x1b[100;5u")  # C-d
    client.type("clear; printf '\\033[>1u'; cat -v\r")
    client.until(lambda: not any("B" in line for line in client.screen()))
    client.type("\x1b[105;5u\x1b[13;2u")
    client.shows("^[[105;5u^[[13;2u")
    client.type("\x1b[99;5u\x1b[97;5u")  # C-c, and C-a as the prefix
    client.type("d")
    client.wait()
    assert client.engine.modes().kitty_flags == 0


@pytest.mark.parametrize("allowed", [True, False], ids=["allowed", "not allowed"])
def test_requests_of_programs_reach_the_terminal_only_if_allowed(server, pane, tmp_path, allowed):
    config = tmp_path / "config.toml"
    config.write_text("notifications = true\nclipboard = true\n" if allowed else "")
    with attached(server.socket, "work", PHUX_CONFIG=str(config)) as client:
        client.shows("[work]")
        client.type("printf '\\033]777;notify;Build;is; ready\\007\\033]52;c;aGVsbG8=\\007\\033]52;c;?\\007done\\n'\r")
        client.until(lambda: "done" in "".join(client.screen()[1:]))
        client.type("printf '\\007'\r")  # the bell is pushed after the requests
        before = client.raw.count(b"\x07")
        client.until(lambda: client.raw.count(b"\x07") > before)
        assert (b"\x1b]777;notify;Build;is; ready\x1b\\" in client.raw) is allowed
        assert (b"\x1b]52;c;aGVsbG8=\x07" in client.raw) is allowed
        assert b"\x1b]52;c;?" not in client.raw

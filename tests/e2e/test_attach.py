"""`phux attach` in an emulated terminal: keys, the mouse, sizes, its end, and the bytes it writes."""

from __future__ import annotations

import base64
import contextlib
import os
import signal
import subprocess
import time

import pytest

from faults import faulty_server
from outers import PHUX, OwnTerminal, agree, attached, environment, patient
from phux_client.blocking import Phux
from phux_client.tui.canvas import row_of
from phux_core.server.screen.attach_frames import read_rows
from servers import Cli, eventually, process_gone, server_without_sessions

PREFIX = "\x01"


# Tests that end the server or its service, keep it busy, or depend on ids.
WITH_A_SERVER_OF_THEIR_OWN = {
    "test_a_click_moves_the_focus",
    "test_a_crash_of_attach_restores_the_terminal",
    "test_a_divider_is_dragged",
    "test_a_divider_returns_to_the_mouse_after_it_could_not_follow",
    "test_a_flood_is_painted_at_most_sixty_times_a_second_and_typing_stays_responsive",
    "test_a_killed_keeper_restores_the_terminal",
    "test_a_pane_is_killed_only_after_yes",
    "test_a_paste_of_megabytes_arrives_whole",
    "test_a_program_that_does_not_read_is_not_reported_as_a_silent_service",
    "test_a_program_that_enabled_the_mouse_gets_clicks_in_its_own_coordinates",
    "test_attach_survives_repeated_service_deaths",
    "test_attach_survives_a_service_death_and_types_nothing_twice",
    "test_a_target_can_be_a_window_or_a_pane",
    "test_a_missing_target_is_reported",
    "test_a_stalled_terminal_does_not_block_others",
    "test_attach_without_a_target_chooses_a_session_with_a_running_program",
    "test_attaching_inside_a_pane_is_refused_unless_forced",
    "test_detaching_from_a_frozen_service_works",
    "test_input_that_a_dying_service_did_not_answer_is_typed_once",
    "test_input_that_was_not_answered_for_long_is_not_repeated",
    "test_keys_typed_while_the_service_is_frozen_are_dropped",
    "test_the_end_of_the_server_restores_the_terminal",
    "test_the_mouse_applies_to_the_visible_part_of_a_larger_window",
}


@pytest.fixture
def server(request):
    """A server without sessions, which tests share unless they need their own."""
    own = request.function.__name__ in WITH_A_SERVER_OF_THEIR_OWN
    with server_without_sessions(None if own else request.getfixturevalue("shared_server")) as started:
        yield started


@pytest.fixture
def phux(server):
    with Phux(server.socket) as client:
        client.new_session("work", command=["sh"], size=(80, 23))
        yield client


@pytest.fixture
def cli(server, tmp_path):
    return Cli(server.socket, tmp_path)


@pytest.fixture
def client(server, phux):
    with attached(server.socket, "work") as terminal:
        terminal.shows("[work]")
        yield terminal


@pytest.fixture
def patient_client(server, phux, tmp_path):
    with attached(server.socket, "work", **patient(tmp_path)) as terminal:
        terminal.shows("[work]")
        yield terminal


def window(phux, session="work"):
    (found,) = [one for one in phux.tree().sessions if one.name == session]
    (active,) = [one for one in found.windows if one.active]
    return active


def panes(phux):
    return {pane.id: pane for pane in window(phux).panes}


def active_pane(phux):
    return next(pane.id for pane in window(phux).panes if pane.active)


def press(client, *keys):
    client.type("".join(PREFIX + key for key in keys))


# Display


def test_typed_input_reaches_the_program_and_its_output_is_shown(client, phux):
    client.type("echo $((6 * 7))\r")
    client.shows("42")
    agree(client, phux, "work", client.size)


def test_typing_a_letter_costs_a_few_bytes(client):
    client.type("echo hello")
    client.shows("echo hello")
    client.quiet()
    before = len(client.raw)
    for letter in "world":
        client.type(letter)
        client.quiet()
    assert len(client.raw) - before <= 10


def test_colors_and_styles_are_shown_unchanged(client, phux):
    client.type("printf '\\033[1;4;38;2;1;2;3;48;5;200mX\\033[0m\\n'\r")
    client.until(
        lambda: any(span.text.startswith("X") and span.style.fg == (1, 2, 3) for span in client.engine.spans(0, 24))
    )
    span = next(span for span in client.engine.spans(0, 24) if span.style.fg == (1, 2, 3))
    assert (span.style.bold, span.style.underline, span.style.bg) == (True, "single", 200)


@pytest.mark.parametrize(("number", "shape"), [(2, "block"), (4, "underline"), (6, "bar")])
def test_the_cursor_has_the_shape_that_the_program_gave_it(client, number, shape):
    client.type(f"printf '\\033[{number} q'\r")
    client.until(lambda: client.engine.cursor().shape == shape)


def test_the_cursor_is_hidden_while_the_program_hides_it(client):
    client.type("printf '\\033[?25l'\r")
    client.until(lambda: not client.engine.cursor().visible)


def test_the_title_of_a_pane_is_part_of_the_terminals_title(client):
    client.type("printf '\\033]2;my title\\007'\r")
    client.until(lambda: "my title" in (client.engine.title or ""))
    assert client.engine.title.startswith("work:0:sh")


def test_the_bell_is_passed_on(client):
    client.quiet()
    before = client.raw.count(b"\x07")
    client.type("printf '\\007'\r")
    client.until(lambda: client.raw.count(b"\x07") > before)


def test_a_bell_in_another_window_is_marked_until_it_is_selected(client, phux):
    client.type("sleep 0.5; printf '\\007'\r")
    press(client, "c")
    client.shows("1:sh*")
    client.shows("0:sh!")
    press(client, "0")
    client.shows("0:sh*")
    client.until(lambda: not any("!" in line for line in client.screen()[-1:]))


def test_the_status_line_shows_the_states_of_windows(client):
    client.type("cat\r")
    client.shows("0:cat*?")
    client.type("\x03")
    client.until(lambda: "0:cat*?" not in client.screen()[-1])


def test_a_long_command_is_marked_as_running(client):
    client.type("sleep 100\r")
    client.shows("0:sleep*+")
    client.type("\x03")


def test_large_updates_are_synchronized_if_the_terminal_supports_it(client):
    client.quiet()
    client.raw = b""
    client.type("seq 1 50\r")
    client.until(lambda: "50" in client.screen())
    assert b"\x1b[?2026h" in client.raw
    assert client.raw.count(b"\x1b[?2026h") == client.raw.count(b"\x1b[?2026l")


def test_synchronized_output_of_a_program_is_shown_when_it_is_complete(client, phux):
    client.type("printf '\\033[?2026hBEGUN'; sleep 0.1; printf 'DONE\\033[?2026l'\r")
    client.shows("BEGUNDONE")
    assert b"BEGUN\r" not in client.raw


# Keys


def test_windows_are_created_and_cycled_through(client, phux):
    press(client, "c")
    client.shows("0:sh 1:sh*")
    press(client, "c")
    client.shows("2:sh*")
    press(client, "n")
    client.shows("0:sh*")
    press(client, "p")
    client.shows("2:sh*")
    press(client, "1")
    client.shows("1:sh*")
    press(client, "\t")
    client.shows("2:sh*")
    press(client, "7")
    client.shows("there is no window 7")


@pytest.mark.parametrize(("key", "axis"), [("%", "cols"), ('"', "rows")])
def test_a_pane_is_split_in_its_directory(client, phux, key, axis):
    client.type("cd /usr\r")
    client.shows("cd /usr")
    press(client, key)
    eventually(lambda: len(panes(phux)) == 2)
    assert {getattr(pane, axis) for pane in panes(phux).values()} <= {39, 40, 11}
    client.type("pwd\r")
    client.shows("/usr")
    agree(client, phux, "work", client.size)


def test_arrows_and_letters_move_the_focus(client, phux):
    press(client, "%", '"')
    eventually(lambda: len(panes(phux)) == 3)
    one, two, three = sorted(panes(phux))
    for keys, there in (
        (["\x1b[A"], two),
        (["\x1b[D"], one),
        (["\x1b[C", "\x1b[B"], three),
        (["k"], two),
        (["h"], one),
        (["l", "j"], three),
        (["o"], one),
    ):
        for key in keys:
            press(client, key)
            client.quiet()
        eventually(lambda there=there: active_pane(phux) == there)


def test_moving_a_divider_can_be_repeated_without_the_prefix(client, phux):
    press(client, "%")
    eventually(lambda: len(panes(phux)) == 2)
    left = min(panes(phux))
    before = panes(phux)[left].cols
    press(client, "H")
    client.type("H")
    eventually(lambda: panes(phux)[left].cols == before - 10)
    press(client, "L")
    eventually(lambda: panes(phux)[left].cols == before - 5)
    press(client, '"')
    eventually(lambda: len(panes(phux)) == 3)
    low = max(panes(phux))
    rows = panes(phux)[low].rows
    press(client, "K")
    eventually(lambda: panes(phux)[low].rows == rows + 2)
    press(client, "J")
    eventually(lambda: panes(phux)[low].rows == rows)
    agree(client, phux, "work", client.size)


def test_a_pane_is_zoomed_and_unzoomed(client, phux):
    press(client, "%", "z")
    client.shows("0:sh*Z")
    agree(client, phux, "work", client.size)
    press(client, "z")
    client.until(lambda: "Z" not in client.screen()[-1])
    agree(client, phux, "work", client.size)


def test_a_pane_is_killed_only_after_yes(client, phux):
    press(client, "%", "x")
    client.shows("kill pane @2? (y/n)")
    client.type("n")
    client.shows("[work]")
    assert len(panes(phux)) == 2
    press(client, "x")
    client.shows("kill pane @2?")
    client.type("y")
    eventually(lambda: list(panes(phux)) == [1])
    agree(client, phux, "work", client.size)


def test_a_window_is_killed_only_after_yes(client, phux):
    press(client, "c", "&")
    client.shows("kill window 1:sh? (y/n)")
    client.type("y")
    client.until(lambda: "1:sh" not in client.screen()[-1] and "0:sh*" in client.screen()[-1])


def test_input_typed_right_after_an_answer_goes_to_the_program(client, phux):
    press(client, "c")
    eventually(lambda: len(phux.tree().sessions[0].windows) == 2)
    client.quiet()
    press(client, "&")
    client.shows("kill window 1")
    client.type('yecho go""es on\r')
    client.shows("goes on")
    assert len(phux.tree().sessions[0].windows) == 1


def test_keys_that_arrive_together_are_handled_one_by_one_in_the_tree(client, phux):
    press(client, "c")
    eventually(lambda: len(phux.tree().sessions[0].windows) == 2)
    client.quiet()
    press(client, "w")
    client.shows("choose")
    client.type("gj\r")
    eventually(lambda: phux.tree().sessions[0].windows[0].active)


def test_windows_and_sessions_are_renamed(client, phux):
    press(client, ",")
    client.shows("rename window: sh")
    client.type("\x15日本 x\r")
    client.shows("0:日本 x*")
    press(client, "$")
    client.type("\x15neu\r")
    client.shows("[neu]")
    press(client, "$")
    client.type("\x15a:b\r")
    client.until(lambda: "[neu]" not in client.screen()[-1])


def test_a_name_in_use_is_reported(client, phux):
    phux.new_session("other", command=["sh"])
    press(client, "$")
    client.type("\x15other\r")
    client.shows("'other' exists already")


def test_the_tree_switches_to_another_session_and_can_be_left(client, phux):
    phux.new_session("other", command=["sh"])
    press(client, "w")
    client.shows("other  (1 window)")
    client.type("G\r")
    client.shows("[other]")
    assert {one.name: one.attached_clients for one in phux.tree().sessions} == {"work": 0, "other": 1}
    client.type("echo there\r")
    client.shows("there")
    press(client, "w")
    client.shows("choose")
    client.type("gq")
    client.shows("[other]")


def test_typing_the_prefix_twice_sends_the_prefix(client, phux):
    client.type("cat -v\r")
    client.shows("0:cat*?")
    press(client, PREFIX)
    client.type("\r")
    client.shows("^A")


def test_help_lists_the_keys(client):
    press(client, "?")
    client.shows("C-a, then:")
    client.type("q")
    client.until(lambda: client.screen()[0].rstrip() == "$")


def test_a_prompt_command_is_run_and_its_output_shown(client, phux):
    press(client, ":")
    client.type("rename work:0 renamed\r")
    client.shows("0:renamed*")
    press(client, ":")
    client.type("status\r")
    client.shows("panes")
    client.type("q")
    press(client, ":")
    client.type("nonsense\r")
    client.shows("there is no verb 'nonsense'")


def test_the_prompt_takes_commands_of_tmux_for_the_current_window(client, phux):
    def command(line, shows):
        press(client, ":")
        client.type(f"{line}\r")
        client.shows(shows)

    command("rename-window editor", "0:editor*")
    command("neww -n logs", "1:logs*")
    command("splitw -h -l 20", "│")
    client.until(lambda: [pane.cols for pane in panes(phux).values()] == [59, 20])
    press(client, ":")
    client.type("resize-pane -L 5\r")
    client.until(lambda: [pane.cols for pane in panes(phux).values()] == [54, 25])
    command("selectw -t 0", "0:editor*")
    command("move-window -t 7", "7:editor*")
    command("rename-session play", "[play]")
    command("kill-window -t :1", "ended 2 panes")


def test_unknown_keys_after_the_prefix_do_nothing(client, phux):
    press(client, "\x1b[24~", "Q")
    client.type("echo fine\r")
    client.shows("fine")


def test_key_bindings_of_the_config_file_apply(server, phux, tmp_path):
    config = tmp_path / "config.toml"
    config.write_text(
        'prefix = "C-b"\nstatus = false\n[keys]\n"|" = "split-right"\n"d" = ""\n"F5" = ":rename work:0 five"\n'
    )
    with attached(server.socket, "work", PHUX_CONFIG=str(config)) as client:
        client.shows("$")
        client.type("\x02|")
        eventually(lambda: len(panes(phux)) == 2)
        agree(client, phux, "work", client.size, status=False)
        client.type("\x02d\x02\x1b[15~")
        eventually(lambda: window(phux).name == "five")


def test_an_error_in_the_config_file_is_reported_before_attaching(server, phux, tmp_path):
    config = tmp_path / "config.toml"
    config.write_text('prefix = "C-b"\n[keys]\nx = "explode"\n')
    with attached(server.socket, "work", PHUX_CONFIG=str(config)) as client:
        assert client.wait() == 2
        assert b"config.toml, line 3: `keys.x` is 'explode'" in client.raw
        assert b"\x1b[?1049h" not in client.raw


# Copying


def test_a_line_found_in_copy_mode_is_copied_and_pasted(client, phux):
    client.type("seq 1 300; echo nee''dle; seq 301 $((2999 + 1))\r")
    client.shows("3000")
    press(client, "[")
    client.shows("[0/")
    client.type("/needle\rV\rcat\r")  # typed before the rows have arrived
    client.shows("copied 7 characters")
    assert b"\x1b]52;c;" + base64.b64encode(b"needle\n") in client.raw
    client.shows("0:cat*?")
    press(client, "]")
    client.until(lambda: sum("needle" in line for line in client.screen()) == 2)


def test_copy_mode_stays_frozen_while_the_pane_continues(client, phux):
    client.type("seq 1 $((99 + 1)); sleep 0.3; seq 900 $((998 + 1))\r")
    client.shows("100")
    press(client, "[")
    client.shows("[0/")
    client.type("\x1b[5~")
    client.quiet()
    before = client.screen()[:-1]
    phux.pane("work").wait(until="999", timeout_s=10)
    client.quiet()
    assert client.screen()[:-1] == before
    client.type("q")
    client.shows("999")


# The mouse


def click(client, x, y, button=0):
    client.type(f"\x1b[<{button};{x + 1};{y + 1}M\x1b[<{button};{x + 1};{y + 1}m")


def test_a_click_moves_the_focus(client, phux):
    press(client, "%")
    eventually(lambda: active_pane(phux) == 2)
    click(client, 3, 3)
    eventually(lambda: active_pane(phux) == 1)
    click(client, 60, 3)
    eventually(lambda: active_pane(phux) == 2)


def test_a_divider_is_dragged(client, phux):
    press(client, "%")
    eventually(lambda: len(panes(phux)) == 2)
    client.quiet()
    at = panes(phux)[1].cols
    client.type(f"\x1b[<0;{at + 1};5M\x1b[<32;{at - 3};5M\x1b[<32;{at - 9};5M\x1b[<0;{at - 9};5m")
    eventually(lambda: panes(phux)[1].cols == at - 10)
    agree(client, phux, "work", client.size)


def test_a_divider_returns_to_the_mouse_after_it_could_not_follow(client, phux):
    press(client, "%")
    eventually(lambda: len(panes(phux)) == 2)
    client.quiet()
    at = panes(phux)[1].cols
    client.type(f"\x1b[<0;{at + 1};5M\x1b[<32;200;5M")
    eventually(lambda: panes(phux)[2].cols == 2)
    client.type("\x1b[<32;100;5M\x1b[<32;21;5M\x1b[<0;21;5m")
    eventually(lambda: panes(phux)[1].cols == 20)


def test_the_mouse_applies_to_the_visible_part_of_a_larger_window(server, client, phux, cli):
    press(client, '"')
    eventually(lambda: len(panes(phux)) == 2)
    assert cli("resize", "work", "--policy", "largest").code == 0
    with attached(server.socket, "work", size=(40, 10)) as small:
        small.shows("[work]")
        client.type("clear; echo do''wn here\r")
        small.shows("down here")
        # The last visible row is the second one of the lower pane. The ninth row of the window is in the upper pane.
        small.type('\x1b[<0;1;9M\x1b[<0;1;9mecho cli""cked\r')
        small.shows("clicked")
        assert active_pane(phux) == 2


def test_the_wheel_enters_and_leaves_copy_mode(client, phux):
    client.type("seq 1 $((99 + 1))\r")
    client.shows("100")
    client.type("\x1b[<64;5;5M")
    client.shows("[3/")
    client.type("\x1b[<65;5;5M\x1b[<65;5;5M")
    client.until(lambda: not any("/" in line for line in client.screen()[:1]))


def test_a_program_that_enabled_the_mouse_gets_clicks_in_its_own_coordinates(client, phux):
    press(client, "%")
    eventually(lambda: active_pane(phux) == 2)
    client.type("printf '\\033[?1000h\\033[?1006h'; cat -v\r")
    client.shows("0:cat*?")
    client.quiet()
    place = panes(phux)[1].cols + 1
    click(client, place + 4, 2)
    client.type("\r")
    client.shows("^[[<0;5;3M^[[<0;5;3m")


def test_dragging_selects_and_copies(client, phux):
    client.type("clear; echo alpha beta\r")
    client.until(lambda: client.screen()[0] == "alpha beta")
    client.quiet()
    client.type("\x1b[<0;7;1M\x1b[<32;10;1M\x1b[<0;10;1m")
    client.shows("copied 4 characters")
    assert base64.b64encode(b"beta") in client.raw


def test_a_click_on_a_window_in_the_status_line_selects_the_window(client, phux):
    press(client, "c")
    client.shows("1:sh*")
    click(client, client.screen()[-1].index("0:sh"), 23)
    client.shows("0:sh*")


@pytest.mark.parametrize("key", ["x", "\x1b[D", "\x1b", PREFIX, "\x1b[200~x\x1b[201~"])
def test_any_key_dismisses_a_message(client, phux, key):
    press(client, "9")
    client.shows("there is no window 9")
    client.shows("[work] 0:sh*")
    client.type(key)
    # Without a key, the message would stay for four seconds.
    client.until(lambda: "there is no window 9" not in client.screen()[-1], within_s=3)


def test_the_key_that_closes_the_output_of_a_command_still_has_its_effect(client, phux):
    press(client, ":")
    client.type("status\r")
    client.shows("keeper pid")
    client.type("echo $((6*7))\r")
    client.shows("42")


def test_the_key_that_dismisses_a_message_still_has_its_effect(client, phux):
    press(client, "9")
    client.shows("there is no window 9")
    client.type("echo $((6*7))\r")
    client.shows("42")
    press(client, "9")
    client.shows("there is no window 9")
    press(client, "8")
    client.shows("there is no window 8")
    press(client, "%")
    eventually(lambda: len(panes(phux)) == 2)
    client.shows("[work]", within_s=3)
    press(client, "9")
    client.shows("there is no window 9")
    client.type("\x1b[I")  # not a key: the terminal reports that it has the focus
    client.quiet()
    client.shows("there is no window 9")


# Pastes and focus


def test_a_paste_reaches_the_program_as_a_paste(client, phux):
    client.type("printf '\\033[?2004h'; cat -v\r")
    client.shows("0:cat*?")
    client.quiet()
    client.type("\x1b[200~two\nlines\x1b[201~\r")
    client.shows("lines^[[201~")
    assert any("^[[200~two" in line for line in client.screen())


def test_a_paste_of_megabytes_arrives_whole(client, phux, tmp_path):
    text = "".join(f"line {number:06d} of what is pasted, with some words in it\r" for number in range(32_000))
    assert len(text) > 1_600_000
    file = tmp_path / "pasted"
    client.type(f'stty raw -echo; echo rea""dy; head -c {len(text)} > {file}; stty sane; echo ov""er\r')
    client.shows("ready")
    client.type_all(b"\x1b[200~" + text.encode() + b"\x1b[201~")
    client.shows("over", within_s=30)
    assert file.read_bytes() == text.encode()


def test_focus_events_reach_a_program_that_enabled_them(client, phux):
    client.type("printf '\\033[?1004h'; cat -v\r")
    client.shows("0:cat*?")
    client.quiet()
    client.type("\x1b[O")
    client.type("\x1b[I\r")
    client.shows("^[[O^[[I")


def enable_focus_events(client, phux):
    """Enable focus events in the active pane; return a function that reads the received events from the screen."""
    pane = phux.pane("work")
    pane.wait(state="prompt", timeout_s=10)  # else the prompt could follow the echo of what is typed
    client.type("printf '\\033[?1004h'; cat > /dev/null\r")
    pane.wait(state="awaiting_input", timeout_s=10)
    return lambda: "".join(pane.snapshot().lines).partition("/dev/null")[2].replace("^[[", "")


def test_focus_events_are_sent_when_the_window_or_the_pane_changes(client, phux, cli):
    received = enable_focus_events(client, phux)
    press(client, "c")
    eventually(lambda: received() == "O")
    press(client, "p")
    eventually(lambda: received() == "OI")
    press(client, "%")
    eventually(lambda: received() == "OIO")
    press(client, "o")
    eventually(lambda: received() == "OIOI")
    cli("select", "work:1")
    eventually(lambda: received() == "OIOIO")
    cli("select", "work:0")
    eventually(lambda: received() == "OIOIOI")
    press(client, "d")
    assert client.wait() == 0
    eventually(lambda: received() == "OIOIOIO")


def test_focus_events_are_sent_to_the_program_that_gains_the_focus(client, phux):
    first = enable_focus_events(client, phux)
    press(client, "c")
    client.shows("1:sh*")
    second = enable_focus_events(client, phux)
    press(client, "p")
    eventually(lambda: (first(), second()) == ("OI", "O"))
    client.type("\x1b[O")
    eventually(lambda: first() == "OIO")
    press(client, "n")  # while the terminal is unfocused, no program gains the focus
    client.shows("1:cat*")
    client.type("\x1b[I")
    eventually(lambda: (first(), second()) == ("OIO", "OI"))


def test_focus_events_are_sent_once_for_any_number_of_clients(server, client, phux):
    received = enable_focus_events(client, phux)
    with attached(server.socket, "work") as other, attached(server.socket, "work", "--read-only") as watcher:
        other.shows("[work]")
        watcher.shows("[work]")
        watcher.type("\x1b[O")
        client.type("\x1b[O")
        press(client, "c")
        eventually(lambda: received() == "O")
        press(client, "p")
        eventually(lambda: received() == "OI")
        other.type("\x1b[O")
        eventually(lambda: received() == "OIO")


# Sizes


@pytest.mark.parametrize("size", [(200, 50), (20, 6), (3, 2), (1, 1), (2, 1)])
def test_attach_works_in_a_terminal_of_any_size(server, phux, size):
    with attached(server.socket, "work", size=size) as client:
        client.until(lambda: (window(phux).cols, window(phux).rows) == (size[0], max(1, size[1] - (size[1] > 1))))
        client.type("echo fine\r")
        if size[0] > 10:
            client.shows("fine")
        client.quiet()
        agree(client, phux, "work", size, status=size[1] > 1)
        press(client, "d")
        assert client.wait() == 0


def test_the_window_follows_the_terminal(client, phux):
    press(client, "%")
    eventually(lambda: len(panes(phux)) == 2)
    for size in ((120, 40), (30, 8), (80, 24)):
        client.resize(*size)
        eventually(lambda size=size: (window(phux).cols, window(phux).rows) == (size[0], size[1] - 1))
        client.quiet()
        agree(client, phux, "work", size)


def test_the_smaller_of_two_clients_sets_the_size_and_the_larger_shows_the_edge(server, client, phux):
    client.type("echo shared\r")
    client.shows("shared")
    with attached(server.socket, "work", size=(40, 10)) as small:
        small.shows("[work]")
        eventually(lambda: (window(phux).cols, window(phux).rows) == (40, 9))
        assert phux.tree().sessions[0].attached_clients == 2
        small.type("echo both\r")
        client.shows("both")
        agree(small, phux, "work", small.size)
        agree(client, phux, "work", client.size)
        press(small, "d")
        assert small.wait() == 0
    eventually(lambda: (window(phux).cols, window(phux).rows) == (80, 23))
    agree(client, phux, "work", client.size)


@pytest.mark.parametrize("engine", ["ghostty", "pyte"])
@pytest.mark.parametrize("joins", [False, True])
def test_grapheme_clusters_are_drawn_in_the_columns_of_the_grid(server, phux, tmp_path, engine, joins):
    text = tmp_path / "text"
    text.write_text("A 👩\u200d👩\u200d👧 B end\nA ❤\ufe0f B\nA 🇩🇪 B\nA 👍🏽 B\n")
    with attached(server.socket, "work", engine=engine) as client:
        if joins:
            client.engine.feed(b"\x1b[?2027h")  # pyte measures code points in any case
        client.type(f"yes xxxxxxxxxxxxxxxx | head -40; clear; cat {text}\r")
        client.shows("B end")
        client.quiet()
        rows = [row_of(runs, 80) for runs in read_rows(client.engine, 0, 4)]
        assert [row.index(("B", "")) for row in rows] == [9, 4, 7, 7]


def test_reads_and_typing_do_not_change_the_size(client, phux):
    before = (window(phux).cols, window(phux).rows)
    phux.pane("work").send_keys("echo x", "Enter")
    phux.pane("work").snapshot()
    assert (window(phux).cols, window(phux).rows) == before


# Other clients


def test_a_read_only_client_shows_the_session_and_sends_no_input(server, client, phux):
    with attached(server.socket, "work", "--read-only") as watcher:
        watcher.shows("read-only")
        watcher.type("echo never\r")
        watcher.shows("attached read-only")
        press(watcher, "%")
        watcher.quiet()
        client.type("echo seen\r")
        watcher.shows("seen")
        assert len(panes(phux)) == 1
        assert not any("never" in line for line in client.screen())
        press(watcher, "d")
        assert watcher.wait() == 0


def test_detach_ends_other_clients(client, phux, cli):
    assert cli.json("detach", "work") == {"schema_version": 1, "detached": 1}
    assert client.wait() == 0
    assert b"detached by another client" in client.raw
    assert not phux.ls().sessions[0].attached
    assert cli.json("detach", "--all") == {"schema_version": 1, "detached": 0}
    assert cli("detach", "nowhere").code == 1


def test_attach_shows_changes_made_by_other_clients(client, phux, cli):
    phux.pane("work").send_keys("echo from outside", "Enter")
    client.shows("from outside")
    assert cli("split", "--right", "work").code == 0
    client.until(lambda: "│" in client.screen()[0])
    agree(client, phux, "work", client.size)


def test_a_stalled_terminal_does_not_block_others(server, client, phux):
    with attached(server.socket, "work") as stuck:
        stuck.shows("[work]")
        os.kill(stuck.pid, signal.SIGSTOP)
        client.type("seq 1 20000; echo all''done\r")
        client.shows("alldone")
        os.kill(stuck.pid, signal.SIGCONT)
        stuck.shows("alldone")
        agree(stuck, phux, "work", stuck.size)


# The end of attach


def ends(server, tmp_path, how, **env):
    """Attach, end attach by calling ``how``, check that the terminal is restored, and return the lines it shows."""
    with OwnTerminal(
        ["sh", "-c", f"cd {tmp_path}; stty -g > before; {PHUX} attach work; echo code=$?; stty -g > after"],
        environment(server.socket, **env),
    ) as client:
        client.until(lambda: client.engine.alt_screen)
        client.shows("[work]")
        client.type("printf '\\033[?1000h\\033[?25l'\r")
        client.until(lambda: not client.engine.cursor().visible)
        how(client)
        client.shows("code=")
        client.wait()
        assert (tmp_path / "before").read_text() == (tmp_path / "after").read_text()
        modes = client.engine.modes()
        assert not modes.alt_screen
        assert modes.mouse == "off"
        assert not modes.bracketed_paste
        assert not modes.focus_events
        assert client.engine.cursor().visible
        return [line for line in client.screen() if line]


def child_of(client):
    return int(
        subprocess.run(["pgrep", "-P", str(client.pid)], capture_output=True, text=True, check=True).stdout.split()[0]
    )


@pytest.mark.parametrize(
    ("number", "words"),
    [(signal.SIGTERM, "terminated"), (signal.SIGHUP, "the terminal hung up"), (signal.SIGINT, "interrupted")],
)
def test_a_signal_ends_attach_and_restores_the_terminal(server, phux, tmp_path, number, words):
    lines = ends(server, tmp_path, lambda client: os.kill(child_of(client), number))
    assert lines == [f"[phux: {words}]", f"code={128 + number}"]
    assert phux.ls().sessions[0].name == "work"


def test_detaching_restores_the_terminal(server, phux, tmp_path):
    assert ends(server, tmp_path, lambda client: press(client, "d")) == [
        "[phux: detached from session 'work']",
        "code=0",
    ]


def test_the_end_of_the_session_restores_the_terminal(server, phux, tmp_path):
    phux.new_session("other", command=["sh"])
    assert ends(server, tmp_path, lambda client: client.type("exit\r")) == ["[phux: the session has ended]", "code=0"]


def test_the_end_of_the_server_restores_the_terminal(server, phux, tmp_path):
    lines = ends(server, tmp_path, lambda client: phux.kill_server())
    assert lines == ["[phux: the server has ended: a client asked for it]", "code=0"]


def test_a_killed_keeper_restores_the_terminal(server, phux, tmp_path):
    keeper = phux.status().keeper_pid
    lines = ends(server, tmp_path, lambda client: os.kill(keeper, signal.SIGKILL))
    assert lines == ["[phux: the server has stopped]", "code=1"]


def test_a_crash_of_attach_restores_the_terminal(server, phux, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import phux_client.tui.conversation as conversation\n"
        "def crash(self):\n"
        "    raise RuntimeError('planted')\n"
        "conversation.Conversation.lose = crash\n"
    )
    service = phux.status().service_pid
    lines = ends(server, tmp_path, lambda client: os.kill(service, signal.SIGKILL), PYTHONPATH=str(tmp_path))
    assert lines[0].startswith("phux: attach failed: RuntimeError('planted') (")
    assert lines[-2:] == ["phux: the session keeps running: attach again", "code=1"]


def test_suspending_restores_the_terminal_and_resuming_takes_it_over(server, phux, tmp_path):
    with OwnTerminal(["bash", "--norc", "-i"], environment(server.socket, PS1="outer$ ")) as client:
        client.shows("outer$")
        client.type(f"{PHUX} attach work\r")
        client.shows("[work]")
        press(client, "\x1a")
        client.shows("Stopped")
        assert not client.engine.alt_screen
        client.type("fg\r")
        client.shows("[work]")
        client.type("echo awake\r")
        client.shows("awake")
        agree(client, phux, "work", client.size)
        press(client, "d")
        client.shows("detached")
        client.type("exit\r")
        client.wait()


# The service


def test_attach_survives_a_service_death_and_types_nothing_twice(patient_client, phux):
    patient_client.type("echo before\r")
    patient_client.shows("before")
    press(patient_client, "%")
    eventually(lambda: len(panes(phux)) == 2)
    service = phux.status().service_pid
    os.kill(service, signal.SIGKILL)
    eventually(lambda: process_gone(service))
    patient_client.type("echo after\r")
    patient_client.shows("after", within_s=15)
    patient_client.quiet()
    agree(patient_client, phux, "work", patient_client.size)
    assert sum("echo after" in line for line in patient_client.screen()) == 1


def test_input_that_a_dying_service_did_not_answer_is_typed_once(patient_client, phux, tmp_path):
    file = tmp_path / "typed"
    service = phux.status().service_pid
    os.kill(service, signal.SIGSTOP)
    patient_client.type(f"echo line >> {file}\r")
    patient_client.pump(0.3)
    os.kill(service, signal.SIGKILL)
    patient_client.type("echo aft''er\r")
    patient_client.shows("after", within_s=15)
    assert file.read_text() == "line\n"


@contextlib.contextmanager
def frozen_service(client, phux):
    """Stop the service and type a first key, which is sent before the service is known to be frozen."""
    service = phux.status().service_pid
    os.kill(service, signal.SIGSTOP)
    try:
        client.type("x")
        client.shows("the service is not answering")
        yield service
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(service, signal.SIGCONT)


def test_keys_typed_while_the_service_is_frozen_are_dropped(client, phux):
    with frozen_service(client, phux):
        client.type("\recho st''ale\r")
        client.quiet()
    client.shows("15 keys were dropped")
    client.type("echo fre''sh\r")
    client.shows("fresh")
    assert not any("ale" in line for line in client.screen())


def test_input_that_was_not_answered_for_long_is_not_repeated(client, phux):
    with frozen_service(client, phux) as service:
        client.type("echo st''ale\r")
        client.quiet()
        os.kill(service, signal.SIGKILL)
        client.shows("14 keys were dropped", within_s=15)
    client.type("echo wor''ks\r")
    client.shows("works")
    assert not any("ale" in line for line in client.screen())


def test_detaching_from_a_frozen_service_works(client, phux):
    with frozen_service(client, phux):
        press(client, "d")
        assert client.wait() == 0


def test_a_program_that_does_not_read_is_not_reported_as_a_silent_service(client, phux):
    client.type("stty raw -echo; echo rea''dy; exec sleep 1000\r")
    client.shows("ready")
    client.type_all(b"\x1b[200~" + b"x" * 100_000 + b"\x1b[201~")
    client.until(lambda: b"has not read its input" in client.raw, within_s=20)
    assert b"not answering" not in client.raw


def test_attach_survives_repeated_service_deaths(patient_client, phux):
    for number in range(3):
        service = phux.status().service_pid
        os.kill(service, signal.SIGKILL)
        eventually(lambda service=service: phux.status().service_pid != service)
        patient_client.type(f"echo round-{number}-$((1 + 1))\r")
        patient_client.shows(f"round-{number}-2", within_s=15)
    agree(patient_client, phux, "work", patient_client.size)


DIES_AT_ITS_START = """
from phux_core.server import service
start = service.Service.__init__
def start_or_die(self, *args, **kwargs):
    if is_on():
        os._exit(9)
    start(self, *args, **kwargs)
service.Service.__init__ = start_or_die
"""


def test_attach_waits_for_a_service_that_keeps_dying_and_drops_keys(tmp_path):
    with faulty_server(tmp_path, DIES_AT_ITS_START) as server, Phux(server.socket) as phux:
        phux.new_session("work", command=["sh"], size=(80, 23))
        with attached(server.socket, "work") as client:
            client.shows("[work]")
            server.on()
            os.kill(phux.status().service_pid, signal.SIGKILL)
            client.shows("the service is not ready", within_s=20)
            client.type("echo st''ale\r")
            client.until(lambda: b"the service is restarting" in client.raw)
            server.off()
            client.shows("13 keys were dropped", within_s=20)
            client.type("echo fre''sh\r")
            client.shows("fresh")
            assert not any("ale" in line for line in client.screen())
            agree(client, phux, "work", client.size)


# A flood


def test_a_flood_is_painted_at_most_sixty_times_a_second_and_typing_stays_responsive(client, phux):
    client.type("yes flooding\r")
    client.shows("flooding")
    press(client, "%")
    eventually(lambda: active_pane(phux) == 2)
    client.type("echo li''ve\r")
    started = time.monotonic()
    client.until(lambda: any("live" in line for line in client.screen()), within_s=5)
    assert time.monotonic() - started < 2
    before = client.raw.count(b"\x1b[?2026h")
    client.pump(1.0)
    assert client.raw.count(b"\x1b[?2026h") - before <= 75


# Refusals


def refused(*argv, **env):
    """Run phux in a terminal, check that it fails at once, and return its exit code and output."""
    with OwnTerminal([PHUX, *argv], env) as client:
        code = client.wait()
        assert b"\x1b[?" not in client.raw  # no mode of the terminal was set
        return code, client.raw.decode()


def test_attach_without_a_terminal_is_refused(cli, phux):
    finished = cli("attach", "work")
    assert finished.code == 2
    assert "attach needs a terminal, and standard input is not one" in finished.err


def test_a_dumb_terminal_is_refused(server, phux):
    code, text = refused("attach", "work", **environment(server.socket, TERM="dumb"))
    assert code == 2
    assert "TERM=dumb" in text


def test_attaching_inside_a_pane_is_refused_unless_forced(server, phux):
    code, text = refused("attach", "work", **environment(server.socket, PHUX_PANE="@1"))
    assert code == 2
    assert "is already a pane of a phux session, @1" in text
    with attached(server.socket, "work", "--force", PHUX_PANE="@1") as client:
        client.shows("[work]")


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("nowhere", "no session is called"),
        ("work:7", "has no window"),
        ("@99", "there is no pane @99"),
        ("a:", "no window after the colon"),
    ],
)
def test_a_missing_target_is_reported(server, phux, target, words):
    code, text = refused("attach", target, **environment(server.socket))
    assert code in {1, 2}
    assert words in text


def test_a_target_can_be_a_window_or_a_pane(server, phux, cli):
    assert cli("new-window", "-n", "second", "work").code == 0
    assert cli("select", "work:0").code == 0
    with attached(server.socket, "work:second") as client:
        client.shows("1:second*")
    with attached(server.socket, "@1") as client:
        client.shows("0:sh*")


# The start of attach


def test_attach_starts_a_server_and_a_session_when_there_is_none(runtime, tmp_path):
    env = environment("", XDG_RUNTIME_DIR=str(runtime))
    del env["PHUX_SOCKET"]
    with OwnTerminal([PHUX, "attach"], env) as client:
        client.shows("[0] 0:sh*")
        client.type("exit\r")
        assert client.wait() == 0
        assert b"the session has ended" in client.raw
    assert Cli(str(runtime / "phux" / "phux.sock"), tmp_path)("kill", "--server").code == 0


def test_attach_without_a_target_chooses_a_session_with_a_running_program(server, phux):
    ended = phux.new_session("ended", command=["true"])
    ended.pane.wait(state="dead", timeout_s=10)
    assert phux.tree().focused_session == "ended"
    with attached(server.socket) as client:
        client.shows("[work]")


def test_new_on_a_terminal_attaches(server, phux):
    with OwnTerminal([PHUX, "new", "-s", "mine"], environment(server.socket), (60, 12)) as client:
        client.shows("[mine] 0:sh*")
        assert (window(phux, "mine").cols, window(phux, "mine").rows) == (60, 11)
        press(client, "d")
        assert client.wait() == 0


def test_new_with_json_does_not_attach(server, phux):
    with OwnTerminal([PHUX, "new", "-s", "mine", "--json"], environment(server.socket)) as client:
        assert client.wait() == 0
        assert b'"session": "mine"' in client.raw


# The keys of tmux


def say(client, text):
    """Print a text in the active pane, where the command line does not contain it."""
    client.type(f"clear; echo {text[:1]}''{text[1:]}\r")
    client.shows(text)


def test_the_hint_for_the_prefix_is_shown_until_the_prefix_was_used(server, phux, tmp_path):
    state = {"XDG_STATE_HOME": str(tmp_path)}
    with attached(server.socket, "work", **state) as client:
        client.shows("C-a ?: help")
        press(client, "?")
        client.shows("create a window")
        client.type("q")
        client.until(lambda: "C-a ?: help" not in client.screen()[-1])
    with attached(server.socket, "work", **state) as client:
        client.shows("[work]")
        assert "C-a ?: help" not in client.screen()[-1]
    assert [path.stat().st_mode & 0o777 for path in (tmp_path / "phux", *(tmp_path / "phux").iterdir())] == [
        0o700,
        0o600,
    ]


def test_an_unbound_key_says_so(client):
    press(client, "b")
    client.shows("C-a b is not bound; C-a ? lists the keys")
    press(client, "\x1b")
    client.until(lambda: "not bound" not in client.screen()[-1])


def test_panes_are_swapped_broken_out_and_returned_to(client, phux):
    press(client, "%")
    client.until(lambda: len(panes(phux)) == 2)
    first, second = panes(phux)
    press(client, "{")
    client.until(lambda: list(panes(phux)) == [second, first])
    assert active_pane(phux) == second
    press(client, "}", ";")
    client.until(lambda: list(panes(phux)) == [first, second] and active_pane(phux) == first)
    press(client, ";")
    client.until(lambda: active_pane(phux) == second)
    press(client, "!")
    client.shows("0:sh 1:sh*")
    assert list(panes(phux)) == [second]
    press(client, "!")
    client.shows("the pane has a window of its own")


def test_a_digit_goes_to_the_pane_that_shows_it(client, phux):
    press(client, "%")
    client.until(lambda: len(panes(phux)) == 2)
    press(client, "q")
    client.shows("a digit goes to a pane")
    client.type("0")
    client.until(lambda: active_pane(phux) == min(panes(phux)))
    press(client, "q")
    client.type("echo $((6*7))\r")  # other keys are for the program
    client.shows("42")


def test_windows_are_found_selected_and_moved_by_name_and_index(client, phux):
    phux.session("work").new_window("editor", select=False)
    press(client, ".")
    client.shows("move window 0 to index:")
    client.type("12\r")
    client.shows("1:editor 12:sh*")
    press(client, "'")
    client.type("1\r")
    client.shows("1:editor* 12:sh")
    press(client, "f")
    client.shows("filter: _")
    client.type("12 sh")
    client.shows("filter: 12 sh_")
    client.type("\r")
    client.shows("1:editor 12:sh*")
    press(client, "'")
    client.type("7\r")
    client.shows("there is no window 7")


def test_sessions_are_switched_by_key_and_filter(client, phux):
    phux.new_session("other", command=["sh"])
    phux.new_session("third", command=["sh"])
    press(client, ")")
    client.type("echo in-''other\r")  # keys wait for the next session
    client.shows("[other]")
    client.shows("in-other")
    press(client, "(")
    client.shows("[work]")
    press(client, "s")
    client.shows("(2) third")
    client.type("/thi\r")
    client.shows("[third]")
    press(client, "\x1b[Z")  # BTab
    client.shows("[work]")
    press(client, "s")
    client.shows("(1) other")
    client.type("1")
    client.shows("[other]")


def test_copied_texts_are_chosen_to_paste(client):
    say(client, "first")
    press(client, "[")
    client.type("g0v$y")
    client.shows("copied 5 characters")
    say(client, "second")
    press(client, "[")
    client.type("g0v$y")
    client.shows("copied 6 characters")
    press(client, "=")
    client.shows("(0) 6: 'second'")
    client.type("1")
    client.shows("$ first")


def test_a_double_click_copies_a_word_and_a_triple_click_a_line(client):
    say(client, "one /tmp/two.txt three")
    place = "\x1b[<0;8;1"
    client.type(f"{place}M{place}m{place}M{place}m")
    client.shows("copied 12 characters")
    assert base64.b64encode(b"/tmp/two.txt") in client.raw
    client.type(f"{place}M{place}m")
    client.shows("copied 23 characters")

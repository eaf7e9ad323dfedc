"""Pages of a film as screens, the composed screen of a replay, and its commands."""

import base64
import json
import zlib

from phux_client.moments import Place
from phux_client.replay.commands import Commands
from phux_client.replay.film import frames_of
from phux_client.replay.view import compose, status_line
from phux_client.tui.canvas import BLANK
from phux_client.tui.paint import Painter

START = 1_750_000_000.0
PAGE = {
    "styles": [[0, None, None, None, None], [0b10000001, "single", 2, [1, 2, 3], None]],
    "rows": [[], [[0, 1, "hello", 0]], [[1, 2, "日", 1], [3, 1, ["e\u0301", "\x1b"], 0]]],
    "frames": [
        [0, 0, [0, 0, 1, "block", 0], [[0, 1]], [6, 3]],
        [250, 5, [5, 0, 1, "bar", 1], [[1, 2, 1]]],
        [500, 9, [0, 1, 0, "block", 0], [[0, 2]]],
        [900, 9, [0, 1, 1, "underline", 0], [[1, 1]], [4, 2]],
    ],
}


def frames(document=PAGE):
    data = base64.b64encode(zlib.compress(json.dumps(document).encode())).decode()
    return list(frames_of({"start": START, "data": data}))


def texts(rows):
    return ["".join(glyph for glyph, _style in row).rstrip() for row in rows]


def test_frames_have_the_rows_that_changed_and_those_that_did_not():
    first, second, third, fourth = frames()
    assert [round(frame.at - START, 3) for frame in (first, second, third, fourth)] == [0, 0.25, 0.5, 0.9]
    assert texts(first.rows) == ["hello", "", ""]
    assert texts(second.rows) == ["hello", " 日e\u0301?", "hello"]
    assert texts(third.rows) == [" 日e\u0301?", " 日e\u0301?", "hello"]
    assert second.rows[0] is first.rows[0]
    assert (fourth.cols, texts(fourth.rows)) == (4, ["", "hell"])


def test_styles_become_sgr_parameters():
    _first, second, *_rest = frames()
    assert second.rows[1][:3] == [BLANK, ("日", "1;53;4;38;5;2;48;2;1;2;3"), ("", "1;53;4;38;5;2;48;2;1;2;3")]


def test_the_cursor_has_a_shape_or_is_hidden():
    assert [frame.cursor for frame in frames()] == [(0, 0, 2), (5, 0, 5), None, (0, 1, 4)]


def test_no_control_character_of_a_recording_reaches_the_terminal():
    for code in [*range(32), 127, *range(128, 160), 0x202E]:
        page = PAGE | {"rows": [[], [[0, 1, ["a", chr(code), f"b{chr(code)}"], 0]], [[0, 1, chr(code), 0]]]}
        for frame in frames(page):
            canvas = compose(frame, status_line("playing", START, START, START + 1, f"$ {chr(code)}", 40, 1), 40, 5)
            drawn = b"".join([Painter().paint(canvas)]).decode()
            allowed = {"\x1b", "\r", "\n", "\b"}
            assert not [
                c for c in drawn if (ord(c) < 32 or 127 <= ord(c) < 160 or ord(c) == 0x202E) and c not in allowed
            ]


def test_a_recording_smaller_than_the_terminal_has_a_margin():
    frame = frames()[0]
    canvas = compose(frame, [("s", "")] * 8, 8, 5)
    assert texts(canvas.rows) == ["hello ··", "      ··", "      ··", "········", "ssssssss"]
    assert canvas.cursor == (0, 0, 2)


def test_a_recording_larger_than_the_terminal_is_cut_to_the_part_around_the_cursor():
    second, third, fourth = frames()[1:]
    canvas = compose(second, [("s", "")] * 4, 4, 2)
    assert texts(canvas.rows) == ["llo", "ssss"]
    assert canvas.cursor == (3, 0, 5)
    hidden = compose(third, [("s", "")] * 4, 4, 2)  # a hidden cursor also says where to look
    assert texts(hidden.rows) == [" 日e\u0301", "ssss"]
    assert hidden.cursor is None
    assert compose(fourth, [], 1, 1).cursor == (0, 0, 4)


def test_the_status_line_fits_every_width():
    for cols in range(1, 200):
        line = status_line("paused", START + 75, START, START + 3675, "$ make 日本", cols, 1)
        assert len(line) == cols
    text = texts([line])[0]
    assert text.startswith("[paused]  1:15/1:01:15  ")
    assert "$ make 日本" in text
    assert text.endswith("? keys")


COMMANDS = Commands(
    [
        (START + 0, 0, "state_changed", {"state": "prompt", "command": None}),
        (START + 1, 10, "output", {}),
        (START + 2, 20, "command_started", {"command": "make", "command_id": "1.1"}),
        (START + 2, 20, "state_changed", {"state": "running", "command": "make"}),
        (START + 5, 30, "command_finished", {"exit_code": 0, "command_id": "1.1"}),
        (START + 5, 30, "state_changed", {"state": "prompt", "command": None}),
        (START + 9, 40, "command_started", {"command": "vim", "command_id": "1.2"}),
        (START + 9, 40, "state_changed", {"state": "awaiting_input", "command": "vim"}),
    ]
)


def test_the_running_command_or_the_state_is_known_at_any_time():
    shown = [COMMANDS.shown_at(START + after) for after in (-1, 0, 1, 2, 4.9, 5, 10)]
    assert shown == ["", "prompt", "prompt", "$ make", "$ make", "$ make  exit 0", "$ vim  awaiting_input"]


def test_the_next_command_is_found_from_any_time():
    places = [
        COMMANDS.next_after(Place(after, START + at)) for after, at in ((0, -1), (19, 2), (20, 2), (30, 8), (40, 9))
    ]
    assert [place and (place.seq, place.at - START) for place in places] == [(20, 2), (20, 2), (40, 9), (40, 9), None]
    assert isinstance(places[0], Place)


def test_the_command_before_any_time_is_found():
    places = [
        COMMANDS.last_before(Place(after, START + at)) for after, at in ((0, -1), (20, 2), (21, 2), (40, 9), (40, 10))
    ]
    assert [place and place.seq for place in places] == [None, None, 20, 20, 40]

"""Copy mode: move, search, select and copy in rows that are loaded on request."""

from __future__ import annotations

from collections import deque
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phux_client.tui.canvas import cells_of, fit
from phux_client.tui.copy_mode import CHUNK, CopyMode
from phux_client.tui.copying import Copying
from phux_client.tui.keyboard import KeyPress, MouseEvent, Text

COLS, ROWS = 20, 5


class Reader:
    """A copy mode that receives the rows it requests from the given lines."""

    def __init__(self, lines, wrapped=(), cursor=None):
        self.rows = [(fit(cells_of(line), COLS), at in wrapped) for at, line in enumerate(lines)]
        self.requested = 0
        self.mode = CopyMode(7, COLS, ROWS, len(lines), cursor or (0, min(ROWS, len(lines)) - 1))
        self.serve()

    def serve(self):
        while (wanted := self.mode.wanted()) is not None:
            first, count = wanted
            assert first >= 0
            assert 0 < count <= CHUNK
            self.requested += count
            self.mode.give(first, self.rows[first : first + count])

    def press(self, *keys):
        ended = False
        for key in keys:
            ended = self.mode.take(KeyPress(key[1:-1]) if key.startswith("<") else Text(key))
            self.serve()
        return ended

    def shown(self):
        rows, _cursor = self.mode.picture()
        return ["".join(glyph for glyph, _style in row).rstrip() for row in rows]


LINES = [f"line {number}" for number in range(1000)]


def test_copy_mode_starts_at_the_bottom_of_the_scrollback():
    reader = Reader(LINES)
    assert reader.shown()[1:] == ["line 996", "line 997", "line 998", "line 999"]
    assert reader.mode.picture()[1] == (0, 4)
    assert reader.shown()[0].endswith("[0/995]")


def test_only_rows_near_the_view_are_requested():
    assert Reader(LINES).requested <= 2 * CHUNK


@pytest.mark.parametrize(
    ("keys", "top", "y"),
    [
        (["<Up>"], 995, 998),
        (["k"] * 6, 993, 993),
        (["<PageUp>"], 991, 995),
        (["<PageUp>", "<PageDown>"], 995, 999),
        (["g"], 0, 0),
        (["g", "G"], 995, 999),
        (["<C-u>"], 993, 997),
        (["<C-y>"], 994, 998),
        (["H"], 995, 995),
        (["M"], 995, 997),
        (["g", "<Up>", "<PageUp>"], 0, 0),
        (["<Down>", "<PageDown>"], 995, 999),
    ],
)
def test_keys_move_the_cursor_and_scroll_within_the_scrollback(keys, top, y):
    reader = Reader(LINES)
    assert not reader.press(*keys)
    assert (reader.mode.top, reader.mode.y) == (top, y)


def test_keys_move_by_words_and_to_line_ends():
    reader = Reader(["one two  three"])
    reader.press("w")
    assert reader.mode.x == 4
    reader.press("w")
    assert reader.mode.x == 9
    reader.press("b")
    assert reader.mode.x == 4
    reader.press("$")
    assert reader.mode.x == 13
    reader.press("0")
    assert reader.mode.x == 0


def test_characters_are_selected_and_copied():
    reader = Reader(["alpha", "beta", "gamma"], cursor=(1, 0))
    assert reader.press("v", "j", "j", "<Enter>")
    assert reader.mode.copied == "lpha\nbeta\nga"


def test_lines_are_selected_and_copied():
    reader = Reader(["alpha", "beta", "gamma"], cursor=(3, 1))
    assert reader.press("V", "k", "y")
    assert reader.mode.copied == "alpha\nbeta\n"


def test_wrapped_rows_are_copied_as_one_line():
    reader = Reader(["a" * COLS, "b" * COLS, "c", "d"], wrapped={0, 1}, cursor=(0, 0))
    assert reader.press("V", "j", "j", "j", "y")
    assert reader.mode.copied == "a" * COLS + "b" * COLS + "c\nd\n"


def test_a_wide_glyph_is_copied_completely():
    reader = Reader(["a語b"], cursor=(2, 0))
    assert reader.press("v", "y")
    assert reader.mode.copied == "語"


def test_a_selection_that_includes_unloaded_rows_is_copied_completely():
    reader = Reader(LINES)
    reader.press("$", "v", "g")
    assert reader.mode.take(Text("y")) is False
    reader.serve()
    assert reader.mode.copied.splitlines()[1:] == LINES[1:]


def test_enter_without_a_selection_ends_copy_mode_and_copies_nothing():
    reader = Reader(LINES)
    assert reader.press("<Enter>")
    assert reader.mode.copied is None


def test_escape_clears_the_selection_and_a_second_escape_ends_copy_mode():
    reader = Reader(LINES)
    assert not reader.press("v", "<Escape>")
    assert reader.press("<Escape>")


def test_search_goes_to_the_next_and_previous_match():
    reader = Reader(["needle 1", *["hay"] * 500, "a Needle 2 needle 3", *["hay"] * 10])
    reader.mode.search("needle", upwards=True)
    reader.serve()
    assert (reader.mode.y, reader.mode.x) == (501, 11)
    reader.press("n")
    assert (reader.mode.y, reader.mode.x) == (501, 2)
    reader.press("n")
    assert (reader.mode.y, reader.mode.x) == (0, 0)
    reader.press("N")
    assert (reader.mode.y, reader.mode.x) == (501, 2)
    reader.press("n", "n")
    assert reader.mode.message == "not found"
    assert reader.mode.y == 0
    reader.mode.search("hay", upwards=False)
    assert reader.mode.message == ""


def test_a_search_with_a_capital_letter_is_case_sensitive():
    reader = Reader(["Needle", "needle", ""])
    reader.mode.search("Needle", upwards=True)
    reader.serve()
    assert reader.mode.y == 0


def test_wide_text_is_found():
    reader = Reader(["a日本語", ""])
    reader.mode.search("日本", upwards=True)
    assert (reader.mode.y, reader.mode.x) == (0, 1)


def test_the_wheel_scrolls_and_ends_copy_mode_at_the_bottom():
    reader = Reader(LINES)
    assert not reader.mode.take(MouseEvent("press", "wheel_up", 0, 0))
    assert reader.mode.top == 992
    assert not reader.mode.take(MouseEvent("press", "wheel_down", 0, 0))
    assert reader.mode.take(MouseEvent("press", "wheel_down", 0, 0))


def test_dragging_with_the_mouse_selects_and_copies():
    reader = Reader(["alpha", "beta"])
    assert not reader.mode.take(MouseEvent("press", "left", 1, 0))
    assert not reader.mode.take(MouseEvent("move", "left", 3, 1))
    assert reader.mode.take(MouseEvent("release", "left", 3, 1))
    assert reader.mode.copied == "lpha\nbeta"


KEYS = [
    "<Up>",
    "<Down>",
    "<Left>",
    "<Right>",
    "<PageUp>",
    "<PageDown>",
    "g",
    "G",
    "v",
    "V",
    *("<C-v>", "e", "W", "{", "}", "*", "o", "f", ";", ",", "9"),
    "w",
    "b",
    "$",
    "0",
    "n",
    "N",
    "H",
    "M",
    "L",
    "<C-y>",
    "<C-e>",
    "<C-u>",
    "y",
]


@settings(deadline=None, max_examples=80)
@given(st.integers(1, 400), st.lists(st.sampled_from(KEYS), max_size=40))
def test_no_key_sequence_moves_the_cursor_out_of_bounds(count, keys):
    reader = Reader([f"語 {number}" for number in range(count)])
    reader.mode.search("1", upwards=True)
    reader.serve()
    for key in keys:
        if reader.press(key):
            break
        mode = reader.mode
        rows, (x, y) = mode.picture()
        assert 0 <= mode.top <= max(0, count - 1)
        assert mode.top <= mode.y < count
        assert 0 <= x < COLS
        assert 0 <= y < ROWS
        assert all(len(row) == COLS for row in rows)


def copied(reader, *keys):
    assert reader.press(*keys)
    return reader.mode.copied


def at(reader):
    return reader.mode.x, reader.mode.y


def test_the_space_key_starts_a_selection():
    assert copied(Reader(["one two"]), "0", " ", "l", "l", "y") == "one"


def test_a_rectangle_is_copied_without_the_text_beside_it():
    reader = Reader(["abcdef", "語語語", "ab"])
    assert copied(reader, "g", "0", "l", "<C-v>", "G", "l", "l", "y") == "bcd\n語語\nb"


def test_the_shape_of_a_selection_changes_in_place():
    reader = Reader(["abcdef", "abcdef"])
    assert copied(reader, "g", "0", "l", "v", "j", "l", "<C-v>", "V", "v", "y") == "bcdef\nabc"


def test_the_key_o_goes_to_the_other_end_of_the_selection():
    reader = Reader(["abcdef"])
    reader.press("0", "l", "l", " ", "l", "o")
    assert at(reader) == (2, 0)
    assert copied(reader, "h", "y") == "bcd"


@pytest.mark.parametrize(
    ("keys", "column"),
    [("fa", 2), ("ta", 1), ("fa;", 6), ("fa;,", 2), ("$Fa", 6), ("$Ta", 7), ("tz", 0), ("$Fa;", 2), ("f ", 3)],
)
def test_characters_in_the_row_are_found(keys, column):
    reader = Reader(["b-a b-a b"])
    reader.press("0", *keys)
    assert at(reader) == (column, 0)


@pytest.mark.parametrize(
    ("keys", "column"), [("w", 3), ("ww", 4), ("W", 7), ("e", 2), ("E", 5), ("$b", 9), ("$B", 7), ("3w", 7), ("^", 0)]
)
def test_words_end_at_punctuation_and_large_words_at_blanks(keys, column):
    reader = Reader(["foo.ba a-cd"])
    reader.press("0", *keys)
    assert at(reader) == (column, 0)


def test_words_go_on_in_other_rows():
    reader = Reader(["one", "  two", "", "three"])
    reader.press("g", "0", "w")
    assert at(reader) == (2, 1)
    reader.press("w", "w")
    assert at(reader) == (0, 3)
    reader.press("b", "b")
    assert at(reader) == (2, 1)


def test_a_number_repeats_a_key():
    reader = Reader(LINES)
    reader.press("g", "1", "2", "j")
    assert reader.mode.y == 12
    reader.press("2", "0", "0", "k")
    assert reader.mode.y == 0


def test_braces_go_from_paragraph_to_paragraph():
    reader = Reader(["a", "b", "", "", "c", "", "d"])
    reader.press("g", "}")
    assert reader.mode.y == 2
    reader.press("}")
    assert reader.mode.y == 5
    reader.press("}")
    assert reader.mode.y == 6
    reader.press("{", "{")
    assert reader.mode.y == 3


def test_the_star_searches_the_word_at_the_cursor():
    reader = Reader(["foo bar", "x", "bar foo"])
    reader.press("g", "0", "*")
    assert at(reader) == (4, 2)
    reader.press("#")
    assert at(reader) == (0, 0)


@pytest.mark.parametrize(("clicks", "text"), [(2, "/tmp/語.txt"), (3, 'a "/tmp/語.txt"\n')])
def test_clicks_copy_a_word_or_a_line(clicks, text):
    reader = Reader(['a "/tmp/語.txt"'])
    assert reader.mode.take(MouseEvent("press", "left", 5, 0, clicks=clicks))
    assert reader.mode.copied == text


def test_a_word_that_is_clicked_before_its_row_is_loaded_is_copied_when_it_is():
    mode = CopyMode(7, COLS, ROWS, 1, (0, 0))
    assert not mode.take(MouseEvent("press", "left", 1, 0, clicks=2))
    assert mode.is_busy
    mode.give(0, [(fit(cells_of("word x"), COLS), False)])
    assert mode.copied == "word"


# Typed input that must wait


class Client:
    """A client with a copy mode of ``count`` rows; the test replies to its requests."""

    def __init__(self, count):
        self.asked = []
        self.model = SimpleNamespace(active_pane=7)
        self.server = SimpleNamespace(ask=self._ask, attachment=1)
        self.screen = SimpleNamespace(touch=lambda: None, say=lambda text: None)
        self.outer = SimpleNamespace(set_clipboard=lambda text: True)
        self.copying = Copying(self)
        self._count = count

    def _ask(self, call, on_reply=None, _on_error=None, /, **params):
        self.asked.append((call, on_reply, params))

    def reply(self):
        call, on_reply, params = self.asked.pop()
        if call == "freeze":
            on_reply({"cols": COLS, "rows": ROWS, "total": self._count, "cursor": [0, 0]})
        elif call == "frozen_rows":
            count = params["count"]
            on_reply({"rows": [[[0, 1, "text", ""]]] * count, "wrapped": [False] * count})

    def type(self, *events):
        """Type keys, and return the keys that must wait."""
        typed = deque(events)
        while typed and not self.copying.holds(typed):
            self.copying.take(typed.popleft())
        return list(typed)


def test_keys_wait_until_copy_mode_has_opened():
    client = Client(5)
    client.copying.begin(7)
    assert client.type(Text("v"), Text("y")) == [Text("v"), Text("y")]
    client.reply()
    assert client.type(Text("v")) == [Text("v")]
    client.reply()
    assert client.type(Text("v")) == []


def test_keys_wait_for_the_rows_of_a_long_copy():
    client = Client(1000)
    client.copying.begin(7)
    client.reply()
    client.reply()
    assert client.type(Text("v"), Text("g"), Text("y")) == [Text("y")]
    client.reply()
    assert client.type(Text("y"), Text("x")) == [Text("x")]
    while client.asked[-1][0] == "frozen_rows":
        client.reply()
    assert client.copying.buffers[0].count("text") == 995
    assert client.type(Text("x")) == []


@pytest.mark.parametrize("key", [KeyPress("Escape"), KeyPress("C-c"), Text("q")])
def test_a_key_cancels_a_long_copy_and_discards_the_keys_before_it(key):
    client = Client(1000)
    client.copying.begin(7)
    client.reply()
    client.reply()
    assert client.type(Text("v"), Text("g"), Text("y")) == [Text("y")]
    client.reply()
    assert client.type(Text("y"), Text("x")) == [Text("x")]
    assert client.type(Text("x"), key) == []
    assert client.asked[-1][0] == "thaw"
    assert not client.copying.is_on
    assert client.copying.buffers == []

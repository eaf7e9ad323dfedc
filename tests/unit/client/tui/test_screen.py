"""The composed screen: panes, dividers, the status line, prompts and boxes, at any size."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phux_client.tui.box import Box, Picker, choices, key_list
from phux_client.tui.canvas import cells_of
from phux_client.tui.compose import ACTIVE_BORDER, BORDER, OUTSIDE, Composer
from phux_client.tui.keyboard import KeyPress, MouseEvent, Text
from phux_client.tui.model import Model
from phux_client.tui.prompts import Ask, Confirm
from phux_client.tui.status import ALERT, message_line, status_line, window_label
from phux_core import layout as layouts
from phux_core.bindings import ACTIONS, DEFAULTS, Bindings, canonical, is_action, is_key
from phux_core.errors import BadConfigError, BadSizeError, LimitError

BESIDE = {"direction": "right", "ratio": 0.5, "first": 1, "second": 2}
THREE = {
    "direction": "right",
    "ratio": 0.5,
    "first": 1,
    "second": {"direction": "down", "ratio": 0.5, "first": 2, "second": 3},
}


def view(layout=1, cols=20, rows=6, active=1, zoomed=None, names=("sh",), session="work"):
    return {
        "session": {"id": 1, "name": session},
        "windows": [
            {
                "id": number + 10,
                "index": number,
                "name": name,
                "active": number == 0,
                "zoomed": False,
                "bell": False,
                "state": "prompt",
            }
            for number, name in enumerate(names)
        ],
        "window": {"id": 10, "cols": cols, "rows": rows, "layout": layout, "zoomed": zoomed, "active_pane": active},
        "read_only": False,
    }


def frame(pane, cols, rows, lines=(), cursor=(0, 0, True, 1)):
    runs = [[y, [[0, 1, text, ""]]] for y, text in enumerate(lines)]
    return {"pane": pane, "seq": 1, "size": [cols, rows], "rows": runs, "cursor": list(cursor), "title": ""}


def model_of(layout, cols=20, rows=6, active=1, zoomed=None, lines=None, cursor=(0, 0, True, 1)):
    model = Model()
    model.take_view(view(layout, cols, rows, active, zoomed))
    for pane, place in model.arrangement.panes.items():
        text = (lines or {}).get(pane, [str(pane) * place.cols] * place.rows)
        model.take_frame(frame(pane, place.cols, place.rows, text, cursor))
    return model


def text_in(canvas):
    return [text_of(row).rstrip() for row in canvas.rows]


def text_of(row):
    return "".join(glyph for glyph, _style in row)


def test_panes_are_drawn_side_by_side_with_a_divider_between_them():
    canvas = Composer().compose(model_of(BESIDE, 9, 2), 9, 2)
    assert text_in(canvas) == ["1111│2222", "1111│2222"]


def test_dividers_that_meet_are_joined():
    canvas = Composer().compose(model_of(THREE, 9, 5), 9, 5)
    assert text_in(canvas) == ["1111│2222", "1111│2222", "1111├────", "1111│3333", "1111│3333"]


def test_the_border_of_the_active_pane_is_highlighted():
    canvas = Composer().compose(model_of(THREE, 9, 5, active=3), 9, 5)
    assert [canvas.rows[y][4][1] for y in range(5)] == [BORDER, BORDER, ACTIVE_BORDER, ACTIVE_BORDER, ACTIVE_BORDER]
    assert canvas.rows[2][8][1] == ACTIVE_BORDER


def test_a_zoomed_pane_fills_the_screen():
    canvas = Composer().compose(model_of(BESIDE, 9, 2, active=2, zoomed=2), 9, 2)
    assert text_in(canvas) == ["222222222", "222222222"]


def test_the_cursor_of_the_active_pane_is_shown():
    canvas = Composer().compose(model_of(BESIDE, 9, 4, active=2, cursor=(1, 2, True, 6)), 9, 4)
    assert canvas.cursor == (6, 2, 6)
    hidden = Composer().compose(model_of(BESIDE, 9, 4, cursor=(1, 2, False, 1)), 9, 4)
    assert hidden.cursor is None


def test_a_wide_glyph_cut_by_a_divider_becomes_a_blank():
    model = model_of(BESIDE, 9, 1)
    model.take_frame({"pane": 1, "seq": 2, "size": [6, 1], "rows": [[0, [[3, 2, "語", ""]]]]})
    canvas = Composer().compose(model, 9, 1)
    assert text_in(canvas) == ["    │2222"]
    assert len(canvas.rows[0]) == 9


def test_the_area_outside_a_smaller_window_is_filled():
    canvas = Composer().compose(model_of(1, 3, 1), 5, 2)
    assert canvas.rows[0][3:] == [OUTSIDE] * 2
    assert canvas.rows[1] == [OUTSIDE] * 5


def test_a_larger_window_is_cut_to_the_part_with_the_cursor():
    lines = {1: [f"{y}123456789" for y in range(8)]}
    canvas = Composer().compose(model_of(1, 10, 8, lines=lines, cursor=(9, 7, True, 1)), 4, 3)
    assert text_in(canvas) == ["6789", "6789", "6789"]
    assert canvas.cursor[:2] == (3, 2)


def test_a_box_is_centered_and_cut_to_the_screen():
    canvas = Composer().compose(model_of(1, 20, 6), 20, 6, box=([cells_of("abc")], "t"))
    assert text_in(canvas)[1] == "1111┌ t ───────┐1111"
    tiny = Composer().compose(model_of(1, 3, 2), 3, 2, box=([cells_of("abcdef")] * 5, ""))
    assert text_in(tiny) == ["abc", "abc"]


sides = st.sampled_from(["right", "down"])


@settings(deadline=None, max_examples=60)
@given(
    st.integers(1, 30),
    st.integers(1, 12),
    st.integers(1, 40),
    st.integers(1, 15),
    st.lists(st.tuples(st.integers(0, 10), sides), max_size=5),
    st.booleans(),
)
def test_any_window_fills_a_terminal_of_any_size_exactly(cols, rows, outer_cols, outer_rows, splits, boxed):
    tree = 1
    for number, (place, side) in enumerate(splits, start=2):
        panes = list(layouts.panes(tree))
        try:
            tree = layouts.split(tree, cols, rows, panes[place % len(panes)], number, side)
        except (BadSizeError, LimitError):
            continue
    model = model_of(tree, cols, rows, lines={1: ["語é"]})
    status = None
    if outer_rows > 1:
        status, places = status_line(view(names=["一", "two"]), outer_cols, 0.0)
        assert all(start <= end for start, end, _window in places)
    box = Box(key_list(Bindings()), "keys").overlay(outer_cols, outer_rows) if boxed else None
    canvas = Composer().compose(model, outer_cols, outer_rows, status=status, box=box)
    assert len(canvas.rows) == outer_rows
    assert all(len(row) == outer_cols for row in canvas.rows)
    for row in canvas.rows:
        assert all(glyph or (x and row[x - 1][0]) for x, (glyph, _style) in enumerate(row))


# The status line


def test_the_status_line_shows_the_session_the_windows_and_the_clock():
    line, places = status_line(view(names=["sh", "vim"]), 60, 0.0)
    assert text_of(line).startswith("[work] 0:sh* 1:vim ")
    assert text_of(line).rstrip().endswith(":00")
    assert places == [(7, 13, 10), (13, 19, 11)]


@pytest.mark.parametrize(
    ("changes", "label"),
    [
        ({}, "0:sh"),
        ({"active": True, "zoomed": True}, "0:sh*Z"),
        ({"bell": True}, "0:sh!"),
        ({"state": "running"}, "0:sh+"),
        ({"state": "awaiting_input"}, "0:sh?"),
        ({"state": "awaiting_secret"}, "0:sh#"),
        ({"state": "dead"}, "0:shx"),
        ({"state": "fullscreen"}, "0:sh"),
    ],
)
def test_a_window_label_shows_flags_bell_and_state(changes, label):
    window = {"index": 0, "name": "sh", "active": False, "zoomed": False, "bell": False, "state": "prompt"}
    assert window_label(window | changes) == label


@pytest.mark.parametrize("cols", [1, 2, 5, 10, 20, 21, 40, 200])
def test_the_status_line_fits_any_width_and_keeps_the_active_window(cols):
    many = view(names=[f"window-{n}" for n in range(30)], session="日本語" * 5)
    many["windows"][0]["active"], many["windows"][17]["active"] = False, True
    line, places = status_line(many, cols, 0.0, note="note")
    assert len(line) == cols
    assert any(window == 27 for _start, _end, window in places)
    if cols >= 20:
        assert "17:window-17*" in text_of(line)


def test_a_message_line_has_no_escape_characters_and_fits_the_width():
    assert "\x1b" not in text_of(message_line("\x1b[2J", 20))
    assert len(message_line("a" * 100, 20)) == 20


def test_a_message_leaves_the_windows_visible_if_there_is_room():
    line, places = status_line(view(names=["sh", "vim"]), 60, 0.0, message="copied 5 characters")
    assert text_of(line).startswith("[work] 0:sh* 1:vim ")
    assert text_of(line).endswith(" copied 5 characters ")
    assert [window for *_place, window in places] == [10, 11]
    line, places = status_line(view(names=["sh", "vim"]), 60, 0.0, message="m" * 100)
    assert text_of(line) == f" {'m' * 58}…"
    assert places == []


def test_signs_show_where_windows_do_not_fit_and_lead_to_them():
    many = view(names=[f"window-{n}" for n in range(30)])
    line, places = status_line(many, 60, 0.0)
    assert " < " not in text_of(line)
    assert " > " in text_of(line)
    shown = [window for *_place, window in places]
    assert shown == list(range(10, 10 + len(shown)))
    start, _end, _window = places[-1]
    assert text_of(line)[start] == ">"
    many["windows"][0]["active"], many["windows"][17]["active"] = False, True
    many["windows"][3]["bell"] = True
    line, places = status_line(many, 60, 0.0)
    assert text_of(line)[places[0][0]] == "<"
    assert line[places[0][0]][1] == ALERT
    assert places[0][2] == places[1][2] - 1
    line, _places = status_line(view(names=["sh", "vim"]), 60, 0.0)
    assert ">" not in text_of(line)


# Prompts


def type_into(prompt, *events):
    return [prompt.take(KeyPress(event[1:-1]) if event.startswith("<") else Text(event)) for event in events]


def test_prompt_text_can_be_edited_and_submitted():
    entered = []
    ask = Ask(":", entered.append, text="name")
    type_into(
        ask,
        "<C-u>",
        "hello world",
        "<C-w>",
        "there",
        "<Home>",
        "<Delete>",
        "H",
        "<End>",
        "<BSpace>",
        "e!",
        "<Left>",
        "<Delete>",
    )
    assert type_into(ask, "<Enter>") == [True]
    assert entered == ["Hello there"]


@pytest.mark.parametrize("key", ["Escape", "C-c", "C-g"])
def test_the_keys_escape_c_c_and_c_g_cancel_a_prompt(key):
    entered = []
    assert Ask(":", entered.append).take(KeyPress(key))
    assert entered == []


def test_up_and_down_recall_earlier_prompt_entries():
    remembered = []
    type_into(Ask(":", lambda text: None, remembered=remembered), "one", "<Enter>")
    type_into(Ask(":", lambda text: None, remembered=remembered), "two", "<Enter>")
    ask = Ask(":", lambda text: None, remembered=remembered)
    type_into(ask, "<Up>", "<Up>")
    assert ask.text == "one"
    type_into(ask, "<Down>")
    assert ask.text == "two"


@pytest.mark.parametrize("cols", [1, 5, 12, 80])
def test_the_cursor_stays_visible_in_a_long_prompt_line(cols):
    row, cursor = Ask("rename:", lambda text: None, text="x" * 50 + "語").line(cols)
    assert len(row) == cols
    assert 0 <= cursor < cols


def test_only_the_key_y_confirms():
    confirmed = []
    assert Confirm("kill?", lambda: confirmed.append(1)).take(Text("n"))
    assert Confirm("kill?", lambda: confirmed.append(1)).take(KeyPress("Enter"))
    assert not Confirm("kill?", lambda: confirmed.append(1)).take(MouseEvent("press", "left", 0, 0))
    assert confirmed == []
    assert Confirm("kill?", lambda: confirmed.append(1)).take(Text("y"))
    assert confirmed == [1]


# The picker


TREE = {
    "sessions": [
        {
            "id": 1,
            "name": "work",
            "attached_clients": 1,
            "windows": [
                {
                    "id": 10,
                    "index": 0,
                    "name": "sh",
                    "active": True,
                    "panes": [{"id": 1, "index": 0, "active": True, "command": "sh", "state": "prompt", "cwd": "/"}],
                },
                {
                    "id": 11,
                    "index": 1,
                    "name": "two",
                    "active": False,
                    "panes": [
                        {"id": 2, "index": 0, "active": True, "command": "sh", "state": "prompt", "cwd": "/"},
                        {"id": 3, "index": 1, "active": False, "command": "vi", "state": "fullscreen", "cwd": None},
                    ],
                },
            ],
        },
        {
            "id": 2,
            "name": "other",
            "attached_clients": 0,
            "windows": [
                {
                    "id": 12,
                    "index": 0,
                    "name": "x",
                    "active": True,
                    "panes": [{"id": 4, "index": 0, "active": True, "command": "sh", "state": "prompt", "cwd": "/"}],
                }
            ],
        },
    ]
}


def picker(current, chosen):
    offered = choices(TREE)
    return Picker([one[0] for one in offered], "choose", current, chosen.append, found=[one[1] for one in offered])


def test_the_choices_of_a_tree_are_sessions_windows_and_panes():
    assert [choice[2:] for choice in choices(TREE)] == [
        (1, "session", 1),
        (1, "window", 10),
        (1, "window", 11),
        (1, "pane", 2),
        (1, "pane", 3),
        (2, "session", 2),
        (2, "window", 12),
    ]


def test_the_enter_key_chooses_the_current_line():
    chosen = []
    box = picker(2, chosen)
    assert not box.take(KeyPress("Down"))
    assert box.take(KeyPress("Enter"))
    assert chosen == [3]


def test_the_key_q_closes_a_list_without_a_choice():
    chosen = []
    assert not picker(1, chosen).take(Text("x"))
    assert picker(1, chosen).take(Text("q"))
    assert chosen == []


@pytest.mark.parametrize("size", [(1, 1), (10, 3), (80, 24)])
def test_a_list_scrolls_to_the_current_line(size):
    box = picker(1, [])
    box.overlay(*size)
    box.take(Text("G"))
    shown = [text_of(line) for line in box.overlay(*size)[0]]
    assert shown[-1].strip().startswith("(6)   0: x"[: max(1, size[0] - 3)].strip()) or size == (1, 1)


def lines_of(box):
    return [text for line in box.overlay(80, 24)[0] if (text := text_of(line).strip())]


def test_a_filter_finds_the_lines_that_have_all_its_words():
    chosen = []
    box = picker(1, chosen)
    for character in "/WORK vi":
        assert not box.take(Text(character))
    assert lines_of(box) == ["work:1.1 @3  vi  fullscreen"]
    assert "filter: WORK vi_" in box.overlay(80, 24)[1]
    assert box.take(KeyPress("Enter"))
    assert chosen == [4]


def test_escape_ends_a_filter_and_keeps_the_current_line():
    box = picker(0, [])
    for event in (Text("/"), Text("v"), Text("i"), KeyPress("Escape")):
        assert not box.take(event)
    assert len(lines_of(box)) == len(choices(TREE))
    assert box.take(KeyPress("Escape"))


def test_enter_chooses_nothing_if_a_filter_finds_nothing():
    chosen = []
    box = picker(0, chosen)
    for character in "/zzz":
        box.take(Text(character))
    assert lines_of(box) == ["nothing matches"]
    assert not box.take(KeyPress("Enter"))
    box.take(KeyPress("C-u"))
    assert box.take(KeyPress("Enter"))
    assert len(chosen) == 1


def test_a_digit_chooses_the_line_that_shows_it():
    chosen = []
    assert picker(0, chosen).take(Text("5"))
    assert chosen == [5]


def test_a_text_box_scrolls_and_any_other_key_closes_it():
    box = Box([str(number) for number in range(9)], "text")
    box.overlay(20, 5)
    assert not box.take(KeyPress("PageDown"))
    shown, title = box.overlay(20, 5)
    assert [text_of(line).strip() for line in shown] == ["3", "4", "5"]
    assert title == "text 6/9"
    assert box.take(Text("x"))
    assert box.is_passed_on


@pytest.mark.parametrize("key", [KeyPress("Escape"), KeyPress("Enter"), Text("q")])
def test_a_key_that_asks_to_leave_a_text_box_only_closes_it(key):
    box = Box(["text"], "text")
    assert box.take(key)
    assert not box.is_passed_on


# Bindings


def test_every_default_binding_has_a_valid_key_and_action():
    assert set(DEFAULTS.values()) <= set(ACTIONS)
    assert all(canonical(key) == key for key in DEFAULTS)


@pytest.mark.parametrize(
    ("key", "action"),
    [
        ("d", "detach"),
        ("c", "new-window"),
        ("3", "window-3"),
        ("%", "split-right"),
        ('"', "split-down"),
        ("C-a", "send-prefix"),
        ("Up", "focus-up"),
        ("K", "resize-up"),
        ("&", "kill-window"),
        (":", "command-prompt"),
    ],
)
def test_default_keys_are_bound_to_their_actions(key, action):
    assert Bindings().action(key) == action


def test_bindings_can_be_changed_added_and_removed():
    bindings = Bindings("c-B", {"|": "split-right", "x": "", "F5": ":tree"})
    assert bindings.prefix == "C-b"
    assert bindings.action("C-b") == "send-prefix"
    assert bindings.action("|") == "split-right"
    assert bindings.action("x") is None
    assert bindings.action("F5") == ":tree"
    assert bindings.action("C-a") is None


def test_invalid_keys_and_actions_are_recognized():
    assert not is_key("Foo")
    assert not is_key(1)
    assert is_key("%")
    assert not is_action("explode")
    assert not is_action(":")
    assert is_action(":split .")
    with pytest.raises(BadConfigError):
        canonical("Foo")


def test_the_key_list_contains_every_binding():
    text = "\n".join(key_list(Bindings("C-b", {"F5": ":tree"})))
    assert "C-b, then:" in text
    assert "0-9" in text
    assert all(ACTIONS[action] in text for action in set(DEFAULTS.values()) if not action.startswith("window-"))
    assert ":tree" in text

"""The grid without a server: the places of tiles, their order, the selection, and what they show."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phux_client.grid.arranging import LEAST_COLS, LEAST_ROWS, Arrangement
from phux_client.grid.model import GridModel
from phux_client.grid.tiles import draw_tile
from phux_client.grid.view import compose
from phux_client.overview import OverviewPane
from phux_client.tui.model import PaneModel
from phux_client.tui.paint import Painter
from phux_core import engine as engines

# The deadline of hypothesis is not for machines that other programs keep busy.
patient = settings(deadline=None, max_examples=60)
sizes = st.tuples(st.integers(1, 300), st.integers(1, 100))


def pane(number=1, **fields):
    place = {"id": number, "session": f"s{number}", "window": 0, "window_name": "sh", "index": 0}
    known = {"cols": 80, "rows": 24, "title": "", "state": "prompt", "command": "sh", "cwd": "/tmp"}
    return OverviewPane(**place | known | fields)


def model_of(*panes, cols=80, rows=24, now=0.0):
    model = GridModel()
    model.overview.panes = {one.id: one for one in panes}
    model.update(cols, rows, now)
    return model


def order(model):
    return [one.id for one in model.panes]


def text(rows):
    return ["".join(glyph for glyph, _style in row) for row in rows]


# Places


@patient
@given(st.integers(0, 500), sizes)
def test_tiles_cover_the_screen_without_overlap(count, size):
    arranged = Arrangement(count, *size)
    taken = set()
    for number in range(arranged.shown):
        x, y, cols, rows = arranged.place(number)
        cells = {(column, row) for column in range(x, x + cols) for row in range(y, y + rows)}
        assert not cells & taken
        taken |= cells
    assert len(taken) == size[0] * size[1]


@patient
@given(st.integers(1, 500), sizes)
def test_tiles_are_legible_or_the_screen_is_too_small(count, size):
    arranged = Arrangement(count, *size)
    _x, _y, cols, rows = arranged.place(0)
    assert cols >= min(LEAST_COLS, size[0])
    assert rows >= min(LEAST_ROWS, size[1])
    assert arranged.shown >= min(count, (size[0] // LEAST_COLS) * (size[1] // LEAST_ROWS))


def test_one_pane_gets_the_whole_screen_and_few_panes_large_tiles():
    assert Arrangement(1, 120, 40).place(0) == (0, 0, 120, 40)
    assert (Arrangement(2, 160, 24).across, Arrangement(2, 80, 48).across) == (2, 1)
    assert Arrangement(4, 160, 48).place(3) == (80, 24, 80, 24)


# Order and selection


def test_panes_that_need_attention_come_first():
    model = model_of(
        *(pane(1), pane(2, state="running"), pane(3, state="awaiting_secret")),
        *(pane(4, state="dead"), pane(5, state="awaiting_input"), pane(6, state="fullscreen")),
    )
    assert order(model) == [3, 5, 2, 6, 1, 4]


def test_a_short_command_does_not_move_a_tile():
    model = model_of(pane(1), pane(2))
    model.overview.panes[2] = pane(2, state="running")
    model.update(80, 24, 10.0)
    assert (order(model), model.due) == ([1, 2], 11.0)
    model.overview.panes[2] = pane(2)
    model.update(80, 24, 10.5)
    assert (order(model), model.due) == ([1, 2], None)
    model.overview.panes[2] = pane(2, state="running")
    model.update(80, 24, 20.0)
    model.update(80, 24, 21.0)
    assert (order(model), model.due) == ([2, 1], None)


def test_a_pane_that_awaits_input_moves_at_once():
    model = model_of(pane(1), pane(2))
    model.overview.panes[2] = pane(2, state="awaiting_input")
    model.update(80, 24, 10.0)
    assert order(model) == [2, 1]


def test_the_selection_stays_on_its_pane_and_moves_on_when_the_pane_is_closed():
    model = model_of(pane(1), pane(2), pane(3))
    model.move("Right")
    assert model.selected == 2
    model.overview.panes[3] = pane(3, state="awaiting_input")
    model.update(80, 24, 1.0)
    assert (order(model), model.selected) == ([3, 1, 2], 2)
    del model.overview.panes[2]
    model.update(80, 24, 2.0)
    assert model.selected == 1
    model.overview.panes.clear()
    model.update(80, 24, 3.0)
    assert (model.selected, model.visible) == (None, [])
    assert model.move("Down")


def test_keys_move_the_selection_and_the_visible_tiles_follow():
    model = model_of(*map(pane, range(50)), cols=60, rows=12)
    assert (model.arrangement.across, model.arrangement.down) == (2, 2)
    moved = []
    for key in ("Down", "l", "Left", "k", "Up", "j", "j", "PageDown", "End", "Down", "PageUp", "g", "h"):
        assert model.move(key)
        model.update(60, 12, 0.0)
        moved.append(model.selected)
        assert model.selected in {one.id for one in model.visible}
    assert moved == [2, 3, 2, 0, 0, 2, 4, 8, 49, 49, 45, 0, 0]
    assert not model.move("x")


def test_tab_goes_around_the_panes_that_await_input():
    model = model_of(pane(1), pane(2, state="awaiting_input"), pane(3, state="awaiting_secret"))
    found = []
    for _ in range(3):
        assert model.select_next_needed()
        model.update(80, 24, 0.0)
        found.append(model.selected)
    assert found == [3, 2, 3]
    assert not model_of(pane(1)).select_next_needed()


# Tiles


def screen_of(*rows, cursor=(0, 0, True, 2)):
    screen = PaneModel()
    runs = [[y, [[0, 1, row, ""]]] for y, row in enumerate(rows) if row]
    screen.apply({"size": [80, len(rows)], "rows": runs, "cursor": list(cursor)})
    return screen


def test_a_tile_has_the_name_the_command_the_state_the_last_exit_code_and_the_title():
    tile = draw_tile(pane(command="vim", exit_code=7, title="notes"), screen_of("hello"), 40, 5, selected=False)
    assert text(tile) == [
        "┌─ s1:0.0 vim ──────────────── prompt ─┐",
        "│hello                                 │",
        "│                                      │",
        "│                                      │",
        "└─ exit 7 ───────────────────── notes ─┘",
    ]
    assert text(draw_tile(pane(), None, 40, 4, selected=True))[0][0] == "┏"


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({"state": "awaiting_secret"}, "awaiting secret"),
        ({"state": "fullscreen"}, "full screen"),
        ({"state": "dead", "exit_code": 3}, "exited 3"),
        ({"state": "dead", "signal": "SIGKILL"}, "ended by SIGKILL"),
    ],
)
def test_a_tile_names_the_state(fields, shown):
    assert f" {shown} ─┐" in text(draw_tile(pane(**fields), None, 60, 5, selected=False))[0]


def test_a_tile_shows_the_part_of_the_screen_with_the_cursor():
    rows = [f"row {number}" for number in range(24)]
    tile = draw_tile(pane(), screen_of(*rows, cursor=(3, 20, True, 2)), 20, 6, selected=False)
    assert [row[1:7] for row in text(tile)[1:-1]] == ["row 17", "row 18", "row 19", "row 20"]


@patient
@given(
    st.text(max_size=60),
    st.text(max_size=60),
    st.text(max_size=120),
    st.tuples(st.integers(1, 60), st.integers(1, 12)),
)
def test_hostile_names_titles_and_output_stay_in_their_tile(command, title, output, size):
    cols, rows = size
    hostile = pane(command=command, title=title, session=title, state="awaiting_input")
    tile = draw_tile(hostile, screen_of(output, output), cols, rows, selected=False)
    assert [len(row) for row in tile] == [cols] * rows
    for row in tile:
        assert row[0][0]  # not the right half of a wide glyph
        for (glyph, _style), (following, _other) in zip(row, [*row[1:], ("x", "")], strict=True):
            assert not any(ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u202e\u2066" for c in glyph)
            assert glyph or following is not None
    if cols >= 3 and rows >= 3:
        assert {row[0][0] for row in tile[1:-1]} == {row[-1][0] for row in tile[1:-1]} == {"│"}


@patient
@given(st.integers(0, 12), st.tuples(st.integers(1, 90), st.integers(1, 40)), st.booleans())
def test_a_screen_of_any_size_is_drawn(count, size, help_shown):
    model = model_of(*map(pane, range(count)), cols=size[0], rows=max(1, size[1] - 1))
    canvas = compose(model, *size, 0.0, problem="", help_shown=help_shown)
    assert [len(row) for row in canvas.rows] == [size[0]] * size[1]
    engine = engines.create("pyte", *size)
    engine.feed(Painter().paint(canvas))
    engine.close()

"""Which pane's frame is sent next: changes, pace, drawing, and the open pane."""

from __future__ import annotations

from phux_client.web.tiles import OPEN_S, TILE_S, TYPED_S, Tiles

SHOWN = {"cursor": [0, 0, True, 2], "modes": {}, "title": ""}


def frame(version=1, rows=(), *, whole=False, writing=False, **more):
    return {"version": version, "rows": list(rows), "whole": whole, "writing": writing, **SHOWN, **more}


def read(tiles, now, *frames):
    """Read every pane that is due, with these frames in turn, and return the panes."""
    taken = []
    given = list(frames)
    while (due := tiles.take(now)) is not None:
        pane, _version = due
        taken.append(pane)
        tiles.read(pane, given.pop(0) if given else frame(whole=True), now)
    return taken


def test_a_shown_pane_is_read_once_until_it_changes():
    tiles = Tiles()
    tiles.show([1, 2])
    assert read(tiles, 0.0) == [1, 2]
    tiles.drawn([1, 2])
    assert read(tiles, 10.0) == []
    assert tiles.next_at() is None
    tiles.touch(2)
    assert read(tiles, 10.0) == [2]


def test_a_pane_that_is_not_shown_is_never_read():
    tiles = Tiles()
    tiles.show([1])
    tiles.touch(7)
    assert read(tiles, 0.0) == [1]
    tiles.show([])
    tiles.touch(1)
    assert tiles.take(10.0) is None


def test_the_next_frame_waits_until_the_last_one_is_drawn():
    tiles = Tiles()
    tiles.show([1])
    read(tiles, 0.0, frame(whole=True, writing=True))
    tiles.touch(1)
    assert tiles.take(100.0) is None
    tiles.drawn([1])
    assert tiles.take(100.0) == (1, 1)


def test_a_pane_that_writes_is_read_at_its_pace_until_it_pauses():
    tiles = Tiles()
    tiles.show([1])
    read(tiles, 0.0, frame(whole=True, writing=True))
    tiles.drawn([1])
    assert tiles.take(TILE_S / 2) is None
    assert tiles.next_at() == TILE_S
    assert read(tiles, TILE_S, frame(2, [[0, []]], writing=False)) == [1]
    tiles.drawn([1])
    assert tiles.next_at() is None


def test_a_frame_without_a_change_is_not_sent():
    tiles = Tiles()
    tiles.show([1])
    assert tiles.take(0.0) == (1, None)
    assert tiles.read(1, frame(5, whole=True), 0.0)
    tiles.drawn([1])
    for now, changes, sent in ((1.0, {}, False), (2.0, {"title": "x"}, True), (3.0, {"title": "x"}, False)):
        tiles.touch(1)
        assert tiles.take(now) == (1, 5)
        assert tiles.read(1, frame(5, **changes), now) is sent
        tiles.drawn([1])


def test_a_change_during_a_read_is_not_lost():
    tiles = Tiles()
    tiles.show([1])
    assert tiles.take(0.0) == (1, None)
    tiles.touch(1)
    tiles.read(1, frame(whole=True, writing=False), 0.0)
    tiles.drawn([1])
    assert tiles.take(1.0) == (1, 1)


def test_the_open_pane_comes_first_and_is_read_more_often():
    tiles = Tiles()
    tiles.show([1, 2, 3], opened=2)
    assert read(tiles, 0.0, *[frame(whole=True, writing=True)] * 3) == [2, 1, 3]
    tiles.drawn([1, 2, 3])
    assert read(tiles, OPEN_S) == [2]


def test_a_pane_that_is_opened_or_closed_is_sent_whole_again():
    tiles = Tiles()
    tiles.show([1, 2])
    read(tiles, 0.0)
    tiles.show([], opened=1)
    assert tiles.take(0.0) == (1, None)
    tiles.read(1, frame(9, whole=True), 0.0)
    tiles.show([1, 2])
    assert {tiles.take(0.0), tiles.take(0.0)} == {(1, None), (2, None)}


def test_a_frame_that_was_read_for_another_size_is_dropped_and_read_again():
    tiles = Tiles()
    tiles.show([1])
    read(tiles, 0.0, frame(4, whole=True))
    tiles.drawn([1])
    tiles.touch(1)
    assert tiles.take(1.0) == (1, 4)
    tiles.show([], opened=1)  # while the read is on its way
    assert not tiles.read(1, frame(5, [[0, []]]), 1.0)
    assert tiles.take(1.0) == (1, None)


def test_after_typing_the_open_pane_is_read_even_if_it_is_silent_at_first():
    tiles = Tiles()
    tiles.show([], opened=1)
    read(tiles, 0.0)
    tiles.drawn([1])
    tiles.typed(10.0)
    assert read(tiles, 10.0, frame(writing=False)) == [1]
    assert read(tiles, 10.0 + OPEN_S, frame(writing=False)) == [1]
    assert read(tiles, 10.0 + TYPED_S, frame(writing=False)) == [1]
    assert tiles.next_at() is None


def test_all_panes_are_read_again_after_a_restart_and_a_pane_that_is_gone_is_not():
    tiles = Tiles()
    tiles.show([1, 2])
    read(tiles, 0.0)
    tiles.drawn([1, 2])
    tiles.renew()
    tiles.forget(2)
    assert read(tiles, 1.0) == [1]

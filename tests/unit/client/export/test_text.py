"""The text to search in."""

from hypothesis import given, settings
from hypothesis import strategies as st

from phux_client.export.film import Film
from phux_client.export.material import Output
from phux_client.export.text import text_of
from phux_core import engine as engines
from phux_core.logs.film import Page

START = 1_750_000_000.0


def index(pieces, *, starts=(), cols=20, rows=4):
    """Return the lines of a recording whose frames show the screen after each piece: frame, is shown, line."""
    engine, page, output, film = engines.create("ghostty", cols, rows), Page(START), Output(), Film(START)
    page.add(engine, START)
    for number, piece in enumerate(pieces, 1):
        output.add(engine.position, piece)
        engine.feed(piece)
        page.add(engine, START + number)
    engine.close()
    film.add({"start": START, "data": page.dump()})
    document = text_of(film, output, [start * 1000 for start in starts])
    lines = iter(document["text"].split("\n"))
    found = []
    for frame, passed, shown in document["blocks"]:
        found += [(frame, False, next(lines)) for _ in range(passed)]
        found += [(frame, True, next(lines)) for _ in range(shown)]
    return found


def test_each_shown_line_is_found_in_the_frame_where_it_appeared():
    assert index([b"one\r\n", b"two\r\n", b"\x1b[2J\x1b[Hthree"]) == [
        (1, True, "one"),
        (2, True, "two"),
        (3, True, "three"),
    ]


def test_a_line_that_is_typed_counts_once_when_it_is_complete():
    assert index([b"$ ", b"l", b"s", b" -a", b"\r\nfile"]) == [(4, True, "$ ls -a"), (5, True, "file")]


def test_a_line_that_moves_up_counts_once():
    found = index([b"%d\r\n" % number for number in range(10)])
    assert [line for _frame, _shown, line in found] == list("0123456789")


def test_a_line_that_is_shown_again_counts_again_only_after_the_start_of_another_command():
    spinner = [b"\r| wait", b"\r/ wait"] * 3 + [b"\r\n"]
    assert [line for *_, line in index(spinner)] == ["| wait", "/ wait"]
    assert [line for *_, line in index([*spinner, b"\x1b[2J", *spinner], starts=[1, 9])] == ["| wait", "/ wait"] * 2


def test_lines_that_scroll_past_between_two_frames_are_found():
    flood = b"".join(b"\x1b[3%dm%d\x1b[m\r\n" % (number % 8, number) for number in range(100))
    found = index([b"before\r\n", flood, b"after\r\n"])
    assert (2, False, "50") in found
    assert {line for _frame, _shown, line in found} >= {str(number) for number in range(100)} | {"before", "after"}
    assert (2, True, "99") in found


def test_lines_that_scroll_past_have_no_control_characters():
    flood = b"\r\n" + b"10%\rdone\x07 \x9b31m\x08!\r\n" * 20
    lines = {line for _frame, shown, line in index([flood]) if not shown}
    assert lines
    assert all(line.isprintable() for line in lines)


@given(
    st.lists(st.lists(st.text("abcäöü日本 ", min_size=1, max_size=9), max_size=30), max_size=10),
    st.integers(2, 6),
)
@settings(max_examples=100, deadline=None)
def test_every_line_of_plain_output_is_found(pieces, rows):
    lines = [line.strip() for piece in pieces for line in piece if line.strip()]
    found = index([b"".join(f"{line.strip()}\r\n".encode() for line in piece) for piece in pieces], rows=rows)
    # A line counts as the beginning of one that begins with it.
    assert all(any(text.startswith(line) for *_, text in found) for line in lines)
    assert {text for *_, text in found} <= set(lines)


@given(st.lists(st.integers(1, 60), max_size=30), st.integers(2, 6))
@settings(max_examples=100, deadline=None)
def test_long_lines_that_scroll_past_are_found(lengths, rows):
    lines = [f"{number} {'x' * length}" for number, length in enumerate(lengths)]
    text = "\n".join(
        line
        for *_, line in index(
            [f"{line}\r\n".encode() for line in lines] + ["".join(f"{line}\r\n" for line in lines).encode()], rows=rows
        )
    )
    assert all(line[:15] in text for line in lines)


def test_pieces_of_full_screen_programs_are_not_taken_for_lines():
    screens = b"".join(b"\x1b[%d;1H\x1b[Kpiece %d\r\n" % (number % 4 + 1, number) for number in range(100))
    assert all(shown for _frame, shown, _line in index([screens]))

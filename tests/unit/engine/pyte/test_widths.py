from phux_core.engine.pyte.widths import WIDE, ZERO, to_cells


def test_to_cells_marks_wide_and_zero_width_characters():
    assert to_cells("abc") == "abc"
    assert to_cells("a日b") == f"a日{WIDE}b"
    assert to_cells("e\u0301日") == f"e{ZERO}\u0301日{WIDE}"


def test_to_cells_accepts_any_number_of_distinct_characters():
    for first in range(0x4E00, 0x9000, 0x100):
        text = "".join(map(chr, range(first, first + 0x100)))
        assert to_cells(text) == "".join(char + WIDE for char in text)

import pytest

from phux_core.engine.protocol import DEFAULT_STYLE, Style
from phux_core.engine.pyte.rows import DEFAULT
from phux_core.engine.pyte.styles import StyleTable, apply_sgr

BOLD = Style(bold=True)


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ("", DEFAULT_STYLE),
        ("0", DEFAULT_STYLE),
        ("1", BOLD),
        ("1;22", DEFAULT_STYLE),
        (
            "2;3;5;7;8;9;53",
            Style(faint=True, italic=True, blink=True, inverse=True, invisible=True, strikethrough=True, overline=True),
        ),
        ("4", Style(underline="single")),
        ("4:3", Style(underline="curly")),
        ("4;4:0", DEFAULT_STYLE),
        ("21", Style(underline="double")),
        ("31;42", Style(fg=1, bg=2)),
        ("97;100", Style(fg=15, bg=8)),
        ("38;5;200", Style(fg=200)),
        ("48;2;1;2;3", Style(bg=(1, 2, 3))),
        ("38:2:1:2:3", Style(fg=(1, 2, 3))),
        ("38:2::1:2:3", Style(fg=(1, 2, 3))),
        ("38:5:9;1", Style(fg=9, bold=True)),
        ("58;5;1", Style(underline_color=1)),
        ("58:2::1:2:3;1", BOLD._replace(underline_color=(1, 2, 3))),
        ("31;39", DEFAULT_STYLE),
        ("1;0;3", Style(italic=True)),
        ("1:2", DEFAULT_STYLE),
        ("1;99999999999999;4", Style(bold=True, underline="single")),
        ("38;5", DEFAULT_STYLE),
        ("38;2;1;2", DEFAULT_STYLE),
        ("38;5;300", DEFAULT_STYLE),
        ("38;2;300;0;0", DEFAULT_STYLE),
        ("38", DEFAULT_STYLE),
        ("1;;4", Style(underline="single")),
    ],
)
def test_sgr_parameters_change_the_default_style(parameters, expected):
    assert apply_sgr(DEFAULT_STYLE, parameters) == expected


def test_equal_styles_have_the_same_id():
    table = StyleTable()
    first = table.after(DEFAULT, "\x1b[1;31m")
    second = table.after(table.after(DEFAULT, "\x1b[31m"), "\x1b[1m")
    assert first == second != DEFAULT
    assert table.after(first, "\x1b[m") == DEFAULT


def test_sgr_keeps_the_semantic_type_of_a_cell():
    table = StyleTable()
    prompt = table.with_semantic(DEFAULT, "prompt")
    assert table.entries[table.after(prompt, "\x1b[0m")] == (DEFAULT_STYLE, "prompt")


def test_erased_cells_keep_only_the_background():
    table = StyleTable()
    style = table.with_semantic(table.after(DEFAULT, "\x1b[1;31;44m"), "input")
    assert table.entries[table.blank(style)] == (Style(bg=4), None)
    assert table.blank(table.after(DEFAULT, "\x1b[1m")) == DEFAULT


def test_unused_ids_are_reused_after_the_largest_id():
    table = StyleTable()
    old, kept = (table.after(DEFAULT, f"\x1b[{code}m") for code in (31, 32))
    table.sweep([kept])
    table._last = 0x10FFFF
    assert table.after(DEFAULT, "\x1b[1m") == old
    assert table.after(DEFAULT, "\x1b[2m") not in {DEFAULT, old, kept}


def test_sweep_removes_unused_styles():
    table = StyleTable()
    ids = [table.after(DEFAULT, f"\x1b[38;2;{number // 256};{number % 256};0m") for number in range(5000)]
    assert table.is_full()
    kept = ids[7]
    table.sweep([kept])
    assert not table.is_full()
    assert table.entries[kept][0] == Style(fg=(0, 7, 0))
    assert set(table.entries) == {DEFAULT, kept}


def test_a_table_is_unchanged_after_dump_and_load():
    table = StyleTable()
    style = table.with_semantic(table.after(DEFAULT, "\x1b[1;38;2;1;2;3m"), "prompt")
    loaded = StyleTable.load(table.dump())
    assert loaded.entries == table.entries
    assert loaded.after(style, "\x1b[22m") == table.after(style, "\x1b[22m")

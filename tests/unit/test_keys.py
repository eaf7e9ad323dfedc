"""Parsing and formatting of key names."""

from __future__ import annotations

import itertools

import pytest

from phux_core.keys import KEY_NAMES, Key, parse_key

MODIFIERS = [
    {"ctrl": ctrl, "alt": alt, "shift": shift} for ctrl, alt, shift in itertools.product((False, True), repeat=3)
]


@pytest.mark.parametrize("name", KEY_NAMES)
def test_every_key_with_any_modifiers_can_be_formatted_and_parsed_again(name):
    for modifiers in MODIFIERS:
        key = Key(name, **modifiers)
        read = parse_key(str(key))
        assert read is not None
        assert (read.name, read.ctrl, read.alt, read.shift) == (
            name,
            modifiers["ctrl"],
            modifiers["alt"],
            modifiers["shift"],
        )


def test_the_key_names_of_tmux_are_supported():
    named = {"Enter", "Tab", "BTab", "Escape", "Space", "BSpace", "Up", "Down", "Left", "Right", "Home", "End"}
    named |= {"PageUp", "PageDown", "Insert", "Delete"}
    assert named | {f"F{number}" for number in range(1, 13)} <= set(KEY_NAMES)
    assert len(KEY_NAMES) == len(set(KEY_NAMES))


@pytest.mark.parametrize("name", KEY_NAMES)
def test_key_names_are_case_insensitive(name):
    assert str(parse_key(name.upper())) == str(parse_key(name.lower())) == name


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("PPage", "PageUp"),
        ("PgUp", "PageUp"),
        ("NPage", "PageDown"),
        ("PgDn", "PageDown"),
        ("IC", "Insert"),
        ("DC", "Delete"),
        ("Return", "Enter"),
        ("Esc", "Escape"),
        ("Backspace", "BSpace"),
        ("Del", "Delete"),
        ("ArrowUp", "Up"),
        ("arrowleft", "Left"),
        ("Page_Down", "PageDown"),
    ],
)
def test_aliases_are_parsed_as_the_primary_name(word, name):
    assert str(parse_key(word)) == name
    assert str(parse_key(f"C-{word}")) == f"C-{name}"


@pytest.mark.parametrize(
    ("word", "key"),
    [
        ("C-c", "C-c"),
        ("c-c", "C-c"),
        ("C-C", "C-C"),
        ("M-x", "M-x"),
        ("S-F5", "S-F5"),
        ("C-M-S-Up", "C-M-S-Up"),
        ("S-M-C-Up", "C-M-S-Up"),
        ("C-C-c", "C-c"),
        ("C--", "C--"),
        ("M-C--", "C-M--"),
        ("C-Space", "C-Space"),
        ("C-\\", "C-\\"),
        ("M-ü", "M-ü"),
        ("M-日", "M-日"),
        ("Ctrl+C", "C-c"),
        ("ctrl-a", "C-a"),
        ("Control-a", "C-a"),
        ("Alt-x", "M-x"),
        ("Option+Left", "M-Left"),
        ("Ctrl+Shift+T", "C-S-t"),
        ("Ctrl+Alt+Delete", "C-M-Delete"),
        ("Shift+Tab", "S-Tab"),
        ("Ctrl++", "C-+"),
        ("Ctrl+-", "C--"),
        ("Ctrl--", "C--"),
        ("^C", "C-c"),
        ("^a", "C-a"),
        ("^]", "C-]"),
        ("^[", "Escape"),
        ("^?", "BSpace"),
        ("<CR>", "Enter"),
        ("<cr>", "Enter"),
        ("<Esc>", "Escape"),
        ("<C-w>", "C-w"),
        ("<S-Tab>", "S-Tab"),
        ("<BS>", "BSpace"),
        ("<up>", "Up"),
    ],
)
def test_modifiers_are_accepted_in_any_order_and_case(word, key):
    assert str(parse_key(word)) == key


@pytest.mark.parametrize(
    "word",
    [
        *("", "a", "ü", "-", "ls", "cargo test", "Enter ", " Enter", "F0", "F13", "F1x", "C-", "M-C-", "S-", "C-ls"),
        *(
            "C-Foo",
            "X-c",
            "C+c",
            "^1",
            "^ü",
            "^",
            "^CC",
            "C-\x01",
            "C-\t",
            "c-ärger",
            "M-\ud800",
            "Enter\n",
            "KP",
            "\x1b",
        ),
        *(
            "<a>",
            "<div>",
            "<del>",
            "<>",
            "<C->",
            "cr",
            "bs",
            "Ctrl",
            "Ctrl+",
            "+",
            "1+1",
            "a-b",
            "-a",
            "Alt+ls",
            "shift-",
        ),
    ],
)
def test_words_that_are_not_key_names_are_parsed_as_none(word):
    assert parse_key(word) is None


@pytest.mark.parametrize("word", ["End", "Enter", "Del", "DC", "f5", "esc", "PAGEUP", "C-end", "ctrl+home", "<up>"])
def test_words_are_keys_if_capitalized_like_the_key(word):
    assert parse_key(word, exact_case=True) is not None


@pytest.mark.parametrize(
    "word", ["end", "END", "home", "delete", "DELETE", "enter", "return", "space", "up", "dc", "del"]
)
def test_words_in_another_case_are_text_on_request(word):
    assert parse_key(word) is not None
    assert parse_key(word, exact_case=True) is None

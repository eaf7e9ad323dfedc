"""`changed()` returns the rows that changed since its last call."""


def changed_rows(t):
    """Return the text of the changed rows that are not blank."""
    return {row: "".join(span.text for span in spans) for row, spans in t.engine.changed().items() if spans}


def test_the_first_call_returns_the_whole_screen(term):
    t = term(10, 3, "one\r\ntwo")
    assert changed_rows(t) == {0: "one", 1: "two"}


def test_a_changed_row_is_returned_in_full(term):
    t = term(10, 3, "one\r\ntwo")
    changed_rows(t)
    t.feed("2")
    assert changed_rows(t)[1] == "two2"


def test_reading_spans_does_not_reset_the_changed_rows(term):
    t = term(10, 3)
    changed_rows(t)
    t.feed("one")
    assert t.spans
    assert changed_rows(t)[0] == "one"


def test_a_combining_mark_changes_the_row_of_its_glyph(term):
    t = term(10, 3, "e")
    changed_rows(t)
    t.feed("\u0301")
    assert changed_rows(t)[0] == "e\u0301"


def test_forget_changes_makes_the_next_call_return_unchanged_rows_again(term):
    t = term(10, 3, "one")
    changed_rows(t)
    t.engine.forget_changes()
    assert changed_rows(t)[0] == "one"


def test_ghostty_returns_only_the_rows_that_changed(term):
    t = term(10, 3, "one\r\ntwo\r\n")
    changed_rows(t)
    t.feed("three")
    assert t.engine.name != "ghostty" or set(t.engine.changed()) == {2}

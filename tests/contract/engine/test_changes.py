"""Which rows changed since somebody last asked."""


def rows(t):
    """The rows that changed, without those that are blank."""
    return {row: "".join(span.text for span in spans) for row, spans in t.engine.changed().items() if spans}


def test_the_first_answer_is_the_whole_screen(term):
    t = term(10, 3, "one\r\ntwo")
    assert rows(t) == {0: "one", 1: "two"}


def test_a_row_that_changed_is_told_whole(term):
    t = term(10, 3, "one\r\ntwo")
    rows(t)
    t.feed("2")
    assert rows(t)[1] == "two2"


def test_a_reader_of_spans_takes_nothing_away(term):
    t = term(10, 3)
    rows(t)
    t.feed("one")
    assert t.spans
    assert rows(t)[0] == "one"


def test_a_mark_that_joins_a_glyph_changes_its_row(term):
    t = term(10, 3, "e")
    rows(t)
    t.feed("\u0301")
    assert rows(t)[0] == "e\u0301"


def test_what_was_forgotten_is_told_anew(term):
    t = term(10, 3, "one")
    rows(t)
    t.engine.forget_changes()
    assert rows(t)[0] == "one"


def test_ghostty_tells_only_the_rows_that_changed(term):
    t = term(10, 3, "one\r\ntwo\r\n")
    rows(t)
    t.feed("three")
    assert t.engine.name != "ghostty" or set(t.engine.changed()) == {2}

"""What was typed, found in what was written: in whatever pieces it comes, and nothing else with it."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phux_core.server.shell.echoes import Echoes, Reader

DASH = Reader(7, at_prompt=True, canonical=True, waiting=True)
KSH = Reader(7, at_prompt=True, canonical=False, waiting=True)
CAT = Reader(8, at_prompt=False, canonical=True, waiting=True)
SLEEP = Reader(9, at_prompt=False, canonical=True, waiting=False)
REPL = Reader(10, at_prompt=False, canonical=False, waiting=True)


class Stream:
    """Stands in for the journal."""

    def __init__(self):
        self.oldest = 0
        self.data = b""

    @property
    def position(self):
        return len(self.data)

    def since(self, position, most=1 << 30):
        return self.data[position : position + most]


class Talk:
    """A conversation of somebody who types, and a program."""

    def __init__(self):
        self.stream = Stream()
        self.echoes = Echoes(self.stream)
        self.taken = []

    def write(self, data, pieces=()):
        for first, last in itertools.pairwise([0, *pieces, len(data)]):
            self.stream.data += data[first:last]
            self.taken += self.echoes.take(self.stream.position)
        return self

    def type(self, data, reader, **options):
        options.setdefault("is_command", reader.at_prompt)
        self.echoes.typed(data, self.stream.position, reader, **options)
        return self

    @property
    def output(self):
        return self.echoes.cut(0, self.stream.data)

    @property
    def commands(self):
        data = self.stream.data
        return [data[news.input_start : news.start].strip() for news in self.taken]


# Each: what is typed, to whom, and what is written then; what of it is output stands between braces.
CASES = {
    "a line in dash": [(b"echo a b\r", DASH, b"echo a b\r\n{a b\r\n}$ ")],
    "a line in ksh": [(b"echo a b\r", KSH, b"echo a b\r\n{a b\r\n}$ ")],
    "a pasted line": [(b"\x1b[200~echo a b\x1b[201~\r", KSH, b"\x1b[7mecho a b\x1b[27m\r$ echo a b\r\n{a b\r\n}$ ")],
    "a line that is wrapped by newlines": [(b"echo a b\r", KSH, b"echo\r\n a \r\nb\r\n{a b\r\n}$ ")],
    "two lines at once in dash": [(b"cat\rb\r", DASH, b"cat\r\nb{\r\nb\r\n}$ ")],
    "two lines at once in ksh": [(b"echo a\recho b\r", KSH, b"echo a\r\n{a\r\n}$ echo b\r\n{b\r\n}$ ")],
    "key by key": [(bytes([key]), KSH, bytes([key])) for key in b"echo"] + [(b"\r", KSH, b"\r\n{\r\n}$ ")],
    "from history": [(b"\x1b[A", KSH, b"\r$ echo b\x1b[J"), (b"\r", KSH, b"\r\n{b\r\n}$ ")],
    "a prompt behind unended output": [
        (b"true\r", KSH, b"true\r\n$ "),
        (b"printf foo\r", KSH, b"printf foo\r\n{foo}$ "),
    ],
    "an interrupted line": [(b"echo a", KSH, b"echo a"), (b"\x03", KSH, b"^C\r\n$ ")],
    "an answer": [(b"bob\r", CAT, b"bob{\r\nhello bob\r\n}")],
    "an answer that is repeated": [(b"bob\r", CAT, b"bob{\r\nbob\r\nbob\r\n}")],
    "an answer behind what is being written": [(b"bob\r", CAT, b"{tick\r\ntick\r\n}bob{\r\ntick\r\n}")],
    "an answer with a mistake": [(b"bon\x7fb\r", CAT, b"bon\b \bb{\r\nhello bob\r\n}")],
    "a line to a REPL": [(b"1 + 1\r", REPL, b"1 + 1\r\n{2\r\n$ }")],
    "a REPL that draws its prompt again": [(b"1 + 1\r", REPL, b"\r\x1b[K$ 1 + 1\r\n{2\r\n$ }")],
    "a REPL that colours": [(b"1 + 1\r", REPL, b"\x1b[32m1\x1b[0m +\x1b[32m 1\x1b[0m\x1b[5D1 + 1\r\n{2\r\n$ }")],
    "two lines to a REPL": [(b"if x:\r  y\r", REPL, b"if x:\r\n{...   }y\r\n{$ }")],
    "a line that is corrected, in an editor that draws it anew": [
        (b"neex\x7fdle\r", REPL, b"neex\x1b[1G\x1b[0J$ nee\x1b[6Gdle\r\n{2\r\n$ }")
    ],
    "a line that is drawn anew": [(b"needle\x0c\r", REPL, b"needle\x1b[H\x1b[2J$ needle\r\n{2\r\n$ }")],
    "a key that is not shown": [(b"y", REPL, b"{Really?\r\n}")],
    "a secret that is not shown": [(b"hunter2\r", REPL, b"{\r\nhunter2 is wrong\r\n}")],
    "a key that is shown": [(b"y", REPL, b"y"), (b"\r", REPL, b"\r\n{ok, y\r\n}")],
    "a key in a flood": [(b"y", CAT, b"{the library\r\nis}y{ ready\r\n}".replace(b"}y{", b"y"))],
    "a short answer in a flood": [(b"y\r", CAT, b"{the library\r\n}y{\r\nis ready\r\n}")],
    "cursor keys that the terminal shows": [(b"a\x1b[Ab\r", CAT, b"a^[[Ab{\r\n}")],
    "a job in the background": [
        (b"echo", KSH, b"echo{job is done\r\n}"),
        (b" a\r", KSH, b" a\r\n{a\r\n}$ "),
    ],
    "several lines in one paste": [
        (b"\x1b[200~cat <<E\ra\rE\x1b[201~\r", KSH, b"\x1b[7mcat <<E\r\na\r\nE\x1b[27m\r\n{a\r\n}$ ")
    ],
    "a menu": [(b"\x1b[B\r", REPL, b"{> two\r\ntwo\r\n}")],
}


def play(steps, cuts=()):
    talk = Talk().write(b"old\r\n$ ")
    talk.echoes.seen_at_prompt(talk.stream.position)
    wanted = b"old\r\n$ " if steps[0][1] in {CAT, REPL} else b"old\r\n"
    for typed, reader, written in steps:
        shown = written.replace(b"{", b"").replace(b"}", b"")
        talk.type(typed, reader).write(shown, sorted({cut for cut in cuts if cut < len(shown)}))
        depth = 0
        for piece in written.replace(b"{", b"\0{").replace(b"}", b"\0}").split(b"\0"):
            depth += piece.startswith(b"{") - piece.startswith(b"}")
            if depth:
                wanted += piece.lstrip(b"{")
    return talk, wanted


@pytest.mark.parametrize("name", CASES)
@given(cuts=st.lists(st.integers(1, 60), max_size=8))
@settings(max_examples=30, deadline=None)
def test_what_is_left_is_output(name, cuts):
    talk, wanted = play(CASES[name], cuts)
    # The prompt at which nothing was typed yet is known by what it looked like before.
    prompt = b"$ " if CASES[name][0][1] in {CAT, REPL} else b""
    assert talk.output + (prompt if talk.stream.data.endswith(b"$ ") else b"") == wanted


@pytest.mark.parametrize(
    ("name", "commands"),
    [
        ("a line in dash", [b"echo a b"]),
        ("two lines at once in ksh", [b"echo a", b"echo b"]),
        ("two lines at once in dash", [b"cat"]),
        ("key by key", [b"echo"]),
        ("from history", [b"$ echo b\x1b[J"]),
        ("an interrupted line", []),
        ("an answer", []),
        ("a line to a REPL", []),
    ],
)
def test_what_a_shell_takes_is_told(name, commands):
    assert play(CASES[name])[0].commands == commands


def test_our_own_lines_and_empty_ones_are_no_commands():
    talk = (
        Talk()
        .write(b"$ ")
        .type(b". file\r", DASH, is_command=False)
        .write(b". file\r\n$ ")
        .type(b"\r", DASH)
        .write(b"\r\n$ ")
    )
    assert (talk.taken, talk.output) == ([], b"")


def test_what_was_typed_ahead_is_left_out_where_the_shell_shows_it_again():
    talk = Talk().write(b"$ ").type(b"sleep 1\r", KSH).write(b"sleep 1\r\n")
    talk.type(b"echo nee''dle\r", SLEEP).write(b"echo nee''dle\r\n")
    for piece in (b"$ ", b"echo ", b"nee''dle", b"\r\n"):
        talk.write(piece)
        assert b"nee" not in talk.output
    talk.write(b"needle\r\n$ ")
    assert talk.output.replace(b"\r\n", b"") == b"needle"


def test_what_was_typed_ahead_is_left_out_behind_a_prompt_that_nobody_has_seen():
    for edited in (True, False):
        talk = Talk().type(b"x = 'needle'\r", REPL, ahead=True)
        talk.stream.data += b"\r\n>>> x = 'needle'\r\n"
        talk.echoes.take(talk.stream.position, edited=edited)
        assert (b"needle" in talk.output) == (not edited)  # in doubt, it is output


def test_what_was_typed_ahead_and_is_then_read_counts_when_it_is_written():
    talk = Talk().write(b"$ ").type(b"x\r", KSH).write(b"x\r\n").type(b"bob\r", SLEEP).write(b"bob\r\n")
    assert b"got bob" in talk.write(b"got bob\r\n").output


def test_where_a_line_goes_on_nothing_is_done():
    talk = Talk().write(b"$ ").type(b"echo 'a\r", DASH).write(b"echo 'a\r\n> ")
    assert talk.echoes.prompt_start(talk.stream.position) is None
    talk.type(b"b'\r", DASH).write(b"b'\r\na\r\nb\r\n$ ")
    assert talk.echoes.prompt_start(talk.stream.position) == talk.stream.position - 2
    assert talk.output == b"a\r\nb\r\n"


def test_a_prompt_that_looks_like_one_for_more_is_known_by_the_output_before_it():
    talk = Talk().write(b"$ ").type(b"PS1='> '\r", DASH).write(b"PS1='> '\r\n> ")
    assert talk.echoes.prompt_start(talk.stream.position) is None
    talk.type(b"echo a\r", DASH).write(b"echo a\r\na\r\n> ")
    for _ in range(2):
        assert talk.echoes.prompt_start(talk.stream.position) == talk.stream.position - 2
        talk.echoes.seen_at_prompt(talk.stream.position)
        talk.type(b"true\r", DASH).write(b"true\r\n> ")
    assert talk.commands == [b"PS1='> '", b"true", b"true"]


def test_a_line_that_nobody_enters_hides_nothing_of_others():
    for reader in (DASH, KSH):
        talk = Talk().write(b"$ ").type(b"\x04", reader).write(b"\r\n")
        talk.echoes.leave(99)
        assert talk.write(b"output\r\n").output.endswith(b"output\r\n")
        talk = Talk().write(b"$ ").type(b"y", reader)
        talk.echoes.marked(at_prompt=True)
        assert talk.write(b"output\r\n").output.endswith(b"output\r\n")
        talk = Talk().write(b"$ ").type(b"secret", reader)
        talk.echoes.forget()
        assert "secret" not in repr(talk.echoes)


def test_an_answer_may_begin_with_the_key_that_it_answers():
    assert Talk().type(b"y", REPL).write(b"yes, going on\r\n").output == b"yes, going on\r\n"


def test_output_begins_behind_what_was_entered_last():
    talk = Talk().write(b"$ ")
    assert talk.echoes.output_start == 0
    talk.type(b"a\r", DASH)
    assert talk.echoes.output_start == 2
    talk.write(b"a\r\nout\r\n$ ")
    assert talk.echoes.output_start == 5


def test_little_is_kept_of_what_is_never_shown():
    talk = Talk().write(b"$ ")
    talk.type(b"secret", REPL).write(b"*")
    assert "secret" not in repr(talk.echoes)
    for number in range(1200):
        talk.type(b"%d\r" % number, CAT)
    assert len(talk.echoes._lines) <= 1000
    talk.write(b"no\r\n" * 40_000)
    assert talk.echoes._lines == []
    assert talk.output.count(b"no") == 40_000


def test_a_text_too_long_to_look_for_is_not_looked_for():
    talk = Talk().write(b"$ ").type(b"x" * 70_000, KSH)
    assert len(repr(talk.echoes)) < 5_000


def test_lines_that_are_the_same_are_left_out_as_often_as_they_were_typed():
    talk = Talk().type(b"y\ry\ry\r", CAT).write(b"y\r\ny\r\ny\r\ny\r\n")
    assert talk.output.count(b"y") == 1
    talk = Talk().write(b"$ ").type(b"true\rtrue\r", KSH).write(b"true\r\n$ true\r\n$ ")
    assert talk.output == b""
    assert talk.commands == [b"true", b"true"]


def test_what_a_command_has_read_unseen_is_not_waited_for():
    talk = Talk().write(b"$ ").type(b"read x\rhello\r", KSH).write(b"read x\r\n$ ")
    assert talk.echoes.entered == [2]
    talk.echoes.forget_entered()
    assert talk.echoes.entered == []


def test_an_editor_that_moves_about_draws_what_stands_before_the_cursor_again():
    talk = Talk().write(b"In [1]: \r\n\r\n\x1b[2A\x1b[8C").type(b"x = 'needle'\r", REPL, head=b"In [1]: ")
    talk.write(b"\x1b[8D\x1b[JIn [1]: x = 'needle'\r\r\nneedle\r\n")
    assert talk.output.count(b"needle") == 1
    assert talk.output.endswith(b"needle\r\n")


def test_very_many_lines_hold_nobody_up():
    for reader, options in ((CAT, {}), (SLEEP, {}), (REPL, {"ahead": True}), (KSH, {})):
        talk = Talk().write(b"$ ").type(b"".join(b"line %d\r" % number for number in range(1000)), reader, **options)
        began = time.process_time()
        for _ in range(20):
            talk.write(b"something else\r\n" * 200)
        assert time.process_time() - began < 2

"""Run every test of this folder with every engine."""

import pytest

from phux_core import engine as engines
from phux_core.engine.protocol import DEFAULT_STYLE, Reply


def resident_bytes():
    """Return the resident memory of this process in bytes."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


class Term:
    """An engine with convenience properties for tests: rows as a list, replies, cursor position."""

    def __init__(self, engine):
        self.engine = engine
        self.effects = []

    def feed(self, *chunks):
        """Feed text or bytes; return the effects."""
        effects = []
        for chunk in chunks:
            effects += self.engine.feed(chunk.encode() if isinstance(chunk, str) else chunk)
        self.effects += effects
        return effects

    def ask(self, data):
        """Feed data and return the replies of the terminal, joined."""
        return b"".join(effect.data for effect in self.feed(data) if isinstance(effect, Reply))

    @property
    def screen(self):
        """The rows of the viewport, without trailing blank rows."""
        text = self.engine.lines(0, self.engine.rows).text
        while text and not text[-1]:
            text.pop()
        return text

    @property
    def history(self):
        """The rows of the scrollback, oldest first."""
        rows = self.engine.history_rows
        return self.engine.lines(-rows, rows).text

    @property
    def wrapped(self):
        """The soft-wrap flags of the viewport."""
        return self.engine.lines(0, self.engine.rows).wrapped

    @property
    def at(self):
        """The cursor position, (x, y)."""
        cursor = self.engine.cursor()
        return cursor.x, cursor.y

    @property
    def spans(self):
        """The spans of the viewport."""
        return self.engine.spans(0, self.engine.rows)

    def style(self, col=0, row=0):
        """Return the style of one cell, or the default style if no span covers it."""
        span = self.span(col, row)
        return DEFAULT_STYLE if span is None else span.style

    def span(self, col=0, row=0):
        """Return the span that covers one cell, or None."""
        for span in self.engine.spans(row, 1):
            if span.col <= col < span.col + span.count * span.width:
                return span
        return None

    def state(self):
        """Return the whole observable state, for comparisons."""
        engine = self.engine
        rows = engine.history_rows
        return (
            engine.lines(-rows, rows + engine.rows),
            engine.spans(-rows, rows + engine.rows),
            engine.cursor(),
            engine.modes(),
            engine.title,
            engine.cwd,
            engine.position,
            engine.cols,
            engine.rows,
        )


@pytest.fixture(params=engines.ENGINES)
def engine_name(request):
    """Return the name of the engine under test."""
    try:
        engines.create(request.param, 1, 1).close()
    except ImportError as error:
        pytest.skip(f"the {request.param} engine does not import: {error}")
    return request.param


@pytest.fixture
def engine(engine_name):
    """Return a function that creates engines, which are closed after the test."""
    made = []

    def make(cols=80, rows=24, **options):
        made.append(engines.create(engine_name, cols, rows, **options))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def term(engine):
    """Return a function that creates a ``Term`` and feeds it."""

    def make(cols=10, rows=4, *chunks, **options):
        terminal = Term(engine(cols, rows, **options))
        terminal.feed(*chunks)
        return terminal

    return make


@pytest.fixture
def restored(engine_name):
    """Return a function that restores terminals from checkpoints, which are closed after the test."""
    made = []

    def make(checkpoint):
        made.append(engines.restore(checkpoint))
        return Term(made[-1])

    yield make
    for each in made:
        each.close()

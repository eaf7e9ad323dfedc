"""Selectors: any text names something in a tree, or raises the documented errors."""

from __future__ import annotations

import contextlib

from mutation import join, mutate
from phux_core import selector
from phux_core.errors import BadNameError, BadSelectorError, NoSuchTargetError

_PARTS = [text.encode() for text in ("work", "0", "a.b", ":", ".", "=", "@", "1", "sh", "-", "/", "٣", "²", " ", "\0")]
_PARTS += [b"4294967296", b"v1.2", b"\xff", b"9" * 5000]


def _window(index, name):
    panes = [{"id": 10 * index + number, "index": number, "active": number == 1} for number in range(3)]
    return {"id": index, "index": index, "name": name, "active": index == 1, "panes": panes}


def _session(number, name):
    windows = [_window(index, title) for index, title in enumerate(("sh", "a.b", "1", "v1.2", ""))]
    return {"id": number, "name": name, "windows": windows}


_EMPTY = {"focused_session": None, "focused_pane": None, "sessions": []}
_FULL = {"focused_session": "0", "focused_pane": 12, "sessions": [_session(1, "work"), _session(2, "0")]}
_RESOLVERS = (selector.resolve_object, selector.resolve_index, selector.resolve_session)


def make(chance):
    text = join(chance, _PARTS, 6)
    return mutate(chance, text, _PARTS) if chance.random() < 0.5 else text


@contextlib.contextmanager
def checker():
    def check(data):
        text = data.decode("utf-8", "surrogateescape")
        with contextlib.suppress(BadNameError):
            assert selector.check_name("window", text) == text
        try:
            selector.parse(text)
        except BadSelectorError:
            return
        for tree in (_EMPTY, _FULL):
            for resolve in _RESOLVERS:
                with contextlib.suppress(NoSuchTargetError):
                    found = resolve(tree, text)
                    if resolve is selector.resolve_object:
                        pane = selector.narrow(tree, *found)
                        assert pane in selector.parents(tree, pane)[1]["panes"]

    yield check

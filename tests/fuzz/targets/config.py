"""Config files: any bytes yield valid values, or an error that names the file."""

from __future__ import annotations

import contextlib
import os
import tempfile

from mutation import join, mutate
from phux_core import config
from phux_core.errors import BadConfigError

_VALUES = (b"10", b"true", b'"smallest"', b'"C-a"', b'"sh"', b"1.5", b"nan", b"-inf", b"[1]", b"{a=1}", b"1979-05-27")
_PARTS = [name.encode() + b" = " for name in config.KEYS if name != "keys.*"]
_PARTS += [
    b"[keys]\n",
    b"[[keys]]\n",
    b'"C-x" = ":kill"\n',
    b"keys.d = ",
    b"'a b'.c = ",
    b"# comment\n",
    b'"""',
    b"'''",
]
_PARTS += [b"the words of a text in several lines\n", b"0x" + b"f" * 5000, b"9" * 5000, b"\xff", b"\r\n", b"[" * 2000]
_PARTS += [value + end for value in _VALUES for end in (b"\n", b"\n", b"")]


def make(chance):
    text = join(chance, _PARTS)
    return mutate(chance, text, _PARTS) if chance.random() < 0.5 else text


@contextlib.contextmanager
def checker():
    with tempfile.TemporaryDirectory(prefix="phux-fuzz-") as directory:
        path = os.path.join(directory, "config.toml")

        def check(data):
            with open(path, "wb") as file:
                file.write(data)
            try:
                values = config.load(path)
            except BadConfigError as error:
                message = error.message
            else:
                plain = {name for name in config.KEYS if "*" not in name}
                assert values.keys() == plain | {"keys", "hosts"}
                given = {name: values[name] for name in plain}
                assert all(
                    value == config.KEYS[name].default or config.KEYS[name].kind.fits(value)
                    for name, value in given.items()
                )
                return
            assert path in message

        yield check

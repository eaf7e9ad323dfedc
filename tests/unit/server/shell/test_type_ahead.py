"""When a drawn prompt is one that a caller waits for, though lines were typed ahead."""

from __future__ import annotations

import os

import pytest

from phux_core.server.kernel.foreground import Foreground
from phux_core.server.shell.type_ahead import TypeAhead


@pytest.fixture
def terminal():
    """A PTY without echo; the slave writes what a shell would."""
    master, slave = os.openpty()
    yield master, slave
    os.close(slave)
    os.close(master)


def shell(*, waiting):
    return Foreground(7, 7, "bash", "/", "bash", True, canonical=False, echo=False, waiting=waiting)


@pytest.mark.parametrize(
    ("data", "early", "is_ahead"),
    [
        (b"ls", False, False),
        (b"ls\r", False, False),
        (b"ls\n", False, False),
        (b"ls\rpwd", False, True),
        (b"ls\rpwd\r", False, True),
        (b"ls\npwd\n", False, True),
        (b"pwd\r", True, True),
    ],
)
def test_a_line_is_ahead_if_another_is_before_it(data, early, is_ahead):
    ahead = TypeAhead()
    ahead.typed(data, early=early)
    assert ahead.is_possible is is_ahead
    ahead.typed(b"x", early=False)
    assert ahead.is_possible is is_ahead


def test_nothing_is_left_where_nothing_was_typed_ahead(terminal):
    assert not TypeAhead().is_left(terminal[0], shell(waiting=False), 0)


def test_a_line_is_left_until_the_shell_waits_and_all_its_output_was_read(terminal):
    master, slave = terminal
    ahead = TypeAhead()
    ahead.typed(b"pwd\r", early=True)
    assert ahead.is_left(master, shell(waiting=False), 0)
    os.write(slave, b"mark")
    assert ahead.is_left(master, shell(waiting=True), 0)
    os.read(master, 99)
    assert not ahead.is_left(master, shell(waiting=True), 0)
    assert not ahead.is_left(master, shell(waiting=False), 0)  # and then it is over


@pytest.mark.parametrize(("waiting", "quiet_s"), [(None, 0), (False, 1)])
def test_a_shell_of_which_nobody_knows_whether_it_waits_is_believed(terminal, waiting, quiet_s):
    ahead = TypeAhead()
    ahead.typed(b"pwd\r", early=True)
    assert not ahead.is_left(terminal[0], shell(waiting=waiting), quiet_s)

"""Fixtures: a raw PTY, and a journal for its output."""

from __future__ import annotations

import os
import tty

import pytest

from phux_core.keeper import journal as journals


@pytest.fixture
def terminal():
    """Yield the nonblocking master and the slave of a raw PTY."""
    master, slave = os.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    yield master, slave
    os.close(master)
    os.close(slave)


@pytest.fixture
def journal():
    journal = journals.Journal(journals.create())
    yield journal
    journal.close()

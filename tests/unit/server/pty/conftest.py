"""A raw PTY for the tests of reading."""

from __future__ import annotations

import os
import tty

import pytest


@pytest.fixture
def terminal():
    """Yield the nonblocking master and the slave of a raw PTY."""
    master, slave = os.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    yield master, slave
    os.close(master)
    os.close(slave)

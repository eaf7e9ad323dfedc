"""Fixtures for the tests of the server."""

from __future__ import annotations

import pytest

from phux_core.keeper import journal as journals


@pytest.fixture
def journal():
    journal = journals.Journal(journals.create())
    yield journal
    journal.close()

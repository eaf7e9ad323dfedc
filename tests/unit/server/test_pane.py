"""Limits on the size of ``Pane``, which must only compose its parts."""

from __future__ import annotations

import inspect

from phux_core.server.pane import Pane

MAX_METHODS = 20
MAX_ARGUMENTS = 8


def test_a_pane_has_few_methods_and_properties():
    methods = [name for name, value in vars(Pane).items() if inspect.isfunction(value) or isinstance(value, property)]
    assert len(methods) <= MAX_METHODS


def test_a_pane_has_few_constructor_arguments():
    assert len(inspect.signature(Pane).parameters) <= MAX_ARGUMENTS

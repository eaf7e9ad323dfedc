"""Every finding of the fuzzer stays fixed, and a few hundred new inputs per target find nothing (docs/reliability.md)."""

from __future__ import annotations

import time

import pytest

import runner

# Inputs per target, so that all of them together take a few seconds.
INPUTS = {"keys": 1000, "selectors": 2000, "config": 300, "wire": 500, "mcp": 300, "engines": 120, "journals": 200}
INPUTS |= {"service": 50, "stored": 30}
# Several entries took more than ten seconds.
LONGEST_S = 5


@pytest.mark.parametrize("name", runner.TARGETS)
def test_the_corpus_and_new_inputs_violate_no_invariant(name):
    if name in {"keys", "engines", "journals"}:
        pytest.importorskip("pyghostty")
    target = runner.load(name)
    with target.checker() as check:
        for path in sorted((runner.CORPUS / name).glob("*")):
            began = time.monotonic()
            check(path.read_bytes())
            assert time.monotonic() - began < LONGEST_S, path
        for number in range(INPUTS[name]):
            check(runner.make(target, 0, number))

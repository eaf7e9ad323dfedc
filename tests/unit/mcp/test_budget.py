"""The size budget of results, and the parts that are omitted from larger results."""

from __future__ import annotations

import base64
import hashlib
import json

import pytest
from styles import PLAIN_STYLE

from phux_mcp.budget import BYTES, TOKENS, Budget, tokens
from phux_mcp.tools.screens import within


def digest(number):
    return hashlib.sha256(str(number).encode())


# The token count of each text: the larger of the counts of two vendors' tokenizers.
COUNTED = {
    "numbers": ("\n".join(map(str, range(1, 3000))), 7997),
    "keys": ("".join(base64.b64encode(digest(number).digest()).decode() for number in range(300)), 9379),
    "hashes": ("\n".join(digest(number).hexdigest() for number in range(200)), 7729),
    "chinese": ("".join(chr(0x4E00 + number * 7919 % 20000) for number in range(4000)), 8504),
    "english": ("the quick brown fox jumps over the lazy dog, and keeps going for a while\n" * 200, 3400),
    "quotes": (('"' * 40 + "\\" * 30 + "\n") * 120, 2280),
    "letters": ("".join("abcdef"[digest(number).digest()[0] % 6] for number in range(8000)), 3784),
}


@pytest.mark.parametrize("kind", COUNTED)
def test_the_token_estimate_is_close_to_real_tokenizers(kind):
    text, counted = COUNTED[kind]
    assert 0.92 * counted < tokens(text) < 2 * counted
    assert tokens(text) * 10_000 / TOKENS > counted, "a text that fits the budget may have more than 10,000 tokens"


def test_a_document_gets_as_many_entries_as_fit():
    def build(count):
        return {"entries": ["some words that make a line"] * count, "left": 5000 - count}

    budget = Budget()
    document = budget.fill(5000, build)
    assert 0.5 < budget.excess(document) <= 1
    assert document["left"] == 5000 - len(document["entries"]) > 0
    assert budget.fill(3, build)["left"] == 4997


def test_a_budget_given_in_bytes_is_measured_in_bytes():
    text = "\u6f22" * 10_000
    assert Budget().excess(text) > 2
    assert Budget(100_000).excess(text) < 1
    assert Budget(100).excess(text) > 200


@pytest.mark.anyio
async def test_a_text_that_exceeds_the_token_budget_is_read_again_with_fewer_bytes():
    limits = []

    async def read(most):
        limits.append(most)
        return {"content": "\u6f22" * (most // 3)}

    document = await Budget().read(read)
    assert limits[0] == BYTES
    assert 2 <= len(limits) <= 3
    assert Budget().excess(document) <= 1
    limits.clear()
    await Budget(50_000).read(read)
    assert limits == [50_000]


STYLE = PLAIN_STYLE | {"fg": {"kind": "palette", "index": 4}}


def screen(line, rows, history=0, styled=0):
    cells = [{"row": number % rows, "col": number // rows, "style": STYLE} for number in range(styled)]
    cells.sort(key=lambda cell: (cell["row"], cell["col"]))
    return {
        "lines": [line] * rows,
        "scrollback": [line] * history,
        "soft_wrap": {"lines": [], "scrollback": [0, history - 1] if history else []},
        **({"cells": cells} if styled else {}),
    }


def test_a_large_screen_loses_cells_then_scrollback_then_highlights_then_rows():
    assert within(screen("words", 24), Budget()) == screen("words", 24)
    styled = within(screen("words", 24, styled=100), Budget())
    assert 0 < len(styled["cells"]) < 100
    assert styled["omitted"]["cells"] == 100 - len(styled["cells"])
    assert len(styled["highlights"]) == 24
    long = within(screen("some words", 24, history=5000, styled=100), Budget())
    kept = len(long["scrollback"])
    assert (long["cells"], len(long["highlights"])) == ([], 24)
    assert long["omitted"]["scrollback_rows"] == 5000 - kept > 0
    assert long["soft_wrap"]["scrollback"] == [kept - 1]
    large = within(screen("\u6f22" * 150, 100, history=10, styled=300), Budget())
    assert (large["cells"], large["highlights"], large["scrollback"]) == ([], [], [])
    blank = large["omitted"]["rows"]
    assert large["lines"] == [""] * blank + ["\u6f22" * 150] * (100 - blank)
    assert 0 < blank < 100
    for cut in (styled, long, large):
        assert Budget().excess(cut) <= 1
        assert "max_bytes" in cut["omitted"]["hint"]


def test_a_large_set_of_changed_rows_loses_the_upper_rows():
    rows = [{"row": number, "text": "\u6f22" * 150} for number in range(100)]
    cut = within({"changed": rows, "seq": 7}, Budget())
    assert cut["changed"] == rows[cut["omitted"]["rows"] :]
    assert json.dumps(cut["changed"]) != "[]"

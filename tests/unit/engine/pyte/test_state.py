import json
import zlib

import pytest

from phux_core.engine import CHECKPOINT_MAGIC, create, restore

MAGIC = CHECKPOINT_MAGIC + b"pyte\n"


def test_deferred_history_stays_deferred_in_a_checkpoint():
    engine = create("pyte", 20, 3)
    engine.feed(b"\x1b[1mline\x1b[0m of text\r\n" * 500)
    state = json.loads(zlib.decompress(engine.checkpoint()[len(MAGIC) :]))
    assert any(len(item) == 3 for item in state["history"])
    other = restore(engine.checkpoint())
    assert other.history_rows == engine.history_rows == 498
    assert other.spans(-498, 501) == engine.spans(-498, 501)


@pytest.mark.parametrize("cut", range(1, 30))
def test_a_checkpoint_taken_inside_a_sequence_or_character_is_restored(cut):
    data = "a\x1b[1;31mé日\x1b]0;tïtle\x07\x1b(0q".encode()
    whole, half = create("pyte", 20, 3), create("pyte", 20, 3)
    whole.feed(data)
    half.feed(data[:cut])
    other = restore(half.checkpoint())
    other.feed(data[cut:])
    assert other.spans(0, 3) == whole.spans(0, 3)
    assert other.title == whole.title
    assert other.position == len(data)


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"nothing",
        MAGIC,
        MAGIC + b"x",
        MAGIC + zlib.compress(b"{}"),
        MAGIC + zlib.compress(b'{"version": 99}'),
        MAGIC + zlib.compress(b"[1]"),
        MAGIC + zlib.compress(b'{"version": 1, "size": [1]}'),
        MAGIC + zlib.compress(b"x"),
    ],
)
def test_restoring_an_invalid_checkpoint_raises_value_error(damaged):
    with pytest.raises(ValueError):
        restore(damaged)


def test_restoring_a_truncated_checkpoint_raises_value_error():
    checkpoint = create("pyte", 20, 3).checkpoint()
    for size in range(len(MAGIC), len(checkpoint) - 1):
        with pytest.raises(ValueError):
            restore(checkpoint[:size])

"""Write a reproducible stream into a terminal: ``writer.py KIND SEED SIZE [PAUSE]``; the exit status is SEED % 100.

Writes come in bursts with random pauses of up to PAUSE seconds. Imports only the standard library, because a pane
executes it without the packages of phux.
"""

from __future__ import annotations

import os
import random
import sys
import time
import tty


def stream(kind: str, seed: int, size: int) -> bytes:
    """Return numbered lines with text, runs of NUL, or all other bytes as well (kinds ``text``, ``nul``, ``bytes``)."""
    rng = random.Random(f"{kind} {seed}")
    pieces, length, number = [], 0, 0
    while length < size:
        body = b"x" * rng.randrange(60)
        if kind == "nul":
            body += bytes(rng.choice((0, 1, 5, 300)))
        elif kind == "bytes":
            body = rng.randbytes(rng.randrange(200))
        piece = b"%d:%b\r\n" % (number, body)
        pieces.append(piece)
        length += len(piece)
        number += 1
    return b"".join(pieces)[:size]


def main() -> None:
    """Write the stream to stdout, which is a terminal."""
    kind, seed, size, *pause = sys.argv[1:]
    tty.setraw(1)
    view = memoryview(stream(kind, int(seed), int(size)))
    rng = random.Random()
    while view:
        burst = rng.choice((1, 100, 4_000, 100_000, 500_000))
        while view and burst > 0:
            count = os.write(1, view[:burst])
            view, burst = view[count:], burst - count
        if pause:
            time.sleep(rng.uniform(0, float(pause[0])))
    sys.exit(int(seed) % 100)


if __name__ == "__main__":
    main()

"""A program in place of ssh that runs the remote command here, and cuts the connection at a chosen frame.

``PHUX_TEST_CUT`` names a file with the number of frames to pass on, in both directions together, and ``after`` or
``before``: whether the next frame is passed on before the connection is cut. After the cut, the file says ``done``.
"""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import threading
from pathlib import Path

LOCK = threading.Lock()


def take(path: Path) -> str:
    """Count a frame, and return what to do with it: ``pass``, ``before`` or ``after``."""
    with LOCK:
        words = path.read_text().split()
        if words[0] == "done":
            return "pass"
        left, when = int(words[0]), words[1]
        path.write_text(f"{left - 1} {when}" if left else "done")
        return "pass" if left else when


def read(source: int, count: int) -> bytes:
    """Read exactly ``count`` bytes; fewer at the end."""
    data = b""
    while len(data) < count and (more := os.read(source, count - len(data))):
        data += more
    return data


def relay(source: int, target: int, path: Path, process: subprocess.Popen[bytes]) -> None:
    """Pass on frames until the end or the cut."""
    while len(prefix := read(source, 8)) == 8:
        frame = prefix + read(source, sum(struct.unpack(">II", prefix)))
        what = take(path)
        if what != "before":
            os.write(target, frame)
        if what != "pass":
            process.kill()
            print("client_loop: send disconnect: Broken pipe", file=sys.stderr)
            os._exit(255)
    os.close(target)


def main() -> None:
    """Run the remote command, which is the last argument."""
    path = Path(os.environ["PHUX_TEST_CUT"])
    with subprocess.Popen(["sh", "-c", sys.argv[-1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        source, target = process.stdout.fileno(), process.stdin.fileno()
        while (byte := os.read(source, 1)) not in {b"\n", b""}:  # the preamble
            os.write(1, byte)
        os.write(1, b"\n")
        threading.Thread(target=relay, args=(0, target, path, process), daemon=True).start()
        relay(source, 1, path, process)
        os._exit(process.wait())


if __name__ == "__main__":
    main()

"""Share a pane with a person: watch the commands that the person types, and offer a correction at the prompt.

The person works in `phux attach NAME`. The correction is typed without Enter, so the person decides.
"""

import difflib
import sys

from phux_client import CommandFinished, blocking

KNOWN = ["git status", "git diff", "ls -l", "make test"]


def main(name: str) -> None:
    with blocking.connect(client="pair/1.0") as phux:
        pane = phux.session(name).pane
        with pane.watch() as events:
            for event in events:
                if not isinstance(event, CommandFinished) or event.exit_code != 127:  # command not found
                    continue
                similar = difflib.get_close_matches(event.command or "", KNOWN, n=1)
                if similar:
                    pane.wait(state="prompt", timeout_s=20)
                    pane.send_keys(similar[0], literal=True)
                    print(f"{event.command!r} -> {similar[0]!r}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])

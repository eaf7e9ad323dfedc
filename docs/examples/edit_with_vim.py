"""Edit a file with vim: type, wait for what the screen shows, and end when vim has ended."""

import sys

from phux_client import StoppedError, blocking


def replace(path: str, old: str, new: str) -> str:
    """Replace a text in a file, and return what vim reports."""
    with blocking.connect(start=True) as phux, phux.new_session(command=["vim", "-u", "NONE", "-N", path]) as session:
        pane = session.pane
        pane.wait(state="fullscreen", timeout_s=20)
        changes = pane.act(f":%s/{old}/{new}/g", "Enter", regex="substitutions? on", stop="^E[0-9]+:")
        pane.act(":wq", "Enter", state="dead")
        return changes.met_line or ""


if __name__ == "__main__":
    try:
        print(replace(*sys.argv[1:4]))
    except StoppedError as error:
        sys.exit(error.message)

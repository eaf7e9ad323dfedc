"""Choose with fzf: type a query, check what it matches, and read the choice as the output of the command."""

import sys

from phux_client import blocking


def choose(candidates: str, query: str) -> str:
    """Return the only line of a command's output that matches a query."""
    with blocking.connect(start=True) as phux, phux.new_session() as session:
        pane = session.pane
        started = pane.start(f"{candidates} | fzf --info=inline")
        pane.wait(state="fullscreen", timeout_s=20)
        pane.act(query, regex="< 1/[0-9]+")  # one match is left
        pane.send_keys("Enter")
        phux.wait_command(started.command_id, timeout_s=20)
        return pane.output(started.command_id).content.strip()


if __name__ == "__main__":
    print(choose(*sys.argv[1:3]))

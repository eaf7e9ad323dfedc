"""Choose from a menu by its highlighted row, as a person does, and use the choice in the same shell."""

import sys

from phux_client import blocking

MENU = "fruit=$(whiptail --menu Fruit 15 40 5 a Apple b Banana c Cherry 3>&1 1>&2 2>&3)"
SELECTED = "bg=1"  # whiptail draws the selected entry on red


def selected(pane: blocking.Pane) -> str:
    """Return the text of the highlighted row."""
    runs = pane.snapshot(cells=True).highlights or []
    return " ".join(run.text for run in runs if SELECTED in run.style)


def choose(label: str) -> str:
    """Choose the entry with a label, and return its tag."""
    with blocking.connect(start=True) as phux, phux.new_session() as session:
        pane = session.pane
        pane.start(MENU)
        pane.wait(state="fullscreen", timeout_s=20)
        entry = ""
        while label not in selected(pane):
            before, entry = entry, selected(pane)
            if entry == before:
                raise LookupError(f"the menu has no {label}")
            pane.act("Down")
        pane.send_keys("Enter")
        return pane.run('echo "$fruit"', queue=True).output


if __name__ == "__main__":
    print(choose(sys.argv[1]))

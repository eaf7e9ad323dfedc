"""Choose from a menu by its highlighted row, as a person does, and use the choice in the same shell."""

import sys

from phux_client import blocking

MENU = "fruit=$(whiptail --menu Fruit 15 40 5 a Apple b Banana c Cherry 3>&1 1>&2 2>&3)"


def choose(label: str) -> str:
    """Choose the entry with a label, and return its tag."""
    with blocking.connect(start=True) as phux, phux.new_session() as session:
        pane = session.pane
        pane.start(MENU)
        passed = ""
        while label not in (entry := pane.highlighted(timeout_s=20).text):
            if entry == passed:  # the last entry
                raise LookupError(f"the menu has no {label}")
            passed = entry
            pane.act("Down")
        pane.send_keys("Enter")
        return pane.run('echo "$fruit"', queue=True).output


if __name__ == "__main__":
    print(choose(sys.argv[1]))

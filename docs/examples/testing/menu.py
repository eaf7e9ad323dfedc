"""Choose a fruit with curses; the exit status is its number."""

import curses
import sys

FRUITS = ["Apple", "Banana", "Cherry"]


def main(screen: curses.window) -> int:
    curses.curs_set(0)
    curses.mousemask(curses.BUTTON1_CLICKED | curses.BUTTON1_PRESSED)
    chosen = 0
    while True:
        for row, fruit in enumerate(FRUITS):
            screen.addstr(row, 2, fruit, curses.A_REVERSE if row == chosen else curses.A_NORMAL)
        key = screen.getch()
        if key == curses.KEY_DOWN:
            chosen = min(chosen + 1, len(FRUITS) - 1)
        elif key == curses.KEY_MOUSE:
            chosen = min(curses.getmouse()[2], len(FRUITS) - 1)
        elif key == ord("\n"):
            return chosen


sys.exit(curses.wrapper(main))

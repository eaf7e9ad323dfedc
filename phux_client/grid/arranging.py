"""The places of tiles: as large as possible, all on one screen if they then are large enough. No I/O."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Place: TypeAlias = tuple[int, int, int, int]
    """Column, row, width and height."""

LEAST_COLS, LEAST_ROWS = 28, 5
"""The size below which tiles are not legible; only a smaller terminal has smaller ones."""
_USUAL_COLS, _USUAL_ROWS = 80, 24


class Arrangement:
    """A grid of equal tiles on a screen.

    Args:
        count: The number of tiles.
        cols: The width of the screen.
        rows: The height of the screen.

    Attributes:
        across: The number of tiles side by side.
        down: The number of tiles one below the other that are visible at once.
    """

    def __init__(self, count: int, cols: int, rows: int) -> None:
        self._cols, self._rows = cols, rows
        most_across, most_down = max(1, cols // LEAST_COLS), max(1, rows // LEAST_ROWS)

        def rate(across: int) -> tuple[int, float]:
            down = min(-(-count // across), most_down)
            return min(count, across * down), min(cols / across / _USUAL_COLS, rows / down / _USUAL_ROWS)

        self.across = max(range(1, max(1, min(count, most_across)) + 1), key=rate) if count else 1
        self.down = max(1, min(-(-count // self.across), most_down))

    @property
    def shown(self) -> int:
        """The number of tiles that fit on the screen."""
        return self.across * self.down

    def place(self, number: int) -> "Place":
        """Return the place of a visible tile, counted from the first visible one."""
        line, column = divmod(number, self.across)
        x, y = column * self._cols // self.across, line * self._rows // self.down
        end_x, end_y = (column + 1) * self._cols // self.across, (line + 1) * self._rows // self.down
        return x, y, end_x - x, end_y - y

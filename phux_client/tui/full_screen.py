"""A program that draws on the whole terminal, from one canvas, and has keys only."""

from phux_client.tui import keyboard as keys
from phux_client.tui.loop import TerminalLoop
from phux_client.tui.paint import Painter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from phux_client.tui.canvas import Canvas
    from phux_client.tui.outer import Outer, Signals


class FullScreen(TerminalLoop):
    """A program that draws on the whole terminal."""

    def __init__(self, outer: "Outer", signals: "Signals") -> None:
        super().__init__(outer, signals)
        self._painter = Painter()

    # For subclasses

    def canvas(self) -> "Canvas | None":
        """Return the screen to draw; None if it has not changed."""
        raise NotImplementedError

    def press(self, key: str) -> None:
        """Handle a key, given its name or its character."""
        raise NotImplementedError

    def touch(self) -> None:
        """Record that the screen has to be drawn again."""
        raise NotImplementedError

    # The loop

    def run(self) -> None:
        """Run until ``end``."""
        self.run_loop()

    def end(self, code: int = 0) -> None:
        """Stop after this iteration of the loop."""
        self.stop(code, "")

    def paint(self) -> None:
        """Draw the canvas, if it has changed."""
        canvas = None if self.outer.wants_to_write else self.canvas()
        if canvas is not None:
            self.outer.write(self._painter.paint(canvas))

    def resized(self) -> None:
        """Draw everything again."""
        self._painter.forget()
        self.touch()

    def knows_synchronized(self) -> None:
        """Record that the terminal supports synchronized output."""
        self._painter.synchronized = True

    def take(self, events: "Sequence[keys.Event]") -> None:
        """Pass keys and text to ``press``."""
        for event in map(keys.plain, events):
            if isinstance(event, keys.Text):
                for character in event.text:
                    self.press(character)
            elif isinstance(event, keys.KeyPress):
                self.press(event.name)

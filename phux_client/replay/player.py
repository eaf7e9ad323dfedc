"""The event loop of a replay: keys and time in, frames out.

The terminal gets only painted cells, never the bytes that the program wrote.
"""

import selectors
import time
from collections import deque

from phux_client.moments import Place
from phux_client.replay.film import frames_of
from phux_client.replay.loading import Loader
from phux_client.replay.pacing import Pacing
from phux_client.replay.view import compose, status_line
from phux_client.tui.full_screen import FullScreen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.replay.commands import Commands
    from phux_client.replay.film import Frame
    from phux_client.replay.loading import Load
    from phux_client.tui.canvas import Canvas
    from phux_client.tui.outer import Outer, Signals

_AHEAD = 256
"""The next page is loaded when fewer frames than this are left."""
_FRAME_S = 1 / 60
_BACK_S = 1.0
"""How soon after the start of a command a step back goes to the one before."""
_QUIT = frozenset({"q", "Q", "C-c", "C-d", "Escape"})
_SPEEDS = (0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 100)


class Player(FullScreen):
    """One replay.

    Args:
        load: Returns the pages of the film.
        first: The place at which to start.
        last: The place at which to end.
    """

    def __init__(
        self,
        load: "Load",
        commands: "Commands",
        first: "Place",
        last: "Place",
        *,
        outer: "Outer",
        signals: "Signals",
        speed: float,
        max_idle_s: float | None,
    ) -> None:
        super().__init__(outer, signals)
        self._commands = commands
        self._first, self._last = first, last
        self._loader = Loader(load)
        self.selector.register(self._loader, selectors.EVENT_READ, self._take_page)
        self._pacing = Pacing(first.at, time.monotonic(), speed=speed, max_idle_s=max_idle_s)
        self._frames: deque[Frame | None] = deque()  # those of the cues; the end of the film has none
        self._frame: Frame | None = None
        self._next: Place | None = first  # the start of the next page
        self._is_jumping = True
        self._message = ""
        self._help_shown = False
        self._painted: tuple[object, ...] = ()
        self._painted_at = 0.0

    def run(self) -> None:
        """Play until the user quits."""
        self._load()
        try:
            super().run()
        finally:
            self._loader.close()

    # Time

    def due(self) -> list[float]:
        """Return when the next frame is due, or the clock of the status line changes."""
        due_s = self._pacing.due_s
        if due_s is None:
            return []
        second = (1 - self._pacing.position % 1) / self._pacing.speed
        return [max(self._painted_at + _FRAME_S, time.monotonic() + min(due_s, second))]

    def keep_time(self, now: float) -> None:
        """Go on with the film."""
        self._advance(self._pacing.tick(now))

    def _advance(self, count: int) -> None:
        for _ in range(count):
            self._frame = self._frames.popleft() or self._frame
        if count:
            self._load()

    # Pages

    def _load(self) -> None:
        """Load the next page if few frames are left."""
        if self._next is not None and not self._loader.is_busy and len(self._frames) < _AHEAD:
            self._loader.ask(self._next)

    def _take_page(self) -> None:
        page = self._loader.take()
        if page is None:
            return
        frames: list[Frame | None] = [*frames_of(page)]
        cues = [frame.at for frame in frames if frame is not None]
        self._next = None if page["next"] is None else Place(*page["next"])
        if self._next is None:
            frames.append(None)
            cues.append(page["end"])
        self._frames += frames
        self._pacing.add(cues)
        if self._is_jumping:
            self._is_jumping = False
            self._advance(self._pacing.skip())
        self._load()

    def _jump(self, place: "Place") -> None:
        """Continue at a place, with its own page: loaded frames need not show the screen right before a command."""
        self._frames.clear()
        self._pacing.restart(place.at)
        self._next, self._is_jumping = place, True
        self._loader.ask(place)

    # Keys

    def press(self, key: str) -> None:
        """Handle a key."""
        self._message = ""
        helped, self._help_shown = self._help_shown, key == "?" and not self._help_shown
        if helped:
            return
        if key in _QUIT:
            self.end()
        elif key == " ":
            if self._mode == "end":
                self._jump(self._first)
            else:
                self._pause(on=not self._pacing.is_paused)
        elif key in {"n", "Right"}:
            self._step()
        elif key in {"p", "Left"}:
            self._step_back()
        elif key in {"g", "Home"}:
            self._jump(self._first)
        elif key in {"G", "End"}:
            self._pause(on=False)
            self._jump(self._last)
        elif key in {"+", "=", "-"}:
            self._change_speed(faster=key != "-")
        elif key == "C-z":
            self.suspend()

    def _pause(self, *, on: bool) -> None:
        self._advance(self._pacing.pause(time.monotonic(), on=on))

    def _change_speed(self, *, faster: bool) -> None:
        self._advance(self._pacing.tick(time.monotonic()))
        speed = self._pacing.speed
        if faster:
            self._pacing.speed = next((one for one in _SPEEDS if one > speed), speed)
        else:
            self._pacing.speed = next((one for one in reversed(_SPEEDS) if one < speed), speed)

    def _step(self) -> None:
        """Go to the start of the next command."""
        place = self._commands.next_after(self._place)
        if place is None or place.at > self._last.at:
            self._message = "there is no later command"
        else:
            self._jump(place)

    def _step_back(self) -> None:
        """Go to the start of the command, or of the one before if that was just now."""
        now = self._place
        place = self._commands.last_before(now)
        recent_s = _BACK_S * self._pacing.speed if self._mode == "playing" else 0
        if place is not None and now.at - place.at < recent_s:
            place = self._commands.last_before(place)
        self._jump(self._first if place is None or place.at < self._first.at else place)

    def suspend(self) -> None:
        """Suspend the process; the film is paused meanwhile."""
        was_paused = self._pacing.is_paused
        self._pause(on=True)
        super().suspend()
        self._pause(on=was_paused)

    @property
    def _place(self) -> Place:
        """The place that is shown, or that will be shown when its page is loaded."""
        if self._is_jumping or self._frame is None:
            return self._next or self._first
        return Place(self._frame.seq, self._pacing.position)

    # Painting

    @property
    def _mode(self) -> str:
        if not self._frames:
            return "end" if self._next is None else "loading"
        return "paused" if self._pacing.is_paused else "playing"

    def touch(self) -> None:
        """Draw the screen again."""
        self._painted = ()

    def canvas(self) -> "Canvas | None":
        """Return the screen if it has changed."""
        if self._frame is None:
            return None
        position, speed, size = self._pacing.position, self._pacing.speed, self.outer.size
        shown = self._message or self._commands.shown_at(position)
        state = (self._frame, int(position), self._mode, shown, size, speed, self._help_shown)
        if state == self._painted:
            return None
        self._painted, self._painted_at = state, time.monotonic()
        status = status_line(self._mode, position, self._first.at, self._last.at, shown, size[0], speed)
        return compose(self._frame, status, *size, help_shown=self._help_shown)

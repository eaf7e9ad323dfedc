"""The conversation of a grid with the server: events, the tree, and frames of the visible panes.

A pane's frame is read again while the pane writes, and after an event that says that it has begun to write.
"""

import time
from math import inf

from phux_client.tui.link import Link
from phux_core import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from phux_client.flows._types import Document
    from phux_client.grid.model import GridModel
    from phux_client.tui.link import OnError, OnReply

_RETRY_S = 0.05
_RESTARTING_S = 0.25
_LONGEST_PAUSE_S = 5.0
_GIVE_UP_S = 30.0
_SILENT_S = 1.0
_FRAME_S, _SELECTED_FRAME_S = 0.1, 1 / 30
"""The time between two frames of a pane that writes constantly."""
_SHARE = 4
"""A busy server gets this many times the time that it needed for a frame."""


class _Sight:
    """What was read of one pane."""

    __slots__ = ("asked_at", "due_at", "has_changed", "next_at", "version")

    def __init__(self) -> None:
        self.version: int | None = None
        self.due_at = inf
        self.next_at = 0.0
        self.asked_at: float | None = None
        self.has_changed = False


class Exchange:
    """A grid's conversation with the server.

    Args:
        on_change: Called after the model has changed.
        on_link: Called with a new connection, and with None when it is lost.
        on_end: Called with a message when the server is gone.

    Attributes:
        link: The connection, if any.
    """

    def __init__(
        self,
        socket: str,
        model: "GridModel",
        on_change: "Callable[[], None]",
        on_link: "Callable[[Link | None], None]",
        on_end: "Callable[[str], None]",
    ) -> None:
        self._socket = socket
        self._model = model
        self._on_change, self._on_link, self._on_end = on_change, on_link, on_end
        self.link: Link | None = None
        self._problem = ""
        self._lost_at: float | None = None
        self._retry_at = 0.0
        self._attempts = 0
        self._sights: dict[int, _Sight] = {}
        self._visible: set[int] = set()
        self._tree_is_due = self._tree_is_asked = False

    @property
    def problem(self) -> str:
        """What is wrong with the server; empty if nothing is."""
        asked = [sight.asked_at for sight in self._sights.values() if sight.asked_at is not None]
        is_silent = bool(asked) and time.monotonic() - min(asked) > _SILENT_S
        return self._problem or ("the service is not answering" if is_silent else "")

    # The connection

    def connect(self) -> None:
        """Connect; schedule another attempt if too many clients are connecting.

        Raises:
            PhuxError: The server cannot be reached.
        """
        try:
            self.link = Link(self._socket, lambda _push: None, self._take_event)
        except errors.NoServerError:
            raise
        except errors.TransportError as error:
            self._lose(error.message)
            return
        self._on_link(self.link)
        self._sights, self._visible = {}, set()
        self._tree_is_asked = False
        self._ask("subscribe", self._subscribed)

    def _subscribed(self, _reply: "Document") -> None:
        self._lost_at, self._problem, self._attempts = None, "", 0
        self._read_tree(with_commands=True)

    def close(self) -> None:
        """Close the connection."""
        if self.link is not None:
            self._on_link(None)
            self.link.close()
            self.link = None

    def serve(self) -> None:
        """Send and receive as much as possible without blocking."""
        if self.link is None:
            return
        try:
            self.link.write()
            self.link.read()
        except errors.ServiceRestartingError as error:
            self._lose(error.message, _RESTARTING_S)
        except errors.HostError as error:
            self._attempts += 1
            self._lose(error.message, min(_RESTARTING_S * 2.0**self._attempts, _LONGEST_PAUSE_S))
        except errors.PhuxError as error:
            self._lose(error.message)

    def _lose(self, problem: str, retry_s: float = _RETRY_S) -> None:
        self.close()
        now = time.monotonic()
        self._lost_at = self._lost_at or now
        self._problem, self._retry_at = problem, now + retry_s
        if now - self._lost_at > _GIVE_UP_S:
            self._on_end(problem)
        self._on_change()

    def _ask(self, call: str, on_reply: "OnReply", on_error: "OnError | None" = None, /, **params: object) -> None:
        if self.link is None:
            return
        try:
            self.link.ask(call, on_reply, on_error, None, **params)
        except errors.DisconnectedError as error:
            self._lose(error.message)

    # The panes

    def _read_tree(self, *, with_commands: bool = False) -> None:
        self._tree_is_due = False
        self._tree_is_asked = True

        def take(tree: "Document") -> None:
            self._tree_is_asked = False
            self._model.overview.take_tree(tree)
            panes = self._model.overview.panes
            self._sights = {pane: sight for pane, sight in self._sights.items() if pane in panes}
            if with_commands:
                self._ask("commands", self._take_commands)
            self._on_change()

        self._ask("tree", take)

    def _take_commands(self, reply: "Document") -> None:
        self._model.overview.take_commands(reply["commands"])
        self._on_change()

    def _take_event(self, event: "Document") -> None:
        name = event["event"]
        if name == "dropped":
            self._read_tree(with_commands=True)
            for sight in self._sights.values():
                self._touch(sight)
        elif self._model.overview.take_event(event):
            self._tree_is_due = True
        if name in {"dirty", "resized"}:
            touched = self._sights.get(int(event["terminal"][1:]))
            if touched is not None:
                self._touch(touched)
        elif name != "idle":
            self._on_change()

    # Frames

    def watch(self, panes: "Iterable[int]") -> None:
        """Read the frames of these panes from now on, and of no others."""
        visible = set(panes)
        for pane in visible - self._visible:
            self._touch(self._sights.setdefault(pane, _Sight()))
        self._visible = visible

    @staticmethod
    def _touch(sight: _Sight) -> None:
        sight.has_changed = True
        sight.due_at = sight.next_at

    def _read_if_due(self, pane: int, sight: _Sight, now: float) -> None:
        if sight.asked_at is not None or now < sight.due_at:
            return
        began = sight.asked_at = now
        sight.has_changed = False

        def take(frame: "Document") -> None:
            now = time.monotonic()
            least = _SELECTED_FRAME_S if pane == self._model.selected else _FRAME_S
            sight.asked_at, sight.version = None, frame["version"]
            sight.next_at = now + max(least, _SHARE * (now - began))
            sight.due_at = sight.next_at if frame["writing"] or sight.has_changed else inf
            self._model.take_frame(frame)
            self._on_change()

        def refused(error: errors.PhuxError) -> None:
            sight.asked_at, sight.due_at = None, inf
            if not isinstance(error, errors.NoSuchTargetError):
                self._problem = error.message

        self._ask("frame", take, refused, pane=pane, version=sight.version)

    # Time

    def due(self) -> list[float]:
        """Return when ``keep_time`` is due."""
        if self.link is None:
            return [self._retry_at]
        sights = [self._sights[pane] for pane in self._visible if pane in self._sights]
        due = [sight.due_at for sight in sights if sight.asked_at is None and sight.due_at < inf]
        due += [sight.asked_at + _SILENT_S for sight in sights if sight.asked_at is not None and not self.problem]
        return due

    def keep_time(self, now: float) -> None:
        """Connect again, and read what is due.

        Raises:
            PhuxError: The server is gone.
        """
        if self.link is None:
            if now >= self._retry_at:
                self.connect()
            return
        if self._tree_is_due and not self._tree_is_asked:
            self._read_tree()
        for pane in self._visible & self._sights.keys():
            self._read_if_due(pane, self._sights[pane], now)

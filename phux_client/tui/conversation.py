"""The exchange with the server: one attachment at a time, and a new connection when the old one breaks.

A service that died restarts within moments. Unanswered requests are not repeated, because they may have been executed.
Input typed meanwhile is kept, and sent once after the client is attached again.
"""

import time

from phux_client.tui.link import Link
from phux_core import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document
    from phux_client.tui.app import App
    from phux_client.tui.link import OnError, OnReply

_RETRY_S = 0.02
_RESTARTING_S = 0.25
"""The pause between attempts if the keeper replies that no service is ready."""
_GIVE_UP_S = 30.0
_MOVE_S = 3.0
_MAX_HELD = 64 * 1024
_LONG = 16 * 1024
"""A piece of input with more characters than this delays later input until the piece was delivered."""


class Conversation:
    """A client's exchange with the server."""

    def __init__(self, app: "App", socket: str, session: int) -> None:
        self._app = app
        self._socket = socket
        self.session = session
        self.attachment: int | None = None
        self.link: Link | None = None
        self._lost_at: float | None = None
        self._retry_at = 0.0
        self._held: list[Document] = []
        self._held_size = 0
        self._typed: dict[int, list[Document]] = {}
        self._before_move: int | None = None
        self._move_until: float | None = None
        self._long: int | None = None

    # Requests

    def ask(
        self, call: str, on_reply: "OnReply | None" = None, on_error: "OnError | None" = None, /, **params: object
    ) -> None:
        """Send a request; show an error, unless the caller handles it."""
        if self.link is None:
            self._app.screen.say("the server is restarting; try again in a moment")
            return
        try:
            self.link.ask(call, on_reply, on_error or self._show_error, **params)
        except errors.PhuxError as error:
            self._failed(error)

    def _failed(self, error: errors.PhuxError) -> None:
        if isinstance(error, errors.DisconnectedError):
            self.lose()
        else:
            self._show_error(error)

    def _show_error(self, error: errors.PhuxError) -> None:
        self._app.screen.say(error.message)

    def move(self, call: str, /, **params: object) -> None:
        """Send a request that moves the focus; delay later input, which is for the new pane, until the focus moved."""
        if self.link is None:
            self.ask(call, **params)
            return
        if self._move_until is None:
            self._before_move = self._app.model.active_pane
            self._move_until = time.monotonic() + _MOVE_S

        def refused(error: errors.PhuxError) -> None:
            self._show_error(error)
            self._move_until = None

        def moved(_reply: object) -> None:
            self._move_until = None

        self.ask(call, moved, refused, **params)

    @property
    def holds_keys(self) -> bool:
        """Whether typed input must wait until the focus has moved, or until a long piece of input was delivered."""
        return self._move_until is not None or self._long is not None

    def type_into(self, pane: int | None, items: "list[Document]") -> None:
        """Type into a pane; while the service is down, keep the input and send it when the service is back."""
        if self._app.read_only:
            self._app.screen.say("this client is attached read-only")
        elif self.link is None or self.attachment is None or pane is None:
            self._hold(items)
        else:
            self._send(pane, items)

    def _send(self, pane: int, items: "list[Document]") -> None:
        assert self.link is not None

        def done(_reply: object) -> None:
            self._typed.pop(number, None)
            if number == self._long:
                self._long = None

        def refused(error: errors.PhuxError) -> None:
            self._show_error(error)
            done(error)

        try:
            number = self.link.ask("input", done, refused, pane=pane, items=items)
        except errors.PhuxError as error:
            self._failed(error)
            return
        self._typed[number] = items
        if _size(items) > _LONG:
            # The server rejects more input than it buffers for a slow program.
            self._long = number

    def _hold(self, items: "list[Document]") -> None:
        size = _size(items)
        if self._held_size + size <= _MAX_HELD:
            self._held += items
            self._held_size += size
        else:
            self._app.screen.say("the server is restarting, and some input was dropped")

    # Pushed frames

    def _take_push(self, frame: "Document") -> None:
        app = self._app
        if frame.get("attachment") != self.attachment:
            return  # of an attachment that is ending
        if "view" in frame:
            self._take_view(frame["view"])
        elif "frame" in frame:
            app.model.take_frame(frame["frame"])
        elif "bell" in frame:
            app.outer.ring()
        elif "detached" in frame:
            app.end(frame["detached"]["message"])
        app.screen.touch()

    def _take_view(self, view: "Document") -> None:
        model = self._app.model
        before = model.active_pane
        model.take_view(view)
        self._app.screen.take_view(view)
        if before is None and not self._app.focused:  # the server does not know the focus of a new attachment
            self._app.report_focus()
        if self._held:
            # Typed while the service was down: none of it was sent before.
            held, self._held, self._held_size = self._held, [], 0
            self.type_into(model.active_pane, held)
        if self._before_move != model.active_pane:
            self._move_until = None

    # The connection

    def connect(self) -> None:
        """Connect now, or schedule another attempt."""
        now = time.monotonic()
        try:
            self.link = Link(self._socket, self._take_push)
        except errors.NoServerError:
            self._app.end("the server has stopped", 1)
        except errors.TransportError as error:
            if self._lost_at is None or now - self._lost_at > _GIVE_UP_S:
                self._app.end(error.message, error.exit_code)
            self._retry_at = now + _RETRY_S
        except errors.PhuxError as error:
            self._app.end(error.message, error.exit_code)
        else:
            self._app.watch_link(self.link)
            self.attach_to(self.session)

    def attach_to(self, session: int) -> None:
        """Attach to a session, instead of the current one if any."""
        before = self.attachment
        cols, rows = self._app.screen.area

        def attached(reply: "Document") -> None:
            self.attachment, self.session = reply["attachment"], session
            self._lost_at = None
            self._app.begin_anew()
            if before is not None:
                self.ask("detach", attachment=before)

        def refused(error: errors.PhuxError) -> None:
            if before is None:
                self._app.end(error.message, error.exit_code)
            else:
                self._show_error(error)

        read_only = self._app.read_only or None
        self.ask("attach", attached, refused, session=session, cols=cols, rows=rows, read_only=read_only)

    def serve(self) -> None:
        """Send and receive as much as possible without blocking."""
        if self.link is None:
            return
        try:
            self.link.write()
            self.link.read()
        except errors.ServiceRestartingError as error:
            self._app.screen.say(error.message)
            self.lose(error.message, retry_s=_RESTARTING_S)
        except (errors.DisconnectedError, errors.ProtocolError):
            self.lose()
        except errors.PhuxError as error:
            self._app.end(error.message, error.exit_code)

    def lose(self, why: str = "the connection was lost", *, retry_s: float = _RETRY_S) -> None:
        """Continue without a connection until there is a new one; give up after a while."""
        if self.link is not None:
            self._app.forget_link(self.link)
            self.link.close()
            # Of unanswered input, only requests that were never sent may be sent again.
            unsent = self.link.never_sent() & self._typed.keys()
            for number in sorted(unsent):
                self._hold(self._typed[number])
            if self._typed.keys() - unsent:
                self._app.screen.say("the connection was lost; input typed at that moment may be lost")
        self._typed.clear()
        self.link = None
        self.attachment = None
        self._app.copying.over()
        now = time.monotonic()
        self._lost_at = self._lost_at or now
        self._retry_at = now + retry_s
        if now - self._lost_at > _GIVE_UP_S:
            self._app.end(why, 1)
        self._move_until = self._long = None

    def resized(self) -> None:
        """Report the available size to the server."""
        if self.attachment is not None:
            cols, rows = self._app.screen.area
            self.ask("resize_attachment", attachment=self.attachment, cols=cols, rows=rows)

    def due(self) -> list[float]:
        """Return when ``keep_time`` is due."""
        due = [self._retry_at] if self.link is None else []
        return due if self._move_until is None else [*due, self._move_until]

    def keep_time(self, now: float) -> None:
        """Reconnect, or stop waiting for a focus change, when it is time."""
        if self.link is None and now >= self._retry_at:
            self.connect()
        if self._move_until is not None and now >= self._move_until:
            self._move_until = None

    def close(self) -> None:
        """Close the connection."""
        if self.link is not None:
            self.link.close()


def _size(items: "list[Document]") -> int:
    return sum(len(str(value)) for item in items for value in item.values())

"""The exchange with the server: one attachment at a time, and a new connection when the old one breaks.

A service that died restarts within moments. Until then, typed keys wait, and unanswered input is repeated with its key,
so that it is typed once. If the service is silent for a second, typed keys are dropped: executed late, they could do
harm.
"""

import os
import time

from phux_client.tui.link import Link
from phux_core import errors
from phux_core.hosts import is_remote, split_address

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_client.flows._types import Document
    from phux_client.tui.app import App
    from phux_client.tui.link import OnError, OnReply

_RETRY_S = 0.02
_RESTARTING_S = 0.25
"""The pause between attempts if the keeper replies that no service is ready."""
_GIVE_UP_S = 30.0
_MOVE_S = 3.0
_LOOK_S, _FAR_LOOK_S = 0.5, 2.0
"""How long nothing may arrive while a reply is due, before a probe and again after it; on another machine."""
_LONGEST_PAUSE_S = 5.0


class Conversation:
    """A client's exchange with the server.

    Attributes:
        is_silent: Whether the service has not answered for a second; then input is dropped.
    """

    def __init__(self, app: "App", socket: str, session: int) -> None:
        self._app = app
        self._socket = socket
        self._host = split_address(socket)[0] if is_remote(socket) else None
        self._look_s = _LOOK_S if self._host is None else _FAR_LOOK_S
        self._attempts = 0
        self.session = session
        self.attachment: int | None = None
        self.link: Link | None = None
        self._lost_at: float | None = None
        self._retry_at = 0.0
        self.is_silent = False
        self._look_at: float | None = None
        self._is_probed = False
        self._unanswered: dict[str, tuple[int, list[Document]]] = {}  # input, by the keys of its requests
        self._dropped = 0
        self._before_move: int | None = None
        self._move_until: float | None = None
        self._moves = 0
        self._is_switching = False

    # Requests

    def ask(
        self, call: str, on_reply: "OnReply | None" = None, on_error: "OnError | None" = None, /, **params: object
    ) -> None:
        """Send a request of the user, unless it would be executed late; show an error, unless the caller handles it."""
        if self.is_silent:
            (on_error or self._show_error)(errors.DisconnectedError(f"{self.problem}; try again later"))
        else:
            self.request(call, on_reply, on_error, **params)

    def request(
        self,
        call: str,
        on_reply: "OnReply | None" = None,
        on_error: "OnError | None" = None,
        key: str | None = None,
        /,
        **params: object,
    ) -> None:
        """Send a request, also to a silent service; show an error, unless the caller handles it."""
        on_error = on_error or self._show_error
        if self.link is None:
            on_error(errors.DisconnectedError(f"{self.problem}; try again in a moment"))
            return
        self._expect()
        try:
            self.link.ask(call, on_reply, on_error, key, **params)
        except errors.DisconnectedError:
            self.lose()
        except errors.PhuxError as error:
            on_error(error)

    def _show_error(self, error: errors.PhuxError) -> None:
        self._app.screen.say(error.message)

    def move(self, call: str, /, **params: object) -> None:
        """Send a request that moves the focus; delay later input, which is for the new pane, until the focus moved."""
        if self._move_until is None:
            self._before_move = self._app.model.active_pane
            self._move_until = time.monotonic() + _MOVE_S
        self._moves += 1
        move = self._moves

        def refused(error: errors.PhuxError) -> None:
            self._show_error(error)
            moved(error)

        def moved(_reply: object) -> None:
            if move == self._moves:  # else another move has begun, after the view of this one
                self._move_until = None

        self.ask(call, moved, refused, **params)

    @property
    def holds_keys(self) -> bool:
        """Whether typed keys must wait: for the service, the delivery of earlier input, or a change of focus."""
        is_attached = self.attachment is not None and self._app.model.active_pane is not None and not self._is_switching
        return not self.is_silent and (not is_attached or bool(self._unanswered) or self._move_until is not None)

    def type_into(self, pane: int | None, items: "list[Document]") -> None:
        """Type into a pane; drop the input if the service does not answer."""
        if self._app.read_only:
            self._app.screen.say("this client is attached read-only")
        elif self.is_silent or self.link is None or pane is None:
            self._drop(items)
        else:
            self._type(os.urandom(8).hex(), pane, items)

    def _type(self, key: str, pane: int, items: "list[Document]") -> None:
        self._unanswered[key] = pane, items

        def done(_reply: object) -> None:
            self._unanswered.pop(key, None)

        def refused(error: errors.PhuxError) -> None:
            self._show_error(error)
            done(error)

        self.request("input", done, refused, key, pane=pane, items=items)

    def _drop(self, items: "list[Document]") -> None:
        self._dropped += sum(len(item.get("text", " ")) for item in items)

    # Silence

    @property
    def problem(self) -> str:
        """What is wrong with a service that does not answer."""
        if self._host is not None:
            return f"connecting to {self._host} again" if self.attachment is None else f"{self._host} is not answering"
        return "the service is restarting" if self.attachment is None else "the service is not answering"

    def _expect(self) -> None:
        """Expect something from the service from now on."""
        if self._look_at is None and not self.is_silent:
            self._look_at = time.monotonic() + self._look_s

    def _look(self) -> None:
        """Probe the service, which may be silent because a program does not read its input; then consider it silent."""
        if not self._is_probed:
            self._is_probed = True
            self._look_at = time.monotonic() + self._look_s
            self.resized()
        else:
            self.is_silent = True
            self._look_at = None
            if self.link is not None:
                self.link.cancel("input")
            for _pane, items in self._unanswered.values():
                self._drop(items)
            self._unanswered.clear()
            self._app.copying.over()  # no keys wait for it
            self._app.screen.touch()

    def _answered(self) -> None:
        """Record that the service has sent something."""
        self._look_at, self._is_probed = None, False
        if self._unanswered:
            self._expect()
        if self.is_silent:
            self.is_silent = False
            self._app.screen.touch()
        if self._dropped:
            keys = "1 key was" if self._dropped == 1 else f"{self._dropped} keys were"
            self._app.screen.say(f"the service did not answer, and {keys} dropped")
            self._dropped = 0

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
        elif "notification" in frame or "clipboard" in frame:
            app.requests.take(frame)
        elif "detached" in frame:
            app.end(frame["detached"]["message"])
        app.screen.touch()

    def _take_view(self, view: "Document") -> None:
        model = self._app.model
        before = model.active_pane
        self._app.actions.saw(model.view or self._app.view_before, view)
        model.take_view(view)
        self._app.screen.take_view(view)
        if before is None and not self._app.focused:  # the server does not know the focus of a new attachment
            self._app.report_focus()
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
        self._is_switching = True

        def attached(reply: "Document") -> None:
            self._is_switching = False
            self.attachment, self.session = reply["attachment"], session
            self._lost_at = None
            self._attempts = 0
            self._app.begin_anew()
            if before is None:
                self._repeat_input()
            else:
                self.request("detach", attachment=before)

        def refused(error: errors.PhuxError) -> None:
            self._is_switching = False
            if before is None:
                self._app.end(error.message, error.exit_code)
            else:
                self._show_error(error)

        read_only = self._app.read_only or None
        self.request("attach", attached, refused, session=session, cols=cols, rows=rows, read_only=read_only)

    def switch(self, choose: "Callable[[Document], int | None]") -> None:
        """Attach to the session that ``choose`` returns for the tree; delay input until then."""
        self._is_switching = True

        def show(tree: "Document") -> None:
            session = choose(tree)
            self._is_switching = False
            if session is not None:
                self.attach_to(session)

        def refused(error: errors.PhuxError) -> None:
            self._is_switching = False
            self._show_error(error)

        self.ask("tree", show, refused)

    def _repeat_input(self) -> None:
        """Type unanswered input, unless it was typed already."""
        for key, (pane, items) in list(self._unanswered.items()):
            self._type(key, pane, items)

    def serve(self) -> None:
        """Send and receive as much as possible without blocking."""
        if self.link is None:
            return
        try:
            self.link.write()
            if self.link.read() and self._app.model.active_pane is not None and self.attachment is not None:
                self._answered()
        except errors.ServiceRestartingError as error:
            self._app.screen.say(error.message)
            self._lost_at = None  # the server is there: wait for its service as long as the user wants
            self.lose(error.message, retry_s=_RESTARTING_S)
        except (errors.DisconnectedError, errors.ProtocolError):
            self.lose()
        except errors.HostError as error:
            if self._lost_at is None or not error.is_transient:
                self._app.end(error.message, error.exit_code)
            else:
                self._retry_later(error)
        except errors.PhuxError as error:
            self._app.end(error.message, error.exit_code)

    def lose(self, why: str = "the connection was lost", *, retry_s: float = _RETRY_S) -> None:
        """Continue without a connection until there is a new one; give up after a while."""
        if self.link is not None:
            self._app.forget_link(self.link)
            self.link.close()
        self.link = None
        self.attachment = None
        self._app.copying.over()
        now = time.monotonic()
        self._lost_at = self._lost_at or now
        self._retry_at = now + retry_s
        if self._host is not None:
            self._app.screen.say(f"{self._host}: {why}; connecting again")
        elif now - self._lost_at > _GIVE_UP_S:
            self._app.end(why, 1)
        self._move_until = None
        self._is_switching = False
        self._expect()

    def _retry_later(self, error: errors.HostError) -> None:
        """Try to reach the host again, for as long as the user wants, with growing pauses."""
        self._attempts += 1
        self.lose(error.message, retry_s=min(_RESTARTING_S * 2.0**self._attempts, _LONGEST_PAUSE_S))

    def resized(self) -> None:
        """Report the available size to the server."""
        if self.attachment is not None:
            cols, rows = self._app.screen.area
            self.request("resize_attachment", attachment=self.attachment, cols=cols, rows=rows)

    def due(self) -> list[float]:
        """Return when ``keep_time`` is due."""
        due = [self._retry_at] if self.link is None else []
        return due + [moment for moment in (self._move_until, self._look_at) if moment is not None]

    def keep_time(self, now: float) -> None:
        """Reconnect, check the service, or stop waiting for a focus change, when it is time."""
        if self.link is None and now >= self._retry_at:
            self.connect()
        if self._move_until is not None and now >= self._move_until:
            self._move_until = None
        if self._look_at is not None and now >= self._look_at:
            self._look()

    def close(self) -> None:
        """Close the connection."""
        if self.link is not None:
            self.link.close()

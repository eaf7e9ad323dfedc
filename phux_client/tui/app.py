"""The loop of an attached client: keys in, pictures out, and the server between them.

One thread, one selector. Nothing in it waits for anything but the selector: requests go out and their replies come back
later, the terminal takes what it can, and what could not be painted yet is painted as it is then.
"""

import os
import selectors
import signal
import time

from phux_client.tui import keyboard as keys
from phux_client.tui.actions import Actions
from phux_client.tui.commands import Command
from phux_client.tui.compose import Composer
from phux_client.tui.copying import Copying
from phux_client.tui.keyboard import Keyboard
from phux_client.tui.link import Link
from phux_client.tui.model import Model
from phux_client.tui.mouse import Mice
from phux_client.tui.paint import Painter
from phux_client.tui.status import message_line, status_line
from phux_core import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from phux_client.flows._kinds import Document
    from phux_client.tui.help import Pager
    from phux_client.tui.link import OnError, OnReply
    from phux_client.tui.outer import Outer, Signals
    from phux_client.tui.picker import Picker
    from phux_client.tui.prompts import Ask, Confirm
    from phux_core.bindings import Bindings

_READ_SIZE = 65536
_MESSAGE_S = 4.0
_RETRY_S = 0.02
_GIVE_UP_S = 30.0
_MOVE_S = 3.0
_MAX_HELD = 64 * 1024
_ENDS = {signal.SIGTERM: "terminated", signal.SIGHUP: "the terminal hung up", signal.SIGINT: "interrupted"}


class App:
    """One attached client.

    Args:
        socket: The server's socket.
        session: The number of the session to show.
        outer: The user's terminal.
        signals: The signals.
        bindings: What keys do.
        cli: How to run a command of the prompt: program and first arguments.
        read_only: Whether only to watch.
        with_status: Whether there is a status line.
        with_mouse: Whether the mouse is used.

    Attributes:
        code: The exit code, once it is over.
    """

    def __init__(
        self,
        socket: str,
        session: int,
        *,
        outer: "Outer",
        signals: "Signals",
        bindings: "Bindings",
        cli: "Sequence[str]",
        read_only: bool = False,
        with_status: bool = True,
        with_mouse: bool = True,
    ) -> None:
        self.socket = socket
        self.session = session
        self.bindings = bindings
        self.read_only = read_only
        self.model = Model()
        self.outer = outer
        self.prompt: Ask | Confirm | None = None
        self.box: Picker | Pager | None = None
        self.code = 0
        self.attachment: int | None = None
        self._cli = cli
        self._signals = signals
        self._with_status = with_status
        self._with_mouse = with_mouse
        self._keyboard = Keyboard()
        self._painter = Painter()
        self._composer = Composer()
        self.copying = Copying(self)
        self.actions = Actions(self)
        self._mice = Mice(self)
        self._selector = selectors.DefaultSelector()
        self._link: Link | None = None
        self._commands: list[Command] = []
        self._message: tuple[str, float] | None = None
        self._ending: str | None = None
        self._stale = True
        self._focused = True
        self._held: list[Document] = []
        self._held_size = 0
        self._lost_at: float | None = None
        self._retry_at = 0.0
        self._keys_due: float | None = None
        self._minute = -1
        self._places: list[tuple[int, int, int]] = []
        self._moving: tuple[int | None, float] | None = None
        self._waiting_keys: list[keys.Event] = []
        self._pending_input: list[Document] = []

    # Life

    def run(self) -> str:
        """Show the session until it is over.

        Returns:
            What happened, for the user to read.
        """
        self._selector.register(0, selectors.EVENT_READ, self._read_keys)
        self._selector.register(self._signals, selectors.EVENT_READ, self._read_signals)
        self._connect()
        while self._ending is None:
            self._paint()
            self._watch_writers()
            for key, _mask in self._selector.select(self._timeout()):
                key.data()
            self._keep_time()
        for command in self._commands:
            command.abandon()
        if self._link is not None:
            self._link.close()
        self._selector.close()
        return self._ending

    def end(self, text: str, code: int = 0) -> None:
        """Stop after this turn of the loop."""
        if self._ending is None:
            self._ending, self.code = text, code

    def _timeout(self) -> float:
        now = time.monotonic()
        due = [now + 60 - time.time() % 60]
        due += [moment for moment in (self._keys_due, self.actions.repeat_until) if moment is not None]
        due += [timed[1] for timed in (self._message, self._moving) if timed is not None]
        if self._link is None:
            due.append(self._retry_at)
        return max(0.0, min(due) - now)

    def _keep_time(self) -> None:
        now = time.monotonic()
        if self._keys_due is not None and now >= self._keys_due:
            self._keys_due = None
            self._take_keys(self._keyboard.flush())
        if self._message is not None and now >= self._message[1]:
            self._message = None
            self._stale = True
        if self._link is None and now >= self._retry_at and self._ending is None:
            self._connect()
        if self._moving is not None and now >= self._moving[1]:
            self._moved()
        self.actions.keep_time(now)
        if int(time.time()) // 60 != self._minute:
            self._minute = int(time.time()) // 60
            self._stale = True

    def _watch_writers(self) -> None:
        """Be woken when something that could not be written can be."""
        self._set_watch(self.outer, self.outer.wants_to_write, self._flush_outer)
        if self._link is not None:
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._link.wants_to_write else 0)
            if self._selector.get_key(self._link).events != events:
                self._selector.modify(self._link, events, self._serve_link)

    def _set_watch(self, thing: "Outer", wanted: bool, function: "Callable[[], None]") -> None:
        watched = thing in self._selector.get_map()
        if wanted and not watched:
            self._selector.register(thing, selectors.EVENT_WRITE, function)
        elif watched and not wanted:
            self._selector.unregister(thing)

    def _flush_outer(self) -> None:
        try:
            self.outer.flush()
        except OSError:
            self.end("the terminal is gone", 1)

    def _read_signals(self) -> None:
        for number in sorted(self._signals.read()):
            if number in _ENDS:
                self.end(_ENDS[signal.Signals(number)], 128 + number)
            elif number == signal.SIGTSTP:
                self.actions.perform("suspend")
            else:
                if number == signal.SIGCONT:
                    self.outer.enter_again()
                self.resized()

    def resized(self) -> None:
        """Take the terminal's size as it is now, and draw everything again."""
        self._painter.forget()
        self._stale = True
        if self.attachment is not None:
            cols, rows = self.area
            self.ask("resize_attachment", attachment=self.attachment, cols=cols, rows=rows)

    @property
    def area(self) -> tuple[int, int]:
        """Columns and rows that there are for a window."""
        cols, rows = self.outer.size
        return cols, rows - 1 if self._has_status(rows) else rows

    def _has_status(self, rows: int) -> bool:
        return self._with_status and rows > 1

    # The server

    def ask(
        self, call: str, on_reply: "OnReply | None" = None, on_error: "OnError | None" = None, /, **params: object
    ) -> None:
        """Ask the server; an error is shown, unless somebody wants to have it."""
        if self._link is None:
            self.say("the server is away; one moment")
            return
        try:
            self._link.ask(call, on_reply, on_error or self._show_error, **params)
        except errors.DisconnectedError:
            self._lose_link()
        except errors.PhuxError as error:
            self._show_error(error)

    def move(self, call: str, /, **params: object) -> None:
        """Ask for what gives the focus to another pane; what is typed behind it is for that one, and waits."""
        if self._link is None:
            self.ask(call, **params)
            return
        if self._moving is None:
            self._moving = (self.model.active_pane, time.monotonic() + _MOVE_S)
            self._selector.unregister(0)

        def refused(error: errors.PhuxError) -> None:
            self._show_error(error)
            self._moved()

        self.ask(call, lambda _reply: self._moved(), refused, **params)

    def _moved(self) -> None:
        """Go on with the keys."""
        if self._moving is not None:
            self._moving = None
            self._selector.register(0, selectors.EVENT_READ, self._read_keys)
            waiting, self._waiting_keys = self._waiting_keys, []
            self._take_keys(waiting)

    def _show_error(self, error: errors.PhuxError) -> None:
        self.say(error.message)

    def _connect(self) -> None:
        now = time.monotonic()
        try:
            self._link = Link(self.socket, self._take_push)
        except errors.NoServerError:
            self.end("the server has ended", 1)
        except errors.TransportError as error:
            if self._lost_at is None or now - self._lost_at > _GIVE_UP_S:
                self.end(error.message, error.exit_code)
            self._retry_at = now + _RETRY_S
        except errors.PhuxError as error:
            self.end(error.message, error.exit_code)
        else:
            self._selector.register(self._link, selectors.EVENT_READ, self._serve_link)
            self.attach_to(self.session)

    def attach_to(self, session: int) -> None:
        """Show a session, instead of the one that is shown now if there is one."""
        assert self._link is not None
        before = self.attachment
        cols, rows = self.area

        def attached(reply: "Document") -> None:
            self.attachment, self.session = reply["attachment"], session
            self.model = Model()
            self.copying.over()
            self._lost_at = None
            if before is not None:
                self.ask("detach", attachment=before)
            held, self._held, self._held_size = self._held, [], 0
            self._pending_input = held

        def refused(error: errors.PhuxError) -> None:
            if before is None:
                self.end(error.message, error.exit_code)
            else:
                self.say(error.message)

        self._link.ask(
            "attach", attached, refused, session=session, cols=cols, rows=rows, read_only=self.read_only or None
        )

    def _serve_link(self) -> None:
        link = self._link
        if link is None:
            return
        try:
            link.write()
            link.read()
        except (errors.DisconnectedError, errors.ProtocolError):
            self._lose_link()
        except errors.PhuxError as error:
            self.end(error.message, error.exit_code)

    def _lose_link(self) -> None:
        """Go on without a connection until there is one again: a service that died is back at once."""
        if self._link is not None:
            self._selector.unregister(self._link)
            self._link.close()
        self._link = None
        self.attachment = None
        self._moved()
        self.copying.over()
        now = time.monotonic()
        self._lost_at = self._lost_at or now
        self._retry_at = now + _RETRY_S
        if now - self._lost_at > _GIVE_UP_S:
            self.end("the connection was lost", 1)

    def _take_push(self, frame: "Document") -> None:
        if frame.get("attachment") != self.attachment:
            return  # of an attachment that is being left
        if "view" in frame:
            self._take_view(frame["view"])
        elif "frame" in frame:
            self.model.take_frame(frame["frame"])
        elif "bell" in frame:
            self.outer.ring()
        elif "detached" in frame:
            self.end(frame["detached"]["message"])
        self._stale = True

    def _take_view(self, view: "Document") -> None:
        before = self.model.active_pane
        self.model.take_view(view)
        after = self.model.active_pane
        if self._moving is not None and self._moving[0] != after:
            self._moved()
        if self._pending_input:
            # Typed while the service was away, and sent only now: nothing of it was sent before.
            self.type_into(after, self._pending_input)
            self._pending_input = []
        if before != after and self._focused:
            for pane, focused in ((before, False), (after, True)):
                self._tell_focus(pane, focused)

    def _tell_focus(self, pane: int | None, focused: bool) -> None:
        known = self.model.panes.get(pane) if pane is not None else None
        if known is not None and known.modes["focus_events"] and not self.read_only:
            self.ask("input", pane=pane, items=[{"focus": focused}])

    # Keys

    def _read_keys(self) -> None:
        try:
            data = os.read(0, _READ_SIZE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.end("the terminal is gone", 1)
            return
        self._take_keys(self._keyboard.feed(data))

    def _take_keys(self, events: "list[keys.Event]") -> None:
        wait = self._keyboard.timeout_s
        self._keys_due = None if wait is None else time.monotonic() + wait
        items: list[Document] = []
        for place, event in enumerate(events):
            if self._is_for_program(event):
                items.append(_item(event))
                continue
            self._type(items)
            items = []
            self._take_key(event)
            if self._moving is not None:
                self._waiting_keys += events[place + 1 :]
                return
        self._type(items)

    def _is_for_program(self, event: "keys.Event") -> bool:
        """Tell whether a key goes to the program in the pane as it is."""
        if self.prompt is not None or self.box is not None or self.actions.awaits_key:
            return False
        if isinstance(event, keys.KeyPress):
            return event.name != self.bindings.prefix and not self.copying.is_on
        if isinstance(event, keys.Text):
            return self.bindings.prefix not in event.text and not self.copying.is_on
        return isinstance(event, keys.Paste) and not self.copying.is_on

    def _take_key(self, event: "keys.Event") -> None:
        """Take what is for us: our own keys, the mouse, what the terminal says."""
        self._stale = True
        if isinstance(event, keys.Focus):
            self._focused = event.focused
            self._tell_focus(self.model.active_pane, event.focused)
        elif isinstance(event, keys.Answer):
            if event.data in {b"\x1b[?2026;1$y", b"\x1b[?2026;2$y", b"\x1b[?2026;3$y"}:
                self._painter.synchronized = True
        elif self.prompt is not None:
            prompt = self.prompt
            if prompt.take(event) and self.prompt is prompt:
                self.prompt = None
        elif self.box is not None:
            self._take_for_box(event)
        elif isinstance(event, keys.MouseEvent):
            self._mice.take(event)
        elif isinstance(event, keys.Text) and len(event.text) > 1:
            # Only the first of them may be behind the prefix.
            for character in event.text:
                self._take_keys([keys.Text(character)])
        else:
            self._take_own_key(event)

    def _take_own_key(self, event: "keys.Event") -> None:
        name = event.name if isinstance(event, keys.KeyPress) else event.text if isinstance(event, keys.Text) else ""
        name = "Space" if name == " " else name
        if self.actions.awaits_key:
            if not self.actions.take(name):
                self._take_keys([event])  # the time for repeating is over: it is a key like others
        elif name == self.bindings.prefix:
            self.actions.begin()
        elif self.copying.is_on:
            self.copying.take(event)

    def _take_for_box(self, event: "keys.Event") -> None:
        box = self.box
        assert box is not None
        if box.take(event):
            self.box = None
            chosen = getattr(box, "chosen", None)
            if chosen is not None:
                self.actions.go_to(chosen)

    def _type(self, items: "list[Document]") -> None:
        if items:
            self.type_into(self.model.active_pane, items)

    def type_into(self, pane: int | None, items: "list[Document]") -> None:
        """Type into a pane; what is typed while the service is away is kept, and typed when it is back."""
        if self.read_only:
            self.say("this client is attached read-only")
        elif self._link is None or self.attachment is None or pane is None:
            size = sum(len(str(item)) for item in items)
            if self._held_size + size <= _MAX_HELD:
                self._held += items
                self._held_size += size
        else:
            self.ask("input", pane=pane, items=items)

    # Commands

    def run_command(self, line: str) -> None:
        """Run a line of the command prompt."""
        import shlex

        try:
            words = shlex.split(line)
        except ValueError as error:
            self.say(f"{line}: {error}")
            return
        words = words[1:] if words[:1] == ["phux"] else words
        if not words:
            return
        if len(words) == 1 and self.actions.perform(words[0]):
            return
        pane = self.model.active_pane
        environ = {**os.environ, "PHUX_SOCKET": self.socket, "PHUX_PANE": f"@{pane}"}
        try:
            command = Command([*self._cli, *words], environ)
        except OSError as error:
            self.say(f"the command cannot be run: {error.strerror}")
            return

        def read() -> None:
            if command.read():
                self._selector.unregister(command)
                self._commands.remove(command)
                self._show_result(line, command)

        self._commands.append(command)
        self._selector.register(command, selectors.EVENT_READ, read)

    def _show_result(self, line: str, command: Command) -> None:
        lines = command.lines()
        if len(lines) > 1:
            from phux_client.tui.help import Pager

            self.box = Pager(lines, line)
        elif lines:
            self.say(lines[0])
        self._stale = True

    # The picture

    def say(self, text: str) -> None:
        """Show a message for a while."""
        self._message = (text, time.monotonic() + _MESSAGE_S)
        self._stale = True

    def window_at(self, x: int) -> int | None:
        """Tell which window's name stands at a column of the status line."""
        return next((window for start, end, window in self._places if start <= x < end), None)

    def redraw(self) -> None:
        """Draw everything again, whatever the terminal shows."""
        self._painter.forget()
        self._stale = True

    def touch(self) -> None:
        """Take note that something looks different."""
        self._stale = True

    def _paint(self) -> None:
        if not self._stale or self.outer.wants_to_write or self.model.view is None:
            return
        self._stale = False
        cols, rows = self.outer.size
        status, status_cursor = None, None
        if self._has_status(rows):
            if self.prompt is not None:
                status, status_cursor = self.prompt.line(cols)
            elif self._message is not None:
                status = message_line(self._message[0], cols)
            else:
                status, self._places = status_line(self.model.view, cols, time.time(), note=self._note())
        area = rows - 1 if status is not None else rows
        box = None if self.box is None else self.box.overlay(cols, area)
        canvas = self._composer.compose(
            self.model,
            cols,
            rows,
            status=status,
            status_cursor=status_cursor,
            over=self.copying.over_panes(),
            box=box,
        )
        try:
            self.outer.set_mouse(self._mouse_mode())
            self.outer.set_title(self._title())
            self.outer.write(self._painter.paint(canvas))
        except OSError:
            self.end("the terminal is gone", 1)

    def _note(self) -> str:
        if self._link is None:
            return "reconnecting"
        if self.actions.awaits_key:
            return self.bindings.prefix
        return "read-only" if self.read_only else ""

    def _mouse_mode(self) -> str:
        if not self._with_mouse:
            return "off"
        return "any" if any(pane.modes["mouse"] == "any" for pane in self.model.panes.values()) else "button"

    def _title(self) -> str:
        view = self.model.view
        assert view is not None
        window = next(window for window in view["windows"] if window["active"])
        pane = self.model.panes.get(view["window"]["active_pane"])
        title = pane.title if pane is not None else ""
        place = f"{view['session']['name']}:{window['index']}:{window['name']}"
        return f"{place} - {title}" if title else place


def _item(event: "keys.Event") -> "Document":
    """Make an item of the `input` call of a key."""
    if isinstance(event, keys.KeyPress):
        return {"key": event.name}
    if isinstance(event, keys.Paste):
        return {"paste": event.text}
    assert isinstance(event, keys.Text)
    return {"text": event.text}

"""The event loop of an attached client.

The loop has one thread and blocks only in its selector. Replies to requests arrive later, and output is written as the
terminal accepts it. A screen that could not be painted is painted later in its latest state.
"""

import os
import selectors
import signal
import time
from collections import deque

from phux_client.tui import keyboard as keys
from phux_client.tui.actions import Actions
from phux_client.tui.commands import Command
from phux_client.tui.conversation import Conversation
from phux_client.tui.copying import Copying
from phux_client.tui.keyboard import Keyboard
from phux_client.tui.model import Model
from phux_client.tui.mouse import Mouse
from phux_client.tui.requests import Requests
from phux_client.tui.screen import Screen
from phux_core.bindings import Bindings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from phux_client.flows._types import Document
    from phux_client.tui.box import Box
    from phux_client.tui.link import Link
    from phux_client.tui.outer import Outer, Signals
    from phux_client.tui.prompts import Ask, Confirm

_READ_SIZE = 65536
_ENDS = {signal.SIGTERM: "terminated", signal.SIGHUP: "the terminal hung up", signal.SIGINT: "interrupted"}
_GONE = "the terminal is gone"
_KNOWS_SYNCHRONIZED = frozenset(f"\x1b[?2026;{answer}$y".encode() for answer in (1, 2, 3))


class App:
    """One attached client.

    Args:
        settings: The values of the config file.
        cli: The program and first arguments that run a command of the prompt.

    Attributes:
        code: The exit code, once the loop has ended.
        prompt: The open prompt, if any; it receives the keys.
        box: The open overlay, if any; it receives the keys.
        focused: Whether the terminal has the focus; True until it reports otherwise.
    """

    def __init__(
        self,
        socket: str,
        session: int,
        settings: "Mapping[str, object]",
        *,
        outer: "Outer",
        signals: "Signals",
        cli: "Sequence[str]",
        read_only: bool = False,
    ) -> None:
        self.socket = socket
        changes = settings["keys"]
        assert isinstance(changes, dict)
        self.bindings = Bindings(str(settings["prefix"]), changes)
        self.read_only = read_only
        self.outer = outer
        self.model = Model()
        self.prompt: Ask | Confirm | None = None
        self.box: Box | None = None
        self.focused = True
        self.code = 0
        self.screen = Screen(self, outer, settings)
        self.server = Conversation(self, socket, session)
        self.requests = Requests(outer, settings)
        self.copying = Copying(self)
        self.actions = Actions(self)
        self._mouse = Mouse(self)
        self._cli = cli
        self._signals = signals
        self._keyboard = Keyboard()
        self._keys_due: float | None = None
        self._typed: deque[keys.Event] = deque()
        self._selector = selectors.DefaultSelector()
        self._commands: list[Command] = []
        self._ending: str | None = None

    # Lifecycle

    def run(self) -> str:
        """Show the session until the client detaches or the session ends; return a message about the end."""
        self._selector.register(self._signals, selectors.EVENT_READ, self._read_signals)
        self.server.connect()
        try:
            while self._ending is None:
                self.screen.paint()
                self._choose_watched()
                for key, _mask in self._selector.select(self._timeout()):
                    key.data()
                self._keep_time()
                self._take_typed()
                if self.outer.is_gone:
                    self.end(_GONE, 1)
        finally:
            for command in self._commands:
                command.abandon()
            self.server.close()
            self._selector.close()
        assert self._ending is not None
        return self._ending

    def end(self, text: str, code: int = 0) -> None:
        """Stop after this iteration of the loop."""
        if self._ending is None:
            self._ending, self.code = text, code

    def _timeout(self) -> float:
        due = [*self.screen.due(), *self.server.due()]
        due += [moment for moment in (self._keys_due, self.actions.repeat_until) if moment is not None]
        return max(0.0, min(due) - time.monotonic())

    def _keep_time(self) -> None:
        now = time.monotonic()
        if self._keys_due is not None and now >= self._keys_due:
            self._keys_due = None
            self._add_keys(self._keyboard.flush())
        self.screen.keep_time(now)
        self.server.keep_time(now)
        self.actions.keep_time(now)

    def _choose_watched(self) -> None:
        """Watch for keys unless they must wait, and for descriptors with unwritten data to become writable."""
        self._watch(0, selectors.EVENT_READ, self._read_keys, wanted=not self.server.holds_keys)
        self._watch(self.outer, selectors.EVENT_WRITE, self.outer.flush, wanted=self.outer.wants_to_write)
        link = self.server.link
        if link is not None:
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if link.wants_to_write else 0)
            if self._selector.get_key(link).events != events:
                self._selector.modify(link, events, self.server.serve)

    def _watch(self, stream: "int | Outer", events: int, then: "Callable[[], None]", *, wanted: bool) -> None:
        watched = stream in self._selector.get_map()
        if wanted and not watched:
            self._selector.register(stream, events, then)
        elif watched and not wanted:
            self._selector.unregister(stream)

    def watch_link(self, link: "Link") -> None:
        """Register a new connection with the selector."""
        self._selector.register(link, selectors.EVENT_READ, self.server.serve)

    def forget_link(self, link: "Link") -> None:
        """Unregister a connection."""
        self._selector.unregister(link)

    def _read_signals(self) -> None:
        for number in sorted(self._signals.read()):
            if number in _ENDS:
                self.end(_ENDS[signal.Signals(number)], 128 + number)
            elif number == signal.SIGTSTP:
                self.suspend()
            else:
                if number == signal.SIGCONT:
                    self.outer.enter_again()
                self.resized()

    def suspend(self) -> None:
        """Suspend the process until the shell resumes it."""
        self.outer.suspend()
        self.resized()

    def resized(self) -> None:
        """Read the terminal's size, and redraw everything."""
        self.screen.redraw()
        self.server.resized()

    def begin_anew(self) -> None:
        """Discard the model; the server sends it again."""
        self.model = Model()
        self.copying.over()

    def report_focus(self) -> None:
        """Report the terminal's focus to the server, which forwards it to programs that enabled focus events."""
        if self.model.active_pane is not None and not self.read_only:
            self.server.request("input", pane=self.model.active_pane, items=[{"focus": self.focused}])

    def note(self) -> str:
        """Return the note that the status line shows next to the clock."""
        if self.server.is_silent:
            return self.server.problem
        if self.actions.awaits_key:
            return self.bindings.prefix
        return "read-only" if self.read_only else ""

    # Keys

    def _read_keys(self) -> None:
        try:
            data = os.read(0, _READ_SIZE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.end(_GONE, 1)
            return
        events = self._keyboard.feed(data)
        wait = self._keyboard.timeout_s
        self._keys_due = None if wait is None else time.monotonic() + wait
        self._add_keys(events)

    def _add_keys(self, events: "Sequence[keys.Event]") -> None:
        if any(isinstance(event, (keys.KeyPress, keys.Text, keys.Paste)) for event in events):
            self.screen.dismiss()  # before the key's action, which may show another message
        self._typed += events

    def _take_typed(self) -> None:
        """Handle typed input in order, for the program in the pane or for phux, until some of it must wait."""
        items: list[Document] = []
        while self._typed and not self.server.holds_keys and not self.copying.holds(self._typed):
            event = self._typed.popleft()
            for_program = self._is_for_program(event)
            if for_program:
                items.append(_item(event))
            if not for_program or isinstance(event, keys.Paste):
                self._type(items)
                items = []
            if not for_program:
                self._take_key(event)
        self._type(items)

    def _type(self, items: "list[Document]") -> None:
        if items:
            self.server.type_into(self.model.active_pane, items)

    def _is_for_program(self, event: "keys.Event") -> bool:
        """Return whether a key goes to the program in the pane unchanged."""
        if self.prompt is not None or self.box is not None or self.actions.awaits_key or self.copying.is_on:
            return False
        if isinstance(event, keys.KeyPress):
            return event.name != self.bindings.prefix
        if isinstance(event, keys.Text):
            return self.bindings.prefix not in event.text
        return isinstance(event, keys.Paste)

    def _take_key(self, event: "keys.Event") -> None:
        """Handle input for phux: its own keys, the mouse, and reports of the terminal."""
        self.screen.touch()
        if isinstance(event, keys.Focus):
            self.focused = event.focused
            self.report_focus()
        elif isinstance(event, keys.Answer):
            if event.data in _KNOWS_SYNCHRONIZED:
                self.screen.knows_synchronized()
        elif isinstance(event, keys.Text) and len(event.text) > 1:
            # One event at a time, because each may close the prompt or overlay that takes the next one.
            self._typed.extendleft(keys.Text(character) for character in reversed(event.text))
        elif self.prompt is not None:
            prompt = self.prompt
            if prompt.take(event) and self.prompt is prompt:
                self.prompt = None
        elif self.box is not None:
            box = self.box
            if box.take(event):
                self.box = None
                if box.is_passed_on:
                    self._typed.appendleft(event)
        elif isinstance(event, keys.MouseEvent):
            self._mouse.take(event)
        else:
            self._take_own_key(event)

    def _take_own_key(self, event: "keys.Event") -> None:
        name = keys.key_of(event)
        name = "Space" if name == " " else name
        if self.actions.awaits_key:
            if not self.actions.take(name):
                self._typed.appendleft(event)  # a key that does not repeat ends the repeat time, and is an ordinary key
        elif name == self.bindings.prefix:
            self.actions.begin()
        elif self.copying.is_on:
            self.copying.take(event)

    # Commands

    def run_command(self, line: str) -> None:
        """Run a line of the command prompt."""
        import shlex

        try:
            words = shlex.split(line)
        except ValueError as error:
            self.screen.say(f"{line}: {error}")
            return
        words = words[1:] if words[:1] == ["phux"] else words
        if not words or (len(words) == 1 and self.actions.perform(words[0])):
            return
        environ = {**os.environ, "PHUX_SOCKET": self.socket, "PHUX_PANE": f"@{self.model.active_pane}"}
        environ.pop("PHUX_HOST", None)
        try:
            command = Command([*self._cli, *words], environ)
        except OSError as error:
            self.screen.say(f"the command cannot be run: {error.strerror}")
            return

        def read() -> None:
            if command.read():
                self._selector.unregister(command)
                self._commands.remove(command)
                self._show_result(line, command.lines())

        self._commands.append(command)
        self._selector.register(command, selectors.EVENT_READ, read)

    def _show_result(self, line: str, lines: list[str]) -> None:
        if len(lines) > 1:
            from phux_client.tui.box import Box

            self.box = Box(lines, line)
        elif lines:
            self.screen.say(lines[0])
        self.screen.touch()


def _item(event: "keys.Event") -> "Document":
    """Return the item of the `input` call for a key."""
    if isinstance(event, keys.KeyPress):
        return {"key": event.name}
    if isinstance(event, keys.Paste):
        return {"paste": event.text}
    assert isinstance(event, keys.Text)
    return {"text": event.text}

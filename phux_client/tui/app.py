"""An attached client: the session on the user's terminal, and the user's keys to the session.

Nothing blocks: replies to requests arrive later, and keys that have to wait for them stay in a queue.
"""

import os
import selectors
from collections import deque

from phux_client.tui import keyboard as keys
from phux_client.tui.actions import Actions
from phux_client.tui.commands import Command
from phux_client.tui.conversation import Conversation
from phux_client.tui.copying import Copying
from phux_client.tui.hint import Hint
from phux_client.tui.loop import TerminalLoop
from phux_client.tui.model import Model
from phux_client.tui.mouse import Mouse
from phux_client.tui.requests import Requests
from phux_client.tui.screen import Screen
from phux_core.bindings import Bindings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from phux_client.flows._types import Document
    from phux_client.tui.box import Box
    from phux_client.tui.link import Link
    from phux_client.tui.outer import Outer, Signals
    from phux_client.tui.prompts import Ask, Confirm


class App(TerminalLoop):
    """One attached client.

    Args:
        settings: The values of the config file.
        cli: The program and first arguments that run a command of the prompt.

    Attributes:
        prompt: The open prompt, if any; it receives the keys.
        box: The open overlay, if any; it receives the keys.
        view_before: The last view of the previous attachment.
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
        super().__init__(outer, signals)
        self.socket = socket
        changes = settings["keys"]
        assert isinstance(changes, dict)
        self.bindings = Bindings(str(settings["prefix"]), changes)
        self.read_only = read_only
        self.model = Model()
        self.view_before: Document | None = None
        self.hint = Hint(self.bindings)
        self.prompt: Ask | Confirm | None = None
        self.box: Box | None = None
        self.focused = True
        self.screen = Screen(self, outer, settings)
        self.server = Conversation(self, socket, session)
        self.requests = Requests(outer, settings)
        self.copying = Copying(self)
        self.actions = Actions(self)
        self._mouse = Mouse(self)
        self._cli = cli
        self._typed: deque[keys.Event] = deque()
        self._commands: list[Command] = []

    # Lifecycle

    def run(self) -> str:
        """Show the session until the client detaches or the session ends; return a message about the end."""
        self.server.connect()
        try:
            self.run_loop()
        finally:
            for command in self._commands:
                command.abandon()
            self.server.close()
        assert self.ending is not None
        return self.ending

    def end(self, text: str, code: int = 0) -> None:
        """Stop after this iteration of the loop."""
        self.stop(code, text)

    def paint(self) -> None:
        """Draw what has changed."""
        self.screen.paint()

    def due(self) -> list[float]:
        """Return when ``keep_time`` is due."""
        return [*self.screen.due(), *self.server.due(), *self.actions.due()]

    def keep_time(self, now: float) -> None:
        """Process expired times."""
        self.screen.keep_time(now)
        self.server.keep_time(now)
        self.actions.keep_time(now)

    def before_wait(self) -> None:
        """Watch for keys unless they must wait, and for the connection to become writable if it has unsent bytes."""
        self.reads_keys = not self.server.holds_keys
        link = self.server.link
        if link is not None:
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if link.wants_to_write else 0)
            if self.selector.get_key(link).events != events:
                self.selector.modify(link, events, self.server.serve)

    def after_wait(self) -> None:
        """Handle typed input, as far as it need not wait."""
        self._take_typed()

    def watch_link(self, link: "Link") -> None:
        """Register a new connection with the selector."""
        self.selector.register(link, selectors.EVENT_READ, self.server.serve)

    def forget_link(self, link: "Link") -> None:
        """Unregister a connection."""
        self.selector.unregister(link)

    def resized(self) -> None:
        """Read the terminal's size, and redraw everything."""
        self.screen.redraw()
        self.server.resized()

    def begin_anew(self) -> None:
        """Discard the model; the server sends it again."""
        self.view_before = self.model.view
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
            return self.actions.note
        return "  ".join(filter(None, ("read-only" if self.read_only else "", self.hint.text)))

    # Keys

    def take(self, events: "Sequence[keys.Event]") -> None:
        """Queue input."""
        if any(isinstance(event, (keys.KeyPress, keys.Text, keys.Paste)) for event in events):
            self.screen.dismiss()  # before the key's action, which may show another message
        self._typed += events

    def knows_synchronized(self) -> None:
        """Record that the terminal supports synchronized output."""
        self.screen.knows_synchronized()

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
        event = keys.plain(event)
        if isinstance(event, keys.Focus):
            self.focused = event.focused
            self.report_focus()
        elif isinstance(event, keys.Answer):
            pass  # the loop has handled it
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
        if words and self.model.view is not None:
            from phux_client.tui.tmux_commands import in_view

            words = in_view(words, self.model.view)
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
                self.selector.unregister(command)
                self._commands.remove(command)
                self._show_result(line, command.lines())

        self._commands.append(command)
        self.selector.register(command, selectors.EVENT_READ, read)

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

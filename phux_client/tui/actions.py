"""The actions of keys after the prefix: requests to the server, prompts, and changes of the view."""

import os
import time

from phux_client.tui.prompts import Ask, Confirm
from phux_core.bindings import ACTIONS, REPEAT_S, REPEATING
from phux_core.layout import PRESETS, neighbour, panes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document
    from phux_client.tui.app import App
    from phux_core.layout import Side

_STEP = {"left": 5, "right": 5, "up": 2, "down": 2}
# The actions that a read-only client may use.
_WATCHING = frozenset({"detach", "choose-tree", "copy-mode", "help", "redraw", "suspend"})


class Actions:
    """The prefix key and the actions of the keys after it.

    Attributes:
        repeat_until: The time until which a repeatable key needs no prefix; None if it needs the prefix now.
    """

    def __init__(self, app: "App") -> None:
        self._app = app
        self._begun = False
        self.repeat_until: float | None = None
        self._before: int | None = None
        self._commands: list[str] = []
        self._layouts: dict[int, int] = {}

    @property
    def awaits_key(self) -> bool:
        """Whether the next key belongs to phux."""
        return self._begun or self.repeat_until is not None

    def begin(self) -> None:
        """Record that the prefix was pressed."""
        self._begun, self.repeat_until = True, None

    def keep_time(self, now: float) -> None:
        """End the repeat time when it has expired."""
        if self.repeat_until is not None and now >= self.repeat_until:
            self.repeat_until = None
            self._app.screen.touch()

    def take(self, key: str) -> bool:
        """Handle the key after the prefix; return whether it was used."""
        action = self._app.bindings.action(key)
        repeated = not self._begun
        self._begun, self.repeat_until = False, None
        if repeated and action not in REPEATING:
            return False
        if action is not None:
            self.perform(action)
            if action in REPEATING:
                self.repeat_until = time.monotonic() + REPEAT_S
        return True

    def perform(self, action: str) -> bool:
        """Perform an action or a command line; return whether there is such an action."""
        app = self._app
        if action.startswith(":"):
            app.run_command(action[1:])
            return True
        if action not in ACTIONS:
            return False
        if app.model.view is None:
            return True
        if app.read_only and action not in _WATCHING:
            app.screen.say("this client is attached read-only")
            return True
        name, _, argument = action.partition("-")
        if name in {"focus", "resize", "window", "split", "kill", "rename"}:
            getattr(self, f"_{name}")(argument)
        else:
            getattr(self, f"_{action.replace('-', '_')}")()
        return True

    # The view

    @property
    def _view(self) -> "Document":
        view = self._app.model.view
        assert view is not None
        return view

    @property
    def _pane(self) -> int:
        return int(self._view["window"]["active_pane"])

    @property
    def _current(self) -> "Document":
        window: Document = next(window for window in self._view["windows"] if window["active"])
        return window

    # Windows

    def _new_window(self) -> None:
        self._make("new_window", session=self._view["session"]["id"])

    def _split(self, direction: str) -> None:
        self._make("split", pane=self._pane, direction=direction)

    def _make(self, call: str, **params: object) -> None:
        # The new pane inherits the client's environment, without the variables of a surrounding tmux.
        environ = {name: value for name, value in os.environ.items() if name not in {"TMUX", "TMUX_PANE"}}
        self._app.server.move(call, env=environ, select=True, **params)

    def _next_window(self) -> None:
        self._step(1)

    def _previous_window(self) -> None:
        self._step(-1)

    def _step(self, by: int) -> None:
        windows = self._view["windows"]
        at = next(place for place, window in enumerate(windows) if window["active"])
        self._show(windows[(at + by) % len(windows)]["id"])

    def _window(self, index: str) -> None:
        found = [window for window in self._view["windows"] if window["index"] == int(index)]
        if found:
            self._show(found[0]["id"])
        else:
            self._app.screen.say(f"there is no window {index}")

    def _last_window(self) -> None:
        if any(window["id"] == self._before for window in self._view["windows"]):
            self._show(self._before)
        else:
            self._app.screen.say("there is no previous window")

    def _show(self, window: int | None) -> None:
        if window != self._current["id"]:
            self._before = self._current["id"]
            self._app.server.move("select", scope="window", id=window)

    def _choose_tree(self) -> None:
        from phux_client.tui.box import Box, choices

        def show(tree: "Document") -> None:
            found = choices(tree)
            shown = ("window", self._current["id"])
            current = next((at for at, choice in enumerate(found) if choice[2:] == shown), 0)
            labels = [label for label, *_rest in found]
            self._app.box = Box(labels, "Enter: choose, q: leave", current, lambda at: self._go_to(*found[at][1:]))
            self._app.screen.touch()

        self._app.server.ask("tree", show)

    def _go_to(self, session: int, scope: str, id_: int) -> None:
        # A read-only client does not move the focus of others.
        if scope != "session" and not self._app.read_only:
            self._app.server.move("select", scope=scope, id=id_)
        if session != self._view["session"]["id"]:
            self._app.server.attach_to(session)

    # Panes

    def _focus(self, side: "Side") -> None:
        window = self._view["window"]
        found = neighbour(window["layout"], window["cols"], window["rows"], self._pane, side)
        if found is not None:
            self._app.server.move("select", scope="pane", id=found)

    def _next_pane(self) -> None:
        order = list(panes(self._view["window"]["layout"]))
        self._app.server.move("select", scope="pane", id=order[(order.index(self._pane) + 1) % len(order)])

    def _resize(self, side: "Side") -> None:
        self._app.server.ask("push_divider", pane=self._pane, side=side, by=_STEP[side])

    def _zoom(self) -> None:
        self._app.server.move("zoom", pane=self._pane)

    def _next_layout(self) -> None:
        window = self._view["window"]["id"]
        at = self._layouts.get(window, 0)
        self._layouts[window] = (at + 1) % len(PRESETS)
        self._app.server.ask("layout", window=window, name=PRESETS[at])

    # Panes, windows and sessions

    def _kill(self, scope: str) -> None:
        window, pane = self._current, self._pane
        label = f"@{pane}" if scope == "pane" else f"{window['index']}:{window['name']}"
        id_ = pane if scope == "pane" else window["id"]
        self._app.prompt = Confirm(f"kill {scope} {label}?", lambda: self._app.server.move("kill", scope=scope, id=id_))

    def _rename(self, scope: str) -> None:
        named = self._current if scope == "window" else self._view["session"]

        def then(name: str) -> None:
            if name and name != named["name"]:
                self._app.server.ask("rename", scope=scope, id=named["id"], name=name)

        self._app.prompt = Ask(f"rename {scope}:", then, text=named["name"])

    # The rest

    def _detach(self) -> None:
        self._app.end(f"detached from session {self._view['session']['name']!r}")

    def _copy_mode(self) -> None:
        self._app.copying.begin(self._pane)

    def _paste(self) -> None:
        text = self._app.copying.buffer
        if text:
            self._app.server.type_into(self._pane, [{"paste": text}])
        else:
            self._app.screen.say("nothing has been copied yet")

    def _help(self) -> None:
        from phux_client.tui.box import Box, key_list

        self._app.box = Box(key_list(self._app.bindings), "keys")

    def _command_prompt(self) -> None:
        self._app.prompt = Ask(":", self._app.run_command, remembered=self._commands)

    def _send_prefix(self) -> None:
        prefix = self._app.bindings.prefix
        self._app.server.type_into(self._pane, [{"key": prefix} if len(prefix) > 1 else {"text": prefix}])

    def _redraw(self) -> None:
        self._app.screen.redraw()

    def _suspend(self) -> None:
        self._app.suspend()

"""The actions of keys after the prefix: requests to the server, prompts, and changes of the view."""

import os
import time

from phux_client.tui.prompts import Ask, Confirm
from phux_core.bindings import ACTIONS, REPEAT_S, REPEATING
from phux_core.layout import PRESETS, neighbour, panes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from phux_client.flows._types import Document
    from phux_client.tui.app import App
    from phux_client.tui.box import Choice
    from phux_core.layout import Side

_STEP = {"left": 5, "right": 5, "up": 2, "down": 2}
# The actions that a read-only client may use.
_WATCHING = frozenset(
    (
        *("detach", "choose-tree", "choose-session", "find-window", "copy-mode", "help", "redraw", "suspend"),
        *("next-session", "previous-session", "last-session"),
    )
)
# Keys that users press to cancel the prefix.
_CANCELLING = frozenset({"Escape", "C-c", "C-g"})
_INDEX_DIGITS = 6
_BUFFER_SHOWN = 60
_NUMBERS_S = 2.0
"""How long the numbers of panes are shown."""


class Actions:
    """The prefix key and the actions of the keys after it.

    Attributes:
        repeat_until: The time until which a repeatable key needs no prefix; None if it needs the prefix now.
        numbers_until: The time until which the numbers of panes are shown, and a digit selects one; None if not now.
    """

    def __init__(self, app: "App") -> None:
        self._app = app
        self._begun = False
        self.repeat_until: float | None = None
        self.numbers_until: float | None = None
        self._window_before: int | None = None
        self._session_before: int | None = None
        self._panes_before: dict[int, int] = {}
        self._commands: list[str] = []
        self._layouts: dict[int, int] = {}

    @property
    def awaits_key(self) -> bool:
        """Whether the next key belongs to phux."""
        return self._begun or self.repeat_until is not None or self.numbers_until is not None

    @property
    def note(self) -> str:
        """What the next key belongs to: the prefix, or the numbers of panes."""
        return "a digit goes to a pane" if self.numbers_until is not None else self._app.bindings.prefix

    def begin(self) -> None:
        """Record that the prefix was pressed."""
        self._begun, self.repeat_until, self.numbers_until = True, None, None

    def due(self) -> list[float]:
        """Return when ``keep_time`` is due."""
        return [moment for moment in (self.repeat_until, self.numbers_until) if moment is not None]

    def keep_time(self, now: float) -> None:
        """End the repeat time, and hide the numbers of panes, when it is time."""
        if self.repeat_until is not None and now >= self.repeat_until:
            self.repeat_until = None
            self._app.screen.touch()
        if self.numbers_until is not None and now >= self.numbers_until:
            self.numbers_until = None
            self._app.screen.touch()

    def saw(self, before: "Document | None", view: "Document") -> None:
        """Record what was active before, from the previous view and the next one."""
        if before is None:
            return
        if before["session"]["id"] != view["session"]["id"]:
            self._session_before, self._window_before, self._panes_before = before["session"]["id"], None, {}
        elif before["window"]["id"] != view["window"]["id"]:
            self._window_before = before["window"]["id"]
        elif before["window"]["active_pane"] != view["window"]["active_pane"]:
            self._panes_before[view["window"]["id"]] = before["window"]["active_pane"]

    def take(self, key: str) -> bool:
        """Handle the key after the prefix; return whether it was used."""
        if self.numbers_until is not None:
            return self._take_number(key)
        action = self._app.bindings.action(key)
        repeated = not self._begun
        self._begun, self.repeat_until = False, None
        if repeated and action not in REPEATING:
            return False
        if action is None and key in _CANCELLING:
            pass
        elif action is None:
            help_key = next(iter(self._app.bindings.keys_of("help")), None)
            prefix = self._app.bindings.prefix
            more = "" if help_key is None else f"; {prefix} {help_key} lists the keys"
            self._app.screen.say(f"{prefix} {key} is not bound{more}")
        else:
            self._app.hint.prefix_used()
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
        if name in {"focus", "resize", "window", "split", "kill", "rename", "swap"}:
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
        if any(window["id"] == self._window_before for window in self._view["windows"]):
            self._show(self._window_before)
        else:
            self._app.screen.say("there is no previous window")

    def _show(self, window: int | None) -> None:
        if window != self._current["id"]:
            self._app.server.move("select", scope="window", id=window)

    def _select_window(self) -> None:
        def then(index: str) -> None:
            if index.isdecimal():
                self._window(index)
            elif index:
                self._app.screen.say(f"{index!r} is not the index of a window")

        self._app.prompt = Ask("go to window:", then)

    def _move_window(self) -> None:
        window = self._current

        def then(index: str) -> None:
            if index.isdecimal() and len(index) < _INDEX_DIGITS:
                session = self._view["session"]["id"]
                self._app.server.ask("move_window", window=window["id"], session=session, index=int(index))
            elif index:
                self._app.screen.say(f"{index!r} is not an index")

        self._app.prompt = Ask(f"move window {window['index']} to index:", then)

    # Choosing

    def _choose_tree(self) -> None:
        self._choose("tree", lambda _choice: True)

    def _find_window(self) -> None:
        self._choose("find", lambda choice: choice[3] != "session", filtering=True)

    def _choose_session(self) -> None:
        self._choose("sessions", lambda choice: choice[3] == "session")

    def _choose(self, title: str, is_offered: "Callable[[Choice], bool]", *, filtering: bool = False) -> None:
        from phux_client.tui.box import Picker, choices

        def show(tree: "Document") -> None:
            offered = list(filter(is_offered, choices(tree)))
            current = {("window", self._current["id"]), ("session", self._view["session"]["id"])}
            places = [at for at, choice in enumerate(offered) if choice[3:] in current]
            labels, found = [choice[0] for choice in offered], [choice[1] for choice in offered]
            at = places[-1] if places else 0
            self._app.box = Picker(
                labels, title, at, lambda at: self._go_to(*offered[at][2:]), found=found, filtering=filtering
            )
            self._app.screen.touch()

        self._app.server.ask("tree", show)

    def _next_session(self) -> None:
        self._step_session(1)

    def _previous_session(self) -> None:
        self._step_session(-1)

    def _step_session(self, by: int) -> None:
        here = self._view["session"]["id"]

        def choose(tree: "Document") -> int | None:
            ids: list[int] = [session["id"] for session in tree["sessions"] if _is_alive(session)]
            if here in ids and len(ids) > 1:
                return ids[(ids.index(here) + by) % len(ids)]
            self._app.screen.say("there is no other session")
            return None

        self._app.server.switch(choose)

    def _last_session(self) -> None:
        if self._session_before is None:
            self._app.screen.say("there is no previous session")
        else:
            self._app.server.attach_to(self._session_before)

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

    def _last_pane(self) -> None:
        last = self._panes_before.get(self._view["window"]["id"])
        if last is not None and last in panes(self._view["window"]["layout"]):
            self._app.server.move("select", scope="pane", id=last)
        else:
            self._app.screen.say("there is no previous pane")

    def numbers(self) -> "Mapping[int, int]":
        """Return the numbers to show in panes."""
        if self.numbers_until is None:
            return {}
        return {pane: number for number, pane in enumerate(panes(self._view["window"]["layout"]))}

    def _show_numbers(self) -> None:
        self.numbers_until = time.monotonic() + _NUMBERS_S

    def _take_number(self, key: str) -> bool:
        found = [pane for pane, number in self.numbers().items() if str(number) == key]
        self.numbers_until = None
        if found:
            self._app.server.move("select", scope="pane", id=found[0])
        return bool(found)

    def _swap(self, which: str) -> None:
        order = list(panes(self._view["window"]["layout"]))
        at = order.index(self._pane) + (1 if which == "next" else -1)
        if len(order) > 1:
            self._app.server.ask("swap", scope="pane", id=self._pane, other=order[at % len(order)])
        else:
            self._app.screen.say("there is no other pane in this window")

    def _break_pane(self) -> None:
        pane, session = self._pane, self._view["session"]["id"]
        if len(list(panes(self._view["window"]["layout"]))) == 1:
            self._app.screen.say("the pane has a window of its own")
            return

        def broken(_reply: object) -> None:
            self._app.server.move("select", scope="pane", id=pane)

        self._app.server.ask("move_pane", broken, pane=pane, session=session)

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
        text = next(iter(self._app.copying.buffers), None)
        if text:
            self._app.server.type_into(self._pane, [{"paste": text}])
        else:
            self._app.screen.say("nothing has been copied yet")

    def _choose_buffer(self) -> None:
        from phux_client.tui.box import Picker

        buffers = self._app.copying.buffers
        if not buffers:
            self._app.screen.say("nothing has been copied yet")
            return
        shown = [f"{len(text)}: {text[:_BUFFER_SHOWN]!r}" for text in buffers]
        pane = self._pane
        self._app.box = Picker(
            shown, "copied texts", 0, lambda at: self._app.server.type_into(pane, [{"paste": buffers[at]}])
        )

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


def _is_alive(session: "Document") -> bool:
    return any(pane["state"] != "dead" for window in session["windows"] for pane in window["panes"])

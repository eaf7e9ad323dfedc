"""What happens in a server, as it is pushed."""

from __future__ import annotations

from typing import Literal

from attrs import frozen


@frozen(kw_only=True)
class Dirty:
    """A pane began to change after a rest.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        seq: The pane's byte count at that moment.
    """

    event: Literal["dirty"] = "dirty"
    terminal: str
    seq: int


@frozen(kw_only=True)
class Idle:
    """A pane came to rest.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        seq: The pane's byte count at that moment.
    """

    event: Literal["idle"] = "idle"
    terminal: str
    seq: int


@frozen(kw_only=True)
class Bell:
    """A program rang the bell.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        seq: The pane's byte count at that moment.
    """

    event: Literal["bell"] = "bell"
    terminal: str
    seq: int


@frozen(kw_only=True)
class TitleChanged:
    """A program set the window title.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        title: The title.
        seq: The pane's byte count at that moment.
    """

    event: Literal["title_changed"] = "title_changed"
    terminal: str
    title: str
    seq: int


@frozen(kw_only=True)
class PaneSpawned:
    """A pane was made, and its program runs.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        seq: The pane's byte count at that moment.
    """

    event: Literal["pane_spawned"] = "pane_spawned"
    terminal: str
    seq: int


@frozen(kw_only=True)
class PaneClosed:
    """A pane's program has ended, and all it wrote has been read.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        exit_status: The program's exit code; null when a signal ended it.
        signal: The name of that signal; absent otherwise.
        seq: The pane's byte count, final now.
    """

    event: Literal["pane_closed"] = "pane_closed"
    terminal: str
    exit_status: int | None
    signal: str | None = None
    seq: int


@frozen(kw_only=True)
class Dropped:
    """Events were lost because the client did not read them in time.

    Attributes:
        event: The event's name.
        count: How many; 0 when nobody could count, because the service died and came back.
    """

    event: Literal["dropped"] = "dropped"
    count: int


Event = Dirty | Idle | Bell | TitleChanged | PaneSpawned | PaneClosed | Dropped
"""Any event. Newer servers may send others; ``phux_client`` skips what it does not know."""

"""Live handles of the async client: sessions and windows."""

from __future__ import annotations

from phux_client import flows
from phux_client.aio.handles import Handle, Pane, Part
from phux_core import shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from phux_client.aio.server import Phux


class Named(Handle):
    """A handle of a session or window.

    Attributes:
        id: The id of the session or window.
        name: The name when the handle was created; ``rename`` updates it.
    """

    def __init__(self, phux: Phux, id: int, name: str, first_pane: int) -> None:  # noqa: A002
        super().__init__(phux, id)
        self.name = name
        self._first_pane = first_pane

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id} {self.name!r}>"

    @property
    def pane(self) -> Pane:
        """The first pane of the session or window when the handle was created.

        Example:
            >>> session.pane.selector
            '@1'
        """
        return Pane(self._phux, self._first_pane)

    async def rename(self, name: str) -> None:
        """Rename the session or window.

        Raises:
            NameInUseError, BadNameError: The new name cannot be used, and the old one remains.

        Example:
            >>> await session.rename("play")
            >>> session.name
            'play'
        """
        await self._phux.drive(flows.rename(self._phux.caller, self._ref, name))
        self.name = name


class Session(Named):
    """A live handle of a session.

    Attributes:
        id: The session's id.
        name: The session's name when the handle was created; ``rename`` updates it.

    Example:
        >>> editor = await session.new_window("editor", command=["sh"])
        >>> [window.name for window in await session.windows()]
        ['sh', 'editor']
    """

    _scope = "session"

    async def windows(self) -> list[Window]:
        """Return the session's windows, by index.

        Raises:
            NoSuchTargetError: The session is gone.

        Example:
            >>> [window.name for window in await session.windows()]
            ['sh']
        """
        node = await self._phux.drive(flows.find_node(self._ref, self._phux.caller))
        return [Window(self._phux, each["id"], each["name"], each["panes"][0]["id"]) for each in node["windows"]]

    async def new_window(
        self,
        name: str | None = None,
        *,
        index: int | None = None,
        cwd: str | None = None,
        command: Sequence[str] | None = None,
        env: Mapping[str, str] | None = None,
        select: bool = False,
    ) -> Window:
        """Create a window with one pane, and start a program in it.

        Args:
            name: The window's name; by default, the program's name.
            index: The window's index; by default, the lowest free one.
            cwd: The working directory; by default, that of the session's active pane.
            command: The program and its arguments; the user's shell by default.
            env: Variables to set on top of the caller's environment.
            select: Give the new window the focus.

        Raises:
            BadNameError, BadCwdError, CannotExecuteError, LimitError: No window was created.
            RefusedError: Another window has that index.

        Example:
            >>> window = await session.new_window("editor", command=["sh"])
            >>> window.name, window.pane.selector
            ('editor', '@2')
        """
        flow = flows.new_window(
            self._phux.caller, self.id, name=name, index=index, cwd=cwd, command=command, env=env, select=select
        )
        made = await self._phux.drive(flow)
        return Window(self._phux, made["window_id"], made["window_name"], made["terminal_id"])


class Window(Named, Part):
    """A live handle of a window.

    Attributes:
        id: The window's id.
        name: The window's name when the handle was created; ``rename`` updates it.

    Example:
        >>> below = await window.split("down", command=["sh"])
        >>> [pane.selector for pane in await window.panes()]
        ['@1', '@2']
    """

    _scope = "window"

    async def panes(self) -> list[Pane]:
        """Return the window's panes, in the order of its layout.

        Raises:
            NoSuchTargetError: The window is gone.

        Example:
            >>> [pane.selector for pane in await window.panes()]
            ['@1']
        """
        node = await self._phux.drive(flows.find_node(self._ref, self._phux.caller))
        return [Pane(self._phux, pane["id"]) for pane in node["panes"]]

    async def info(self) -> shapes.WindowInfo:
        """Return the window's entry in the tree, with its size and its layout.

        Raises:
            NoSuchTargetError: The window is gone.

        Example:
            >>> info = await window.info()
            >>> info.index, info.cols, info.rows, info.layout
            (0, 80, 24, 1)
        """
        return await self._phux.load(shapes.WindowInfo, flows.find_node(self._ref, self._phux.caller))

    async def resize(
        self, cols: int | None = None, rows: int | None = None, *, policy: shapes.SizePolicy | None = None
    ) -> shapes.Place:
        """Change the window's size; its panes keep their shares.

        Args:
            cols: Columns.
            rows: Rows.
            policy: The attached client that determines the size from now on: ``smallest``, ``largest``, ``latest``,
                ``manual`` for none of them, or ``default`` for the server's setting.

        Raises:
            BadSizeError: The size is out of range, or too small for the panes.
            RefusedError: Attached clients determine the window's size.

        Example:
            >>> (await window.resize(120, 40)).cols
            120
        """
        flow = flows.resize(self._phux.caller, self._ref, cols, rows, policy=policy)
        return await self._phux.load(shapes.Place, flow)

    async def layout(self, name: shapes.LayoutName) -> shapes.Place:
        """Arrange all panes of the window.

        Args:
            name: ``even-horizontal``, ``even-vertical``, ``main-vertical`` or ``tiled``.

        Raises:
            BadSizeError: The window is too small for this layout.

        Example:
            >>> beside = await window.split(command=["sh"])
            >>> (await window.layout("even-vertical")).rows
            12
        """
        flow = flows.layout(self._phux.caller, self._ref, name)
        return await self._phux.load(shapes.Place, flow)

    async def move_divider(self, path: Sequence[shapes.Step], by: int) -> shapes.Place:
        """Move one of the window's dividers.

        Args:
            path: The steps down the layout to the split.
            by: The number of cells to the right or down, negative for left or up, as far as possible.

        Example:
            >>> beside = await window.split(command=["sh"])
            >>> (await window.move_divider([], 10)).cols
            50
        """
        return await self._phux.load(shapes.Place, flows.move_divider(self.id, list(path), by))

    async def move(self, dest: str) -> shapes.Place:
        """Move the window to another session, or to another index.

        Args:
            dest: A session, or a free index in a session (``work:5``).

        Raises:
            RefusedError: The window is already there, or another window has that index.

        Example:
            >>> (await window.move("work:5")).window
            5
        """
        flow = flows.move(self._phux.caller, self._ref, dest)
        return await self._phux.load(shapes.Place, flow)

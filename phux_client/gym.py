"""A terminal as an environment of Gymnasium's interface, to train and evaluate agents; Gymnasium is not needed."""

from __future__ import annotations

import contextlib
import random
import tempfile
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict

from phux_client import blocking
from phux_core import errors, shapes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self


class Act(TypedDict, total=False):
    """An action with options: a ``command``, or ``keys`` with the conditions of ``Pane.act``.

    Attributes:
        command: A shell line.
        keys: Names of keys and text; without any, only wait.
        literal: Type every word of ``keys`` as text.
        until: Wait until a line contains this text.
        regex: Wait until a line matches this pattern.
        gone: Wait until no line contains this text.
        idle_ms: Wait until nothing was written for this long; 300 if there is no other condition.
        state: Wait until the pane is in this state, or in one of these.
        stop: Stop waiting as soon as a line matches this pattern.
        timeout_s: The time limit of this step.
    """

    command: str
    keys: Sequence[str]
    literal: bool
    until: str
    regex: str
    gone: str
    idle_ms: int
    state: shapes.State | Sequence[shapes.State]
    stop: str
    timeout_s: float


Action: TypeAlias = "str | Sequence[str] | Act"
"""What an agent does in a step: run a command (text), type keys (a list of words), or an ``Act``."""

Outcome = Literal["reset", "met", "waiting", "timed_out", "stopped", "ended", "refused"]
"""How a step ended: a command finished or a condition held (``met``), the command waits for a person, the time limit
expired, the pattern of ``stop`` matched, the pane's program ended, or nothing was typed (``refused``)."""


class Row(TypedDict):
    """A row that changed.

    Attributes:
        row: The row, counted from 0.
        text: The row's new text.
    """

    row: int
    text: str


class Observation(TypedDict):
    """What an agent sees after a step; only values that JSON has.

    Attributes:
        screen: The text of the screen.
        changed: The rows that changed since the last observation; all rows in the first one.
        scrolled: The number of rows that the screen scrolled up since then.
        state: The pane's state.
        exit_code: The exit code of the command that ended in this step, or of the pane's program once that has ended;
            None if there is none.
        seq: The pane's sequence number, for ``Pane.snapshot(at=...)`` and the pane's log.
        outcome: How the step ended.
    """

    screen: str
    changed: list[Row]
    scrolled: int
    state: shapes.State
    exit_code: int | None
    seq: int
    outcome: Outcome


class Info(TypedDict, total=False):
    """More about a step.

    Attributes:
        output: The whole output of a command, also if it was longer than the screen.
        duration_ms: The duration of a command.
        command_id: The id of a command in the ledger.
        error: Why the step was refused, or did not end as requested.
    """

    output: str
    duration_ms: int
    command_id: str
    error: str


_KEYS = Act.__optional_keys__
_CONDITIONS = _KEYS - {"command", "keys", "timeout_s"}


class TerminalEnv:
    """A terminal of a private server, with the interface of ``gymnasium.Env``.

    Each episode has a new pane and an empty working directory. The server starts with the first episode.

    Args:
        command: The program and its arguments; a shell by default.
        shell: The shell, if there is no command; by default ``sh``, which reads none of the user's startup files.
        size: Columns and rows.
        env: Variables to set on top of the caller's environment.
        cwd: A working directory to use instead of an empty one.
        setup: Prepares each episode. It may use ``pane``, ``directory`` and ``random``.
        judge: Returns the reward of a step, and whether the task is done; by default 0 and False.
        max_steps: The number of steps after which an episode is truncated.
        timeout_s: The time limit of a step.
        render_mode: ``ansi`` to let ``render`` return the screen.

    Attributes:
        pane: The pane of this episode.
        directory: The working directory of this episode.
        random: The random numbers of this episode, by the seed of ``reset``.

    Example:
        >>> from phux_client.gym import TerminalEnv
        >>> with TerminalEnv() as env:
        ...     observation, info = env.reset(seed=1)
        ...     observation, reward, terminated, truncated, info = env.step("echo hi; false")
        >>> info["output"], observation["exit_code"], observation["state"]
        ('hi', 1, 'prompt')
    """

    metadata: dict[str, object] = {"render_modes": ["ansi"]}  # noqa: RUF012  as in gymnasium.Env
    render_mode: str | None = None

    def __init__(
        self,
        command: Sequence[str] | None = None,
        *,
        shell: str | None = None,
        size: tuple[int, int] = (80, 24),
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        setup: Callable[[TerminalEnv], object] | None = None,
        judge: Callable[[TerminalEnv, Observation], tuple[float, bool]] | None = None,
        max_steps: int | None = None,
        timeout_s: float = 30.0,
        render_mode: Literal["ansi"] | None = None,
    ) -> None:
        self.random = random.Random()  # noqa: S311  reproducible, and no secret
        self.render_mode = render_mode
        self._command, self._size, self._env, self._cwd = command, size, env, cwd
        self._shell = "sh" if shell is None and command is None else shell
        self._setup, self._judge, self._max_steps, self._timeout_s = setup, judge, max_steps, timeout_s
        self._server = contextlib.ExitStack()
        self._episode = contextlib.ExitStack()
        self._phux: blocking.Phux | None = None
        self._pane: blocking.Pane | None = None
        self._steps = 0
        self._seen = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    @property
    def pane(self) -> blocking.Pane:
        """The pane of this episode.

        Raises:
            BadRequestError: There is no episode.
        """
        if self._pane is None:
            raise errors.BadRequestError("no episode has begun", remedy="call reset() first")
        return self._pane

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, object] | None = None
    ) -> tuple[Observation, Info]:
        """Begin a new episode, and end the last one with everything that runs in it.

        Args:
            seed: The seed of ``random``; by default, its numbers continue.
            options: Not used; Gymnasium has it.
        """
        of_gymnasium = getattr(super(), "reset", None)  # if a subclass is a gymnasium.Env, too
        if of_gymnasium is not None:
            of_gymnasium(seed=seed, options=options)
        if seed is not None:
            self.random.seed(seed)
        self._end_episode()
        if self._phux is None:
            self._phux = self._server.enter_context(blocking.embedded())
        self.directory = self._cwd or self._episode.enter_context(tempfile.TemporaryDirectory(prefix="phux-episode-"))
        session = self._phux.new_session(
            command=self._command, shell=self._shell, cwd=self.directory, env=self._env, size=self._size
        )
        self._pane = self._episode.enter_context(session).pane
        self._steps, self._seen = 0, 0
        if self._command is not None:
            with contextlib.suppress(errors.PaneClosedError, errors.TimedOutError):
                self._pane.wait(idle_ms=300, timeout_s=self._timeout_s)
        if self._setup is not None:
            self._setup(self)
        return self._observe("reset", None), {}

    def step(self, action: Action) -> tuple[Observation, float, bool, bool, Info]:
        """Act, wait, and return the observation, the reward, whether the episode terminated or was truncated, and more.

        An action that is refused, such as a command while another one runs, and one that does not end in time are
        outcomes in the observation, not errors.

        Raises:
            BadRequestError: The action does not have the form of an ``Action``, or there is no episode.
        """
        pane, act = self.pane, _checked(action)
        before = self._seen
        exit_code: int | None = None
        outcome: Outcome = "met"
        info: Info = {}
        try:
            if "command" in act:
                result = pane.run(act["command"], timeout_s=act.get("timeout_s", self._timeout_s), until_waiting=True)
                exit_code = result.exit_code if result.exit_known else None
                info = {"output": result.output, "duration_ms": result.duration_ms, "command_id": result.command_id}
            else:
                self._type(act)
        except _OUTCOMES as error:
            outcome = next(each for kind, each in _OUTCOME_OF.items() if isinstance(error, kind))
            info = {"error": error.message}
            if error.command_id is not None:
                info["command_id"] = error.command_id
        if "command" not in act:
            exit_code = self._exit_code_since(before)
        observation = self._observe(outcome, exit_code)
        self._steps += 1
        reward, is_done = (0.0, False) if self._judge is None else self._judge(self, observation)
        terminated = is_done or observation["state"] == "dead"
        truncated = not terminated and self._max_steps is not None and self._steps >= self._max_steps
        return observation, reward, terminated, truncated, info

    def render(self) -> str | None:
        """Return the screen if ``render_mode`` is ``ansi``."""
        return self.pane.screenshot("ansi") if self.render_mode == "ansi" else None

    def close(self) -> None:
        """End the episode and the private server; it may be called again."""
        self._end_episode()
        self._phux = None
        self._server.close()

    def _end_episode(self) -> None:
        self._pane = None
        self._episode.close()

    def _type(self, act: Act) -> None:
        wanted = {name: value for name, value in act.items() if name in _CONDITIONS}
        timeout_s = act.get("timeout_s", self._timeout_s)
        if act["keys"]:
            self.pane.act(*act["keys"], timeout_s=timeout_s, **wanted)  # type: ignore[arg-type]  # the client checks it
        else:
            wanted.pop("literal", None)
            self.pane.wait(**wanted or {"idle_ms": 300}, timeout_s=timeout_s)  # type: ignore[arg-type]

    def _exit_code_since(self, seq: int) -> int | None:
        """Return the exit code of a typed command that ended after a sequence number."""
        assert self._phux is not None
        newest = self._phux.commands(self.pane.id, max_commands=1)
        return newest[0].exit_code if newest and (newest[0].end or 0) > seq else None

    def _observe(self, outcome: Outcome, exit_code: int | None) -> Observation:
        changes = self.pane.changes(self._seen)
        screen = self.pane.snapshot()
        self._seen = changes.seq  # later changes are in the next observation
        return {
            "screen": screen.text,
            "changed": [{"row": row.row, "text": row.text} for row in changes.changed],
            "scrolled": changes.scrolled,
            "state": screen.state,
            "exit_code": screen.exit_status if screen.state == "dead" else exit_code,
            "seq": changes.seq,
            "outcome": outcome,
        }


_OUTCOME_OF: dict[type[errors.PhuxError], Outcome] = {
    errors.WaitingError: "waiting",
    errors.TimedOutError: "timed_out",
    errors.StoppedError: "stopped",
    errors.PaneClosedError: "ended",
    errors.BusyError: "refused",
    errors.RefusedError: "refused",
    errors.BadRequestError: "refused",  # text that cannot be typed, or a pattern that is none
    errors.InputTooLongError: "refused",
    errors.InputBlockedError: "refused",
}
_OUTCOMES = tuple(_OUTCOME_OF)


def _checked(action: Action) -> Act:
    """Return an action as an ``Act``."""
    if isinstance(action, str):
        return {"command": action}
    if isinstance(action, Mapping):
        unknown = sorted(set(action).difference(_KEYS))
        if unknown:
            raise errors.BadRequestError(
                f"an action has no {unknown[0]!r:.40}", remedy=f"use {', '.join(sorted(_KEYS))}"
            )
        if ("command" in action) == ("keys" in action):
            raise errors.BadRequestError("an action needs either a command or keys")
        if "command" in action and set(action) & _CONDITIONS:
            raise errors.BadRequestError("conditions are for keys", remedy="leave them out: a command is awaited")
        act = action
    elif isinstance(action, (list, tuple)):
        act = {"keys": action}
    else:
        raise errors.BadRequestError(
            f"{action!r:.80} is no action", remedy="use a command as text, a list of keys, or a mapping with either"
        )
    if "command" in act and not isinstance(act["command"], str):
        raise errors.BadRequestError("the command of an action is text")
    return act

"""Tasks: tool calls that a host polls instead of waiting (experimental in 2025-11-25, an extension in 2026-07-28)."""

from __future__ import annotations

import asyncio
import secrets
import time
from typing import TYPE_CHECKING, Any, Literal

from phux_client.flows._documents import timestamp
from phux_core.errors import LimitError
from phux_mcp.jsonrpc import INVALID_PARAMS, RpcError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from phux_mcp.revisions import Revision

    Params = dict[str, Any]
    Status = Literal["working", "input_required", "completed", "failed", "cancelled"]

EXTENSION = "io.modelcontextprotocol/tasks"
RELATED = "io.modelcontextprotocol/related-task"
NO_CAPABILITY = -32021
_CANCELLED = -32000
_MOST = 256
_TTL_MS = 60 * 60 * 1000
_POLL_MS = 1000


class Task:
    """One task.

    Attributes:
        status: Its status.
        requests: The requests to the person that have no answer.
    """

    def __init__(self, revision: Revision, on_change: Callable[[Task], None]) -> None:
        self.id = secrets.token_hex(16)
        self.revision = revision
        self.status: Status = "working"
        self.requests: Params = {}
        self.worker: asyncio.Task[None] | None = None
        self._on_change = on_change
        self._began = time.monotonic()
        self._created = self._updated = time.time()
        self._result: Params | None = None
        self._error: RpcError | None = None
        self._ended = asyncio.Event()
        self._answers: dict[str, asyncio.Future[str]] = {}
        self._asked = 0

    @property
    def has_ended(self) -> bool:
        """Whether its status can no longer change."""
        return self._ended.is_set()

    @property
    def has_expired(self) -> bool:
        """Whether it need no longer be kept."""
        return time.monotonic() > self._began + _TTL_MS / 1000

    def set(self, status: Status) -> None:
        """Change the status, unless the task has ended."""
        if not self.has_ended and status != self.status:
            self.status = status
            self._updated = time.time()
            if status in {"completed", "failed", "cancelled"}:
                self._ended.set()
            self._on_change(self)

    async def work(self, call: Awaitable[Params]) -> None:
        """Await the call's result, and end with it."""
        try:
            self._result = await call
        except RpcError as error:
            self._error = error
            self.set("failed")
        else:
            # In 2025-11-25, a tool that failed is a failed task.
            failed = self._result.get("isError") and not self.revision.stateless
            self.set("failed" if failed else "completed")

    async def elicit(self, params: Params) -> str:
        """Wait until the host has answered a request to the person in ``tasks/update``; return the person's action."""
        self._asked += 1
        key = f"secret-{self._asked}"
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._answers[key] = answer
        self.requests[key] = {"method": "elicitation/create", "params": params}
        self.set("input_required")
        try:
            return await answer
        finally:
            del self._answers[key], self.requests[key]
            self.set("working")

    def update(self, responses: object) -> None:
        """Take the answers of the person."""
        for key, response in responses.items() if isinstance(responses, dict) else ():
            answer = self._answers.get(key)
            if answer is not None and not answer.done():
                answer.set_result(action_of(response))

    async def result(self) -> Params:
        """Wait for the end, and return what the call would have returned."""
        await self._ended.wait()
        if self._error is not None:
            raise self._error
        if self._result is None:
            raise RpcError(_CANCELLED, "the task was cancelled")
        return self._result

    def describe(self) -> Params:
        """Return the task as its revision describes it."""
        stateless = self.revision.stateless
        found: Params = {
            "taskId": self.id,
            "status": self.status,
            "createdAt": timestamp(self._created),
            "lastUpdatedAt": timestamp(self._updated),
            "ttlMs" if stateless else "ttl": _TTL_MS,
            "pollIntervalMs" if stateless else "pollInterval": _POLL_MS,
        }
        if self.status == "input_required":
            found["statusMessage"] = "a program waits for the person to type a secret"
        return found

    def details(self) -> Params:
        """Return the task with its result or its open requests, as 2026-07-28 does."""
        found = self.describe()
        if self.status == "input_required":
            found["inputRequests"] = dict(self.requests)
        elif self._error is not None:
            found["error"] = {"code": self._error.code, "message": str(self._error)}
        elif self.status == "completed":
            found["result"] = self._result
        return found


class Tasks:
    """The tasks of one connection."""

    def __init__(self, notify: Callable[[str, Params], None]) -> None:
        self._notify = notify
        self._tasks: dict[str, Task] = {}

    def new(self, revision: Revision) -> Task:
        """Return a task that has no work yet."""
        self._forget_old()
        if len(self._tasks) >= _MOST:
            raise LimitError(f"{_MOST} tasks are running", remedy="wait for some of them, or cancel some")
        task = Task(revision, self._report)
        self._tasks[task.id] = task
        return task

    def forget(self, task: Task) -> None:
        """Forget a task that the host does not know."""
        del self._tasks[task.id]

    def find(self, task_id: object) -> Task:
        """Return a task by its id."""
        task = self._tasks.get(task_id) if isinstance(task_id, str) else None
        if task is None or (task.has_ended and task.has_expired):
            raise RpcError(INVALID_PARAMS, f"there is no task {task_id!r:.80}")
        return task

    def listing(self) -> list[Params]:
        """Return all tasks, oldest first."""
        return [task.describe() for task in self._tasks.values()]

    async def cancel(self, task: Task) -> None:
        """End a task, and wait until it has interrupted its command."""
        task.set("cancelled")
        if task.worker is not None:
            task.worker.cancel()
            await asyncio.wait([task.worker])

    async def close(self) -> None:
        """End all tasks; their commands keep running."""
        workers = [task.worker for task in self._tasks.values() if task.worker is not None]
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)

    def _forget_old(self) -> None:
        ended = [task for task in self._tasks.values() if task.has_ended]
        surplus = len(self._tasks) - _MOST + 1
        for number, task in enumerate(ended):
            if number < surplus or task.has_expired:
                del self._tasks[task.id]

    def _report(self, task: Task) -> None:
        if not task.revision.stateless:
            self._notify("notifications/tasks/status", task.describe())


def action_of(response: object) -> str:
    """Return the person's action in the host's answer to an elicitation."""
    action = response.get("action") if isinstance(response, dict) else None
    return action if isinstance(action, str) else "cancel"

"""The outcomes of requests that change something, by the keys that clients chose: a retry repeats no work.

A client that lost a reply repeats the request with the same key. The outcomes are stored together with the tree, in one
message to the keeper, so that the next service has a change of the tree and its outcome, or neither.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from attrs import frozen

from phux_core.compact_json import to_bytes
from phux_core.errors import PhuxError, from_wire
from phux_core.server.connection import error_document
from phux_core.server.sync import Promise

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from phux_core.server.connection import Answer, Result

MOST = 256
"""How many outcomes are kept, those of the latest requests."""


@frozen
class Receipt:
    """The recorded progress and reply of one request.

    Attributes:
        key: The request's key; without one, nothing is recorded.
        progress: The progress of this request that an earlier service recorded; None if there is none.
    """

    key: str | None = None
    progress: dict[str, Any] | None = None
    _receipts: Receipts | None = None

    def record_progress(self, progress: dict[str, Any]) -> None:
        """Store the progress, before a step that must not be repeated."""
        if self._receipts is not None and self.key is not None:
            self._receipts.record(self.key, {"begun": progress})
            self._receipts.save()

    def record(self, reply: Result) -> None:
        """Record the reply; it is stored with the next change of the tree."""
        if self._receipts is not None and self.key is not None:
            self._receipts.record(self.key, {"ok": reply})


class Receipts:
    """The outcomes of the latest requests.

    Args:
        stored: The outcomes that an earlier service stored, from ``dump``.
        save: Stores the outcomes together with the tree.

    Attributes:
        is_executing: Whether a call is being executed and its outcome is not recorded yet; the tree must not be stored.
    """

    def __init__(self, stored: bytes, save: Callable[[], None]) -> None:
        self.save = save
        self.is_executing = False
        self._lines = {json.loads(line)[0]: line for line in stored.splitlines()}
        self._running: dict[str, asyncio.Task[Result]] = {}

    def dump(self) -> bytes:
        """Return the outcomes as lines of JSON."""
        return b"\n".join(self._lines.values())

    def record(self, key: str, outcome: dict[str, Any]) -> None:
        self._lines.pop(key, None)
        self._lines[key] = to_bytes([key, outcome])
        if len(self._lines) > MOST:
            del self._lines[next(iter(self._lines))]

    def execute(self, key: str, call: Callable[[Receipt], Answer]) -> Answer:
        """Execute a call, unless a request with the same key was executed before; return its result."""
        if key in self._running:
            return asyncio.shield(self._running[key])
        outcome = json.loads(self._lines[key])[1] if key in self._lines else {}
        if "error" in outcome:
            raise from_wire(outcome["error"])
        if "ok" in outcome:
            reply: Result = outcome["ok"]
            return reply
        self.is_executing = True
        try:
            answer = call(Receipt(key, outcome.get("begun"), self))
        except BaseException:
            self.is_executing = False
            self.save()
            raise
        self.is_executing = False
        assert not isinstance(answer, Promise)
        if isinstance(answer, dict):
            self.record(key, {"ok": answer})
            self.save()
            return answer
        task = self._running[key] = asyncio.get_running_loop().create_task(self._finish(key, answer))
        return asyncio.shield(task)

    async def _finish(self, key: str, answer: Awaitable[Result]) -> Result:
        try:
            reply = await answer
        except PhuxError as error:
            if key in self._lines:
                self.record(key, {"error": error_document(error)})
                self.save()
            raise
        except BaseException:
            self._lines.pop(key, None)
            raise
        finally:
            del self._running[key]
        before = self._lines.get(key)
        self.record(key, {"ok": reply})
        if self._lines[key] != before:
            self.save()
        return reply

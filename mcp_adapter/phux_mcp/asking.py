"""Ask the person for a secret, through a page of ours that the host offers them; the secret never reaches the host."""

from __future__ import annotations

import asyncio
import secrets
import time
from typing import TYPE_CHECKING, Any

from phux_client import flows
from phux_core.errors import RefusedError
from phux_core.printable import printable
from phux_mcp.answers import clipped
from phux_mcp.jsonrpc import INVALID_PARAMS, RpcError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from phux_client import Phux
    from phux_mcp.secret_page import SecretPage

    Params = dict[str, Any]
    Elicit = Callable[[Params], Awaitable[str]]

_OTHERS = ["prompt", "running", "awaiting_input", "fullscreen", "dead"]
_MOST_SUSPENDED = 64
_LONGEST_QUESTION = 120


class InputRequiredError(Exception):
    """The host has to ask the person, and then to repeat the call (revision 2026-07-28)."""

    def __init__(self, params: Params) -> None:
        super().__init__("the person is asked")
        self.requests = {"secret": {"method": "elicitation/create", "params": params}}


class Suspended:
    """The calls that wait for their repetition, by the state that the host returns with it."""

    def __init__(self) -> None:
        self._calls: dict[str, tuple[str, Params, str]] = {}

    def add(self, tool: str, arguments: Params, run_id: str) -> str:
        """Record a call, and return its state."""
        state = secrets.token_urlsafe(24)
        self._calls[state] = (tool, arguments, run_id)
        if len(self._calls) > _MOST_SUSPENDED:
            del self._calls[next(iter(self._calls))]
        return state

    def take(self, state: object, tool: str, arguments: Params) -> str:
        """Return the run of a call that is repeated; raise RpcError if this is no such call."""
        known = self._calls.pop(state, None) if isinstance(state, str) else None
        if known is None or known[:2] != (tool, arguments):
            raise RpcError(INVALID_PARAMS, "`requestState` is not that of this call")
        return known[2]


class Pages:
    """The pages of one adapter, one for each pane."""

    def __init__(self) -> None:
        self._pages: dict[int, SecretPage] = {}

    async def open(self, phux: Phux, pane: int, question: str) -> str:
        """Open a page for the secret that a pane's program waits for, and return its URL."""

        async def deliver(secret: str) -> None:
            screen = await phux.drive(flows.snapshot(phux.caller, pane))
            if screen["state"] != "awaiting_secret":
                raise RefusedError(f"the program in @{pane} no longer waits for a secret")
            items = [{"text": secret}, {"key": "Enter"}] if secret else [{"key": "Enter"}]
            await phux.request(flows.Request("input", pane=pane, items=items))

        # Imported late, because few calls need it.
        from phux_mcp.secret_page import SecretPage

        self.end(pane)
        page = self._pages[pane] = SecretPage(question, deliver)
        return await page.open()

    def end(self, pane: int) -> None:
        """Close a pane's page."""
        page = self._pages.pop(pane, None)
        if page is not None:
            page.close()

    def close(self) -> None:
        """Close all pages."""
        for pane in [*self._pages]:
            self.end(pane)


class Asking:
    """Asks the person on behalf of one call.

    Args:
        elicit: Makes the host offer a URL to the person, and returns the person's action; None if it cannot.
        complete: Called with the request's parameters when the program has the secret.
        answer: The action that came with a repeated call.
    """

    def __init__(
        self, pages: Pages, elicit: Elicit | None, complete: Callable[[Params], None], answer: str | None = None
    ) -> None:
        self._pages = pages
        self._elicit = elicit
        self._complete = complete
        self._answer = answer

    async def secret_typed(self, phux: Phux, pane: int, deadline: float | None) -> bool:
        """Ask for the secret that a pane's program waits for; return whether it has the secret before the deadline."""
        if self._elicit is None:
            return False
        answer, self._answer = self._answer, None
        if answer is None:
            question = await _question(phux, pane)
            url = await self._pages.open(phux, pane, question)
            params = {
                "mode": "url",
                "url": url,
                "message": f"{question}. Type the secret on this page only.",
            }
            return await self._offered(phux, pane, params, deadline)
        if answer != "accept":
            self._pages.end(pane)
            return False
        return await secret_answered(phux, pane, _left_s(deadline))

    async def _offered(self, phux: Phux, pane: int, params: Params, deadline: float | None) -> bool:
        """Offer a page until the program has its secret, which the person may also type elsewhere."""
        assert self._elicit is not None
        asked = asyncio.ensure_future(self._elicit(params))
        typed = asyncio.ensure_future(secret_answered(phux, pane, _left_s(deadline)))
        try:
            await asyncio.wait([asked, typed], return_when=asyncio.FIRST_COMPLETED)
            if not typed.done() and asked.result() != "accept":
                self._pages.end(pane)
                return False
            if not await typed:
                return False
            self._pages.end(pane)
            self._complete(params)
            return True
        finally:
            asked.cancel()
            typed.cancel()
            await asyncio.wait([asked, typed])


async def _question(phux: Phux, pane: int) -> str:
    """Return who asks for a secret, and in which words."""
    screen = await phux.drive(flows.snapshot(phux.caller, pane))
    program = (screen.get("foreground") or {}).get("command", "A program")
    words = next((line.strip() for line in reversed(screen["lines"]) if line.strip()), "")
    return printable(f"{program} in the terminal @{pane} asks: {clipped(words, _LONGEST_QUESTION)}")


async def secret_answered(phux: Phux, pane: int, timeout_s: float | None) -> bool:
    """Wait until no program in a pane asks for a secret; return False if the timeout expired first."""
    wait = flows.wait(phux.caller, pane, flows.Conditions(state=_OTHERS), timeout_s=timeout_s)
    return (await phux.drive(wait)).met is not None


def _left_s(deadline: float | None) -> float | None:
    return None if deadline is None else max(0.0, deadline - time.monotonic())

"""The state of the service that the keeper stores, and passes on to the next service."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from phux_core.keeper import journal as journals
from phux_core.keeper.channel import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from phux_core.keeper.children import Children


class StoredState:
    """Journals by pane, and blobs by key.

    Attributes:
        journals: The descriptor of each pane's journal.
    """

    def __init__(self) -> None:
        self.journals: dict[int, int] = {}
        self._blobs: dict[str, bytes] = {}

    def put(self, message: Message) -> None:
        """Store the payload of a message."""
        self._blobs[str(message.header["key"])] = message.payload

    def append(self, message: Message) -> None:
        """Append the payload of a message to the stored bytes."""
        key = str(message.header["key"])
        self._blobs[key] = self._blobs.get(key, b"") + message.payload

    def release(self, pane: int) -> None:
        """Free what is stored of a pane."""
        for what in ("checkpoint", "ledger", "record"):
            self._blobs.pop(journals.blob_key(what, pane), None)
        if pane in self.journals:
            os.close(self.journals.pop(pane))

    def messages(self, children: Children) -> Iterator[Message]:
        """Yield the messages that pass the state and the programs on to a service."""
        for pane, journal in list(self.journals.items()):
            yield Message({"op": "journal", "pane": pane}, b"", [journal])
        for child, status in children.all():
            header = {"op": "child", "pane": child.pane, "pid": child.pid, "status": status}
            yield Message(header, b"", [child.master])
        for key, blob in list(self._blobs.items()):
            yield Message({"op": "blob", "key": key}, blob, [])
        yield Message({"op": "begin"}, b"", [])

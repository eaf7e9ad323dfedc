"""The actions in a recording, for training and evaluation: commands and typed input, as TrajectoryAction documents."""

import json

from phux_client.excerpt import is_between

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from phux_client.export.material import Entry, Material
    from phux_client.flows._types import Document

_LINE_ENDS = ("\r", "\n", "\x03")


def to_trajectory(material: "Material") -> str:
    """Return one line of JSON for each action."""
    return "".join(json.dumps(action, ensure_ascii=False) + "\n" for action in material.actions)


def actions_of(material: "Material") -> "list[Document]":
    """Return the actions that begin in a part of a recording, oldest first, without what they changed."""
    from phux_client.flows._documents import timestamp

    finder = _Finder(material)
    for entry in material.entries:
        finder.add(entry)
    actions = finder.finish()
    for action in actions:
        start, end = action.pop("start"), action.pop("end_at")
        action["started_at"] = timestamp(start)
        action["ended_at"] = None if end is None else timestamp(end)
        action["duration_ms"] = None if end is None else round((end - start) * 1000)
    return actions


def changed_rows(before: "Sequence[str]", after: "Sequence[str]") -> "list[Document]":
    """Return the rows of a screen that another one does not show in the same place.

    Example:
        >>> changed_rows(["$ ls", ""], ["$ ls", "file"])
        [{'row': 1, 'text': 'file'}]
    """
    old = [*before, *[""] * (len(after) - len(before))]
    return [{"row": row, "text": text} for row, text in enumerate(after) if text != old[row]]


class _Finder:
    """Finds the actions among the entries of a timeline."""

    def __init__(self, material: "Material") -> None:
        self._pane = material.log["pane"]
        self._first, self._last = material.first, material.last
        self._actions: list[Document] = []
        self._running: dict[object, Document] = {}
        self._input: Document | None = None
        self._line_start = 0
        self._state = "running"

    def add(self, entry: "Entry") -> None:
        at, seq, kind, fields = entry
        if kind == "state_changed" and (at, seq) <= (self._last.at, self._last.seq):
            self._state = fields["state"]
        if not is_between(entry, self._first, self._last):
            return
        match kind:
            case "output" if self._input is not None:
                self._input["end_at"] = at
            case "typed":
                if self._input is not None and self._input["seq"]["start"] == seq:  # typed together
                    self._input["typed"] += fields["text"]
                else:
                    self._end_input(seq)
                    self._input = self._begin("input", fields["text"], at, seq)
                self._input["end_at"] = at
            case "command_started":
                self._start(at, seq, fields)
            case "command_finished":
                self._end_input(seq)
                self._end_command(fields.get("command_id"), at, seq, "prompt", fields.get("exit_code"))
            case "pane_closed":
                self._state = "dead"
                self._end_input(seq)
                for command_id in [*self._running]:
                    self._end_command(command_id, at, seq, "dead", fields.get("exit_status"))

    def finish(self) -> "list[Document]":
        self._end_input(self._last.seq)
        for action in self._running.values():
            action["seq"]["end"], action["state"] = self._last.seq, self._state
        return self._actions

    def _begin(self, kind: str, typed: str | None, at: float, seq: int) -> "Document":
        action = {
            "schema_version": 1,
            "pane": self._pane,
            "kind": kind,
            "typed": typed,
            "state": self._state,
            "exit_code": None,
            "seq": {"start": seq, "end": seq},
            "start": at,
            "end_at": None,
        }
        self._actions.append(action)
        return action

    def _start(self, at: float, seq: int, fields: "Document") -> None:
        """Begin a command, of which the input before it is a part."""
        self._end_input(seq)
        parts: list[Document] = []
        while not self._running and len(self._actions) > self._line_start:
            if parts and self._actions[-1]["typed"].endswith(_LINE_ENDS):
                break
            parts.insert(0, self._actions.pop())
        typed = "".join(part["typed"] for part in parts)
        line = fields.get("command") or typed.rstrip("\r\n") or None
        action = self._begin("command", line, parts[0]["start"] if parts else at, seq)
        action["command_id"] = fields.get("command_id")
        self._running[action["command_id"]] = action
        self._line_start = len(self._actions)

    def _end_command(self, command_id: object, at: float, seq: int, state: str, exit_code: int | None) -> None:
        action = self._running.pop(command_id, None)
        if action is not None:
            action["seq"]["end"] = seq
            action |= {"state": state, "exit_code": exit_code, "end_at": at}
            self._line_start = len(self._actions)

    def _end_input(self, seq: int) -> None:
        if self._input is not None:
            self._input["seq"]["end"], self._input["state"] = seq, self._state
            self._input = None

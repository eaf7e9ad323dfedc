"""``export``: read a part of a recording, and make a document of it."""

from phux_client.export import check_format, render
from phux_client.export.film import frame_ms
from phux_client.export.material import Material
from phux_client.export.trajectory import actions_of, changed_rows
from phux_client.flows import past_reading
from phux_client.flows._kinds import Caller, Request
from phux_client.flows.log_reading import READ_S, find_log, list_document
from phux_client.moments import Place, moment_of
from phux_core.errors import BadRequestError, NoSuchTargetError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from phux_client.flows._types import Flow
    from phux_core.shapes import CastVersion, RecordingFormat

_PIECE = 4 * 1024 * 1024


def export(
    caller: Caller,
    target: "str | int | None",
    format_: "RecordingFormat" = "html",
    *,
    cast_version: "CastVersion" = 2,
    start: "int | str | datetime | None" = None,
    end: "int | str | datetime | None" = None,
) -> "Flow[str]":
    """Return a recording as a document, which takes a while to make.

    Args:
        target: As for ``logs``.
        start: The moment at which to start (see ``phux_client.moments``); by default, as early as possible.
        end: The moment at which to end; by default, the end of the log.
    """
    check_format(format_, cast_version)  # before anything is sent
    return render((yield from export_material(caller, target, format_, start, end)), format_, cast_version)


def export_material(
    caller: Caller,
    target: "str | int | None",
    format_: "RecordingFormat",
    start: "int | str | datetime | None",
    end: "int | str | datetime | None",
) -> "Flow[Material]":
    """Return what ``phux_client.export.render`` needs for a document."""
    which = yield from find_log(caller, target)
    moments = (None if moment is None else moment_of(moment) for moment in (start, end))
    recording = yield from past_reading.read_recording(which, *moments, without_output=False)
    name = recording["log"]
    logs = list_document((yield Request("log_list", READ_S)))["logs"]
    log = next((entry for entry in logs if entry["log"] == name), None)
    if log is None:
        raise NoSuchTargetError(f"the log {name} was deleted", remedy="`phux logs --list` lists the logs")
    material = Material(log, Place(*recording["first"]), Place(*recording["last"]), recording["entries"])
    if format_ == "trajectory":
        yield from _read_actions(which, material)
        return material
    if format_ == "cast":
        seq = material.first.seq
        screen = yield Request("past_screen", READ_S, **which, seq=seq, cells=True)
        material.screen = past_reading.past_screen_document(screen)
    else:
        yield from _read_film(which, material)
    yield from _read_output(which, material)
    return material


def _read_film(which: "dict[str, object]", material: Material) -> "Flow[None]":
    times = (at for at, _seq, kind, _fields in material.entries if kind == "output")
    shortest_ms = frame_ms(at for at in times if material.first.at <= at <= material.last.at)
    place: Place | None = material.first
    while place is not None:
        page = yield from past_reading.film(which, place, material.last, frame_ms=shortest_ms)
        material.pages.append(page)
        place = None if page["next"] is None else Place(*page["next"])


def _read_actions(which: "dict[str, object]", material: Material) -> "Flow[None]":
    """Read the actions, with the rows that each changed, and the outputs of commands."""
    material.actions = actions_of(material)
    ledger = {entry["id"]: entry for entry in (yield Request("commands", READ_S, **which))["commands"]}
    for action in material.actions:
        # In a timeline, a command may seem to start as late as the latest output that was read.
        entry = ledger.get(action.get("command_id"))
        if entry is not None and entry["start"] is not None:
            end = action["seq"]["end"] if action["ended_at"] is None else entry["end"]
            action["seq"] = {"start": entry["start"], "end": max(entry["start"], end or 0)}
    screens: dict[int, list[str] | None] = {}
    for action in material.actions:
        start, end = action["seq"]["start"], action["seq"]["end"]
        for seq in (start, end):
            if seq not in screens:
                screens[seq] = yield from _lines_at(which, seq)
        before, after = screens[start], screens[end]
        action["changed"] = None if before is None or after is None else changed_rows(before, after)
        screens = {end: after}  # the next action often starts there
        if action["kind"] == "command":
            try:
                reply = yield Request("output", READ_S, id=action["command_id"])
            except NoSuchTargetError:
                continue  # it is no longer in the log
            action |= {"output": reply["content"], "truncated": reply["truncated"]}


def _lines_at(which: "dict[str, object]", seq: int) -> "Flow[list[str] | None]":
    """Return the rows of the screen at a sequence number; None if it cannot be rebuilt."""
    try:
        screen = yield Request("past_screen", READ_S, **which, seq=seq)
    except (BadRequestError, NoSuchTargetError):
        return None
    return list(screen["lines"])


def _read_output(which: "dict[str, object]", material: Material) -> "Flow[None]":
    place, end = material.first.seq, material.last.seq
    while place < end:
        size = min(_PIECE, end - place)
        reply = yield Request("logs", READ_S, **which, from_byte=place, max_bytes=size, mode="raw")
        if reply["next_byte"] <= place:
            return
        material.output.add(reply["first_byte"], reply["content"].encode("utf-8", "surrogateescape"))
        place = reply["next_byte"]

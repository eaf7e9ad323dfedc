"""Commands, states, titles and directories of a recording by time, in milliseconds from its start."""

from phux_client.excerpt import is_between

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.export.material import Entry, Material
    from phux_client.flows._types import Document

_TRACKS = {
    "state_changed": ("states", "state"),
    "title_changed": ("titles", "title"),
    "cwd_changed": ("directories", "cwd"),
}


def tracks_of(material: "Material") -> "Document":
    """Return the ``commands``, and lists of ``[ms, value]`` for the ``states``, ``titles`` and ``directories``.

    Something that began before the start begins with it.
    """
    first, last = material.first, material.last
    tracks: Document = {"commands": [], "states": [], "titles": [], "directories": []}
    running: dict[object, Document] = {}

    def ms_of(at: float) -> int:
        return max(0, round((at - first.at) * 1000))

    def change(entry: "Entry") -> None:
        at, _seq, kind, fields = entry
        if kind == "command_started":
            command = {"start": ms_of(at), "end": None, "line": fields.get("command"), "exit": None}
            running[fields.get("command_id")] = command
            tracks["commands"].append(command)
        elif kind == "command_finished":
            finished = running.pop(fields.get("command_id"), None)
            if finished is not None:
                finished |= {"end": ms_of(at), "exit": fields.get("exit_code")}
        elif kind in _TRACKS:
            name, field = _TRACKS[kind]
            value = fields.get(field)
            if value is not None and [value] != [last[1] for last in tracks[name][-1:]]:
                tracks[name].append([ms_of(at), value])

    for entry in material.entries:
        if entry[0] < first.at or entry[1] < first.seq:
            change(entry)
    # Something that is over before the start is left out.
    tracks["commands"] = [*running.values()]
    for name, _field in _TRACKS.values():
        tracks[name] = tracks[name][-1:]
    for entry in material.entries:
        if is_between(entry, first, last):
            change(entry)
    if not material.log["live"] and last.at >= material.entries[-1][0]:
        for command in running.values():  # its server was killed
            command["lost"] = True
    return tracks

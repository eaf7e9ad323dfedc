"""A recording as a cast."""

from phux_client.casts import Cast
from phux_client.excerpt import steps_between
from phux_core.errors import NoSuchTargetError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from phux_client.excerpt import Step
    from phux_client.export.material import Material
    from phux_core.shapes import CastVersion

_UNKNOWN = "(unknown command)"


def to_cast(material: "Material", version: "CastVersion") -> str:
    """Return a cast."""
    hole = material.output.hole(material.first.seq, material.last.seq)
    if hole is not None:
        raise NoSuchTargetError(
            f"a cast needs all output, and that from {hole[0]} to {hole[1]} is not in the log",
            remedy=f"export the part with --to {hole[0]} or --from {hole[1]}, or all of it with --format html",
        )
    return "".join(_lines(material, version))


def _lines(material: "Material", version: "CastVersion") -> "Iterator[str]":
    first, last, screen = material.first, material.last, material.screen
    assert screen is not None
    cast = Cast(version, first.at)
    yield cast.header(screen["cols"], screen["rows"], last.at)
    if first.seq:
        yield cast.screen(screen)
    for step in steps_between(material.entries, first, last):
        yield _event(cast, step, material)


def _event(cast: Cast, step: "Step", material: "Material") -> str:
    fields = step.fields
    match step.kind:
        case "output":
            return cast.output(step.at, material.output.between(fields["start"], fields["end"]))
        case "resized":
            return cast.resized(step.at, fields["cols"], fields["rows"])
        case "typed":
            return cast.typed(step.at, fields["text"])
        case "command_started":
            return cast.marker(step.at, fields.get("command") or _UNKNOWN)
        case "pane_closed":
            status = fields.get("exit_status")
            return "" if status is None else cast.exited(step.at, status)
    return ""

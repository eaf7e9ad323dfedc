"""Recordings as documents: casts and pages that others can play, and trajectories to train with.

material    everything that is known about a part of a recording
cast        a cast, for players of asciinema
film        all frames of a film, with shared rows
tracks      commands, states and titles, by time
text        the text to search in
page        an HTML page with the player, whose files are in ``player``
trajectory  the actions, one line of JSON each

No I/O, except for reading the files of the player. Import-light.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.export.material import Material
    from phux_core.shapes import CastVersion, RecordingFormat

FORMATS = ("cast", "html", "trajectory")


def check_format(format_: str, cast_version: int) -> None:
    """Raise BadRequestError unless there are such a format and such a version of it."""
    from phux_client.casts import VERSIONS
    from phux_core.errors import BadRequestError

    if format_ not in FORMATS:
        raise BadRequestError(f"there is no format {format_!r:.40}", remedy=f"use one of {', '.join(FORMATS)}")
    if cast_version not in VERSIONS:
        raise BadRequestError(
            f"there is no version {cast_version!r:.40} of casts", remedy=f"use {' or '.join(map(str, VERSIONS))}"
        )


def render(material: "Material", format_: "RecordingFormat", cast_version: "CastVersion" = 2) -> str:
    """Return a recording in a format.

    Raises:
        LimitError: The recording is too large for a page.
        NoSuchTargetError: Output that a cast needs is missing.
    """
    if format_ == "cast":
        from phux_client.export.cast import to_cast

        return to_cast(material, cast_version)
    if format_ == "trajectory":
        from phux_client.export.trajectory import to_trajectory

        return to_trajectory(material)
    from phux_client.export.page import to_page

    return to_page(material)

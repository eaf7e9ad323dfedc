"""A pixel image, made from the SVG image by resvg, the library of the extra ``phux[png]``."""

from phux_core.errors import RefusedError

SCALE = 2
"""Pixels for each unit of the SVG image."""


def to_png(image: str) -> bytes:
    """Return an SVG image as PNG.

    Raises:
        RefusedError: The library is not installed.
    """
    try:
        import resvg_py
    except ImportError as error:
        raise RefusedError(
            "PNG needs a library that is not installed", remedy="install it with `pip install 'phux[png]'`"
        ) from error
    return bytes(resvg_py.svg_to_bytes(svg_string=image, zoom=SCALE))

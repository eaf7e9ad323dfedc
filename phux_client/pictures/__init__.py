"""Draw a screen: as text, with escape sequences, as SVG, HTML or PNG.

grid    the cells of a ScreenState document, with their styles
themes  the colors
ansi    rows with escape sequences
svg     a vector image
boxes   box drawing characters and blocks, as shapes
html    a page with the vector image
png     a pixel image, with the library of the extra ``phux[png]``
"""

from phux_client.pictures.grid import rows_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document
    from phux_core.shapes import PictureFormat, ThemeName

FORMATS = ("text", "ansi", "html", "svg", "png")


THEMES = ("dark", "light")


def check_picture(picture: str, theme: str) -> None:
    """Raise BadRequestError unless there are such a format and such a theme."""
    for kind, value, known in (("format", picture, FORMATS), ("theme", theme, THEMES)):
        if value not in known:
            from phux_core.errors import BadRequestError

            raise BadRequestError(f"there is no {kind} {value!r}", remedy=f"use one of {', '.join(known)}")


def draw(document: "Document", picture: "PictureFormat", theme: "ThemeName" = "dark") -> "str | bytes":
    r"""Draw a ScreenState document that has cells; PNG is bytes, and every other format text.

    Raises:
        BadRequestError: There is no such format or theme.
        RefusedError: The library for PNG is not installed.

    Example:
        >>> screen = {"cols": 2, "rows": 1, "lines": ["hi"], "scrollback": [], "cursor": None, "cells": []}
        >>> draw(screen, "text")
        'hi\n'
    """
    from phux_client.pictures.themes import theme_named

    check_picture(picture, theme)
    colors = theme_named(theme)
    if picture == "text":
        return "".join(f"{line}\n" for line in (*document["scrollback"], *document["lines"]))
    rows = rows_of(document)
    if picture == "ansi":
        from phux_client.pictures.ansi import to_ansi

        return to_ansi(rows)
    from phux_client.pictures.svg import to_svg

    image = to_svg(rows, document, colors)
    if picture == "html":
        from phux_client.pictures.html import to_html

        return to_html(image, document, colors)
    if picture == "png":
        from phux_client.pictures.png import to_png

        return to_png(image)
    return image

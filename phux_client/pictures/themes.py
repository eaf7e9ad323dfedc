"""The colors of pictures: two themes, and the palette of 256 colors."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from phux_client.flows._types import Document
    from phux_core.shapes import ThemeName

    Rgb: TypeAlias = tuple[int, int, int]

_DARK = (
    "3b4048 e06c75 98c379 e5c07b 61afef c678dd 56b6c2 abb2bf 5c6370 ef7a83 a8d989 f5d08b 71bfff d688ed 66c6d2 ffffff"
)
_LIGHT = (
    "383a42 ca1243 3e7d3a 986801 2f5fd0 a626a4 0a7a8c 8a8c93 696c77 e45649 50a14f c18401 4078f2 b45bcf 0997b3 fafafa"
)
_LEVELS = (0, 95, 135, 175, 215, 255)
_FAINT = 0.5
"""How much of a faint color is that of the background."""


def _parse(text: str) -> "Rgb":
    red, green, blue = bytes.fromhex(text)
    return red, green, blue


def _mix(one: "Rgb", other: "Rgb") -> "Rgb":
    red, green, blue = (round(a * (1 - _FAINT) + b * _FAINT) for a, b in zip(one, other, strict=True))
    return red, green, blue


class Theme:
    """The colors of a terminal."""

    __slots__ = ("background", "cursor", "foreground", "palette")

    def __init__(self, foreground: str, background: str, cursor: str, palette: str) -> None:
        self.foreground, self.background, self.cursor = _parse(foreground), _parse(background), _parse(cursor)
        self.palette = [_parse(color) for color in palette.split()]

    def color(self, color: "Document", default: "Rgb") -> "Rgb":
        """Return the red, green and blue of a cell's color."""
        if color["kind"] == "rgb":
            return color["r"], color["g"], color["b"]
        if color["kind"] == "default":
            return default
        return self._indexed(color["index"])

    def _indexed(self, index: int) -> "Rgb":
        if index < 16:
            return self.palette[index]
        if index >= 232:
            level = 8 + 10 * (index - 232)
            return level, level, level
        cube = index - 16
        return _LEVELS[cube // 36], _LEVELS[cube // 6 % 6], _LEVELS[cube % 6]

    def colors(self, style: "Document") -> "tuple[Rgb, Rgb]":
        """Return the colors of text and background in a style."""
        foreground = self.color(style["fg"], self.foreground)
        background = self.color(style["bg"], self.background)
        if style["inverse"]:
            foreground, background = background, foreground
        if style["faint"]:
            foreground = _mix(foreground, background)
        return foreground, background


_THEMES = {
    "dark": Theme("d7dae0", "1e2127", "d7dae0", _DARK),
    "light": Theme("2a2c33", "fafafa", "2a2c33", _LIGHT),
}


def theme_named(name: "ThemeName") -> Theme:
    """Return a theme."""
    return _THEMES[name]


def css(color: "Rgb") -> str:
    """Return a color as in CSS.

    Example:
        >>> css((255, 0, 16))
        '#ff0010'
    """
    red, green, blue = color
    return f"#{red:02x}{green:02x}{blue:02x}"

"""Rows with escape sequences, for printing on a terminal of at least the same width."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document
    from phux_client.pictures.grid import Run

_FLAGS = (("bold", 1), ("faint", 2), ("italic", 3), ("blink", 5), ("inverse", 7), ("invisible", 8))
_LATER_FLAGS = (("strikethrough", 9), ("overline", 53))
_UNDERLINES = {"double": "4:2", "curly": "4:3", "dotted": "4:4", "dashed": "4:5"}


def to_ansi(rows: "list[list[Run]]") -> str:
    """Return one line for each row; each line starts and ends in the default style."""
    return "".join("".join(_line(runs)) + "\n" for runs in rows)


def _line(runs: "list[Run]") -> "list[str]":
    parts = []
    for run in runs:
        style = parameters(run.style)
        parts.append(f"\x1b[{style}m{run.text}\x1b[m" if style else run.text)
    return parts


def parameters(style: "Document") -> str:
    """Return the parameters of the SGR sequence that draws a style after a reset."""
    codes = [str(code) for name, code in (*_FLAGS, *_LATER_FLAGS) if style[name]]
    if style["underline"]:
        codes.append(_UNDERLINES.get(style.get("underline_style") or "", "4"))
    codes += _color(style["fg"], 38) + _color(style["bg"], 48)
    codes += _underline_color(style.get("underline_color"))
    return ";".join(codes)


def _underline_color(color: "Document | None") -> "list[str]":
    # Only this form is ignored as a whole by terminals without colored underlines.
    if color is None or color["kind"] == "default":
        return []
    return [f"58:5:{color['index']}" if color["kind"] == "palette" else f"58:2::{color['r']}:{color['g']}:{color['b']}"]


def _color(color: "Document", code: int) -> "list[str]":
    if color["kind"] == "palette":
        return [f"{code};5;{color['index']}"]
    return [] if color["kind"] == "default" else [f"{code};2;{color['r']};{color['g']};{color['b']}"]

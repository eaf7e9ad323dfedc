"""Find regions of a screen: adjacent cells of one row, by their text or their style. No I/O. Import-light."""

from phux_core.errors import AmbiguousError, BadRequestError, NoSuchTargetError
from phux_core.patterns import Searcher, compile_pattern
from phux_core.width import columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator

    from phux_client.flows._types import Document

STYLES = ("bold", "faint", "italic", "underline", "blink", "inverse", "invisible", "strikethrough", "overline")
_DEFAULT = {"kind": "default"}
_PLAIN: "Document" = {**dict.fromkeys(STYLES, False), "fg": _DEFAULT, "bg": _DEFAULT}
_MOST_LISTED = 8


class Wanted:
    """What to look for on a screen: a text or a pattern, a style, or both.

    Raises:
        BadRequestError: Nothing was given, the pattern is invalid, or there is no such style.
    """

    def __init__(self, text: "str | re.Pattern[str] | None" = None, style: str | None = None) -> None:
        if text is None and style is None:
            raise BadRequestError(
                "nothing to find was given", remedy="give a text, a compiled regular expression or a style"
            )
        if text == "":
            raise BadRequestError("the text to find is empty", remedy="give at least one character")
        if style is not None and style not in STYLES:
            raise BadRequestError(f"there is no style {style!r:.80}", remedy=f"the styles are: {', '.join(STYLES)}")
        self._style = style
        self._text = text if isinstance(text, str) else None
        self._pattern = None if text is None or isinstance(text, str) else compile_pattern(source(text))
        self._searcher = None if self._pattern is None else Searcher(self._pattern.pattern)

    def __str__(self) -> str:
        words = [] if self._text is None else [repr(self._text)]
        words += [] if self._pattern is None else [f"/{self._pattern.pattern}/"]
        words += [] if self._style is None else [f"style {self._style}"]
        return " with ".join(words)

    def find(self, screen: "Document") -> "list[Document]":
        """Return the matching regions of a ScreenState document with cells, from the top."""
        styles = {(cell["row"], cell["col"]): cell["style"] for cell in screen["cells"]}
        name = self._style
        if name is not None and self._text is None and self._pattern is None:
            return styled_runs(screen, lambda style: style[name] or None)
        if self._searcher is not None:
            self._searcher.first(screen["lines"])  # raises if the pattern takes too long
        found = []
        for row, line in enumerate(screen["lines"]):
            for start, end in self._spans(line):
                col = columns(line[:start])
                style = styles.get((row, col), _PLAIN)
                if name is None or style[name]:
                    found.append(_region(line[start:end], row, col, style))
        return found

    def _spans(self, line: str) -> "Iterator[tuple[int, int]]":
        if self._pattern is not None:
            yield from (match.span() for match in self._pattern.finditer(line) if match[0])
            return
        assert self._text is not None
        start = line.find(self._text)
        while start >= 0:
            yield start, start + len(self._text)
            start = line.find(self._text, start + len(self._text))


def highlighted(screen: "Document") -> "list[Document]":
    """Return the candidates for the highlighted entry of a menu; one, if it is clear.

    That is the inverse or colored run under the cursor; else the inverse runs; else the runs in a background color
    that no other row has. Colored runs of one column, and blank ones, do not count: they are borders, gutters and
    shadows.
    """
    inverse = styled_runs(screen, lambda style: style["inverse"] or None)
    colored = styled_runs(screen, lambda style: None if style["bg"] == _DEFAULT else tuple(style["bg"].items()))
    colored = [run for run in colored if run["width"] > 1 and run["text"].strip()]
    cursor = screen["cursor"]
    if cursor is not None and cursor["visible"]:
        under = [run for run in inverse + colored if _covers(run, cursor["y"], cursor["x"])]
        if under:
            return under[:1]
    if inverse:
        return inverse
    rows: dict[str, set[int]] = {}
    for run in colored:
        rows.setdefault(str(run["style"]["bg"]), set()).add(run["row"])
    return [run for run in colored if len(rows[str(run["style"]["bg"])]) == 1]


def _covers(run: "Document", row: int, col: int) -> bool:
    return bool(run["row"] == row and run["col"] <= col < run["col"] + run["width"])


def only(regions: "list[Document]", wanted: object, screen: "Document") -> "Document":
    """Return the one region that matches.

    Raises:
        NoSuchTargetError: None matches.
        AmbiguousError: Several match.
    """
    if len(regions) == 1:
        return regions[0]
    if regions:
        raise ambiguous(regions, wanted, screen["pane"])
    rows = [line for line in screen["lines"] if line]
    shown = f"its last row is {rows[-1]!r:.200}" if rows else "it is empty"
    raise NoSuchTargetError(
        f"the screen of @{screen['pane']} has no {wanted}; {shown}",
        remedy="look at the screen, or allow time for it to appear (timeout_s)",
    )


def ambiguous(regions: "list[Document]", wanted: object, pane: int) -> AmbiguousError:
    """Return the error for several matching regions, which lists them."""
    listed = "; ".join(
        f"row {each['row']}, column {each['col']}: {each['text']!r:.60}" for each in regions[:_MOST_LISTED]
    )
    more = f"; and {len(regions) - _MOST_LISTED} more" if len(regions) > _MOST_LISTED else ""
    return AmbiguousError(f"the screen of @{pane} has {len(regions)} matches of {wanted}: {listed}{more}")


def styled_runs(screen: "Document", key: "Callable[[Document], object]") -> "list[Document]":
    """Return the runs of adjacent cells whose styles have the same key, leaving out cells whose key is None."""
    runs: list[Document] = []
    texts: dict[int, list[str]] = {}
    last_key: object = None
    for cell in screen["cells"]:
        row, col, this = cell["row"], cell["col"], key(cell["style"])
        if this is None:
            continue
        if row not in texts:
            texts[row] = text_by_column(screen["lines"][row])
        text = "".join(texts[row][col : col + 1]) or " "
        last = runs[-1] if runs else None
        if last is not None and this == last_key and row == last["row"] and col == last["col"] + last["width"]:
            last["text"] += text
            last["width"] += columns(text)
        else:
            runs.append(_region(text, row, col, cell["style"]))
        last_key = this
    return runs


def text_by_column(text: str) -> list[str]:
    """Return the text that begins in each column of a row; none in the right half of a wide character."""
    if text.isascii():
        return list(text)
    found: list[str] = []
    for character in text:
        width = columns(character)
        if width:
            found += [character, *[""] * (width - 1)]
        elif found:  # a zero-width character belongs to the one before it
            found[-1 if found[-1] else -2] += character
    return found


def source(pattern: "re.Pattern[str]") -> str:
    """Return the text of a compiled pattern, with its flags, for a parameter that takes text."""
    import re

    letters = {re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s", re.VERBOSE: "x", re.ASCII: "a"}
    flags = "".join(letter for flag, letter in letters.items() if pattern.flags & flag)
    return f"(?{flags}){pattern.pattern}" if flags else pattern.pattern


def _region(text: str, row: int, col: int, style: "Document") -> "Document":
    return {"text": text, "row": row, "col": col, "width": columns(text), "style": style}

"""A page with the image of a screen. Transparent text lies over the image, so that it can be selected and searched."""

from html import escape

from phux_client.pictures.svg import CELL_HEIGHT, FONT, FONT_SIZE, PADDING
from phux_client.pictures.themes import css

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document
    from phux_client.pictures.themes import Theme


_STYLE = f"""
body {{{{ margin: 0; background: {{background}}; position: relative }}}}
svg {{{{ display: block; user-select: none }}}}
pre {{{{ position: absolute; left: {PADDING}px; top: {PADDING}px; margin: 0; color: transparent;
  font: {FONT_SIZE}px/{CELL_HEIGHT}px {FONT} }}}}
"""


def to_html(image: str, document: "Document", theme: "Theme") -> str:
    """Return a self-contained page that shows an SVG image of a screen."""
    title = escape(document.get("title") or "phux")
    text = escape("\n".join((*document["scrollback"], *document["lines"])))
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f"<title>{title}</title>\n<style>{_STYLE.format(background=css(theme.background))}</style>\n"
        f"{image}<pre>{text}</pre>\n</html>\n"
    )

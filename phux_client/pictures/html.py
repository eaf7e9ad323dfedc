"""A page with the image of a screen; its text can be selected and searched."""

from html import escape

from phux_client.pictures.themes import css

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document
    from phux_client.pictures.themes import Theme


def to_html(image: str, document: "Document", theme: "Theme") -> str:
    """Return a self-contained page that shows an SVG image of a screen."""
    title = escape(document.get("title") or "phux")
    style = f"body {{ margin: 0; background: {css(theme.background)} }} svg {{ display: block }}"
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f"<title>{title}</title>\n<style>{style}</style>\n{image}</html>\n"
    )

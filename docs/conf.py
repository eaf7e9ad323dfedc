"""The documentation as a site: the front page, docs/ and the other Markdown files of the repository.

    sphinx-build -W -c docs . site

The pages are plain Markdown, and read the same without it. Two things are added here: the table of contents, from the
lists in docs/README.md, and docstrings, in place of comments such as ``<!-- docstrings: events -->``.
"""

from __future__ import annotations

import inspect
import posixpath
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import phux_client
from phux_client import fleets

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "phux"
version = release = phux_client.__version__
root_doc = "README"
include_patterns = ["*.md", "docs/**"]
exclude_patterns = ["**/node_modules"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinxcontrib.mermaid"]
myst_heading_anchors = 4
myst_fence_as_directive = {"mermaid"}
autodoc_class_signature = "separated"  # nobody creates handles and shapes, so their constructors are left out
autodoc_default_options = {"members": True, "exclude-members": "__init__, __new__"}
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
napoleon_use_ivar = True
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = f"phux {release}"
html_copy_source = False

CONTENTS = "docs/README"
DECISIONS = "docs/decisions/README"


def contents(text: str) -> str:
    """Return a hidden table of contents for each section of a page that lists other pages."""
    tables = ""
    for title, section in re.findall(r"^## (.*)\n((?:(?!## ).*\n)*)", text, re.MULTILINE):
        links = re.findall(r"^- \[.*?\]\((.*?)\.md\)", section, re.MULTILINE)
        pages = [posixpath.normpath(posixpath.join(posixpath.dirname(CONTENTS), link)) for link in links]
        tables += "\n".join(["", "```{toctree}", ":hidden:", f":caption: {title}", *pages, "```", ""])
    return tables


def group(name: str) -> str:
    """Return the group of an exported name: handles, fleets, errors, events, documents or types."""
    thing = getattr(phux_client, name)
    if name in phux_client.aio.__all__:
        return "handles"
    if name in fleets.__all__:
        return "fleets"
    if not inspect.isclass(thing):
        return "types"
    if issubclass(thing, phux_client.PhuxError):
        return "errors"
    return "events" if thing in get_args(phux_client.Event) else "documents"


def docstrings(wanted: re.Match[str]) -> str:
    """Return directives that insert the docstrings of a group of exported names."""
    directives = []
    for name in sorted(phux_client.__all__, key=lambda name: inspect.isclass(getattr(phux_client, name))):
        thing = getattr(phux_client, name)
        if not inspect.ismodule(thing) and name != "__version__" and group(name) == wanted[1]:
            kind = "class" if inspect.isclass(thing) else "function" if inspect.isfunction(thing) else "data"
            directives.append(f".. auto{kind}:: phux_client.{name}")
    return "\n".join(["```{eval-rst}", *directives, "```"])


def without_folders(text: str, directory: Path) -> str:
    """Return a page with the text of a link in place of each link to a folder, which the site does not have."""
    return re.sub(r"\[([^\]]+)\]\(([\w./-]+)\)", lambda link: link[1 if (directory / link[2]).is_dir() else 0], text)


def read_source(app: Sphinx, page: str, source: list[str]) -> None:
    """Add to a page what only the site has."""
    source[0] = re.sub(r"<!-- docstrings: (\w+) -->", docstrings, source[0])
    source[0] = without_folders(source[0], Path(app.srcdir, page).parent)
    if page == root_doc:
        source[0] += contents(Path(app.srcdir, f"{CONTENTS}.md").read_text(encoding="utf-8"))
    if page == CONTENTS:  # the site shows its lists beside every page
        source[0] = "---\norphan: true\n---\n" + source[0]
    if page == DECISIONS:
        source[0] += "\n```{toctree}\n:glob:\n0*\n```\n"


def copy_front_page(app: Sphinx, problem: Exception | None) -> None:
    """Serve the front page also as index.html."""
    if problem is None and app.builder.name == "html":
        shutil.copy(Path(app.outdir, f"{root_doc}.html"), Path(app.outdir, "index.html"))


def setup(app: Sphinx) -> None:
    """Connect the functions above; Sphinx calls this."""
    app.connect("source-read", read_source)
    app.connect("build-finished", copy_front_page)

"""The pages as a whole: their links, the list of pages, and the site."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

import phux_client
from browsers import CHROMIUM
from servers import clean_environment

ROOT = Path(__file__).parents[2]


def _anchors(document):
    """Return the anchors that GitHub derives from a page's headings."""
    text = re.sub(r"^```.*?^```", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_link_in_the_documents_has_a_target():
    documents = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("cli/**/*.md")]
    broken = []
    for document in documents:
        text = re.sub(r"^ *```.*?^ *```|`[^`\n]*`", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
        for link, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", text):
            target = document.parent / link if link else document
            if "://" not in link and not (target.exists() and (not anchor or anchor in _anchors(target))):
                broken.append(f"{document.relative_to(ROOT)}: {link}#{anchor}")
    assert broken == []


def test_every_page_is_in_the_list_of_pages():
    linked = set(re.findall(r"\]\(([\w./-]+\.md)\)", (ROOT / "docs/README.md").read_text()))
    pages = {str(page.relative_to(ROOT / "docs")) for page in ROOT.glob("docs/**/*.md")}
    listed_by_folder = {page for page in pages if page.startswith(("decisions/0", "examples/"))}
    assert pages - listed_by_folder - {"README.md"} <= linked


def test_the_site_is_built_without_warnings(tmp_path):
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", "docs", ".", tmp_path / "site"]
    finished = subprocess.run(command, cwd=ROOT, env=clean_environment(), capture_output=True, text=True, timeout=110)
    assert (finished.returncode, finished.stderr) == (0, "")
    reference = (tmp_path / "site/docs/api.html").read_text()
    missing = [name for name in phux_client.__all__ if f'id="phux_client.{name}"' not in reference]
    assert missing == ["__version__", "blocking"]
    assert 'class="mermaid"' in (tmp_path / "site/docs/architecture.html").read_text()
    assert (tmp_path / "site/index.html").exists()


def test_the_pictures_of_the_front_page_can_be_made(tmp_path):
    """Compare only what they show: times and paths differ."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed; .ci/run installs it")
    made = subprocess.run(
        [sys.executable, ROOT / "tools/pictures.py", tmp_path],
        env=clean_environment(),
        capture_output=True,
        timeout=110,
    )
    assert made.returncode == 0, made.stderr.decode()
    for directory in (tmp_path, ROOT / "docs/pictures"):
        texts = "".join(re.findall(r">([^<]+)<", (directory / "attach.svg").read_text()))
        assert "assert 300 == 600" in texts.replace("\xa0", " ")
        assert "0:cart*" in texts
        size = struct.unpack(">II", (directory / "web.png").read_bytes()[16:24])
        assert size == (1180, 690)

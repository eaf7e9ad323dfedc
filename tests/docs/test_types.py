"""The Python in the documents passes the strict checks of mypy and pyright."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import phux_client

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
# The parts of a page are bodies of a coroutine that has a client.
HEAD = "import phux_client\n\n\nasync def example(phux: phux_client.Phux) -> None:\n"


def module(example):
    """Make a whole module of an example, which may be the body of a coroutine."""
    try:
        compile(example, "<example>", "exec")
    except SyntaxError:
        return HEAD + textwrap.indent(example, "    ")
    return example


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    """A directory with every example of the documents as a module of its own, and one that uses all exported names."""
    directory = tmp_path_factory.mktemp("examples")
    for document in DOCUMENTS:
        for number, example in enumerate(re.findall(r"```python\n(.*?)```", document.read_text(), re.DOTALL), 1):
            (directory / f"{document.stem.lower().replace('-', '_')}_{number}.py").write_text(module(example))
    assert len(list(directory.iterdir())) >= 9
    exported = "".join(f"print(phux_client.{name})\n" for name in phux_client.__all__)
    (directory / "exported_names.py").write_text(f"import phux_client\n\n{exported}")
    return directory


def check(*command, directory):
    finished = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=100)
    assert finished.returncode == 0, finished.stdout + finished.stderr


def test_examples_pass_mypy_strict(examples):
    check(
        sys.executable, "-m", "mypy", "--strict", "--cache-dir", ROOT / ".mypy_cache/examples", ".", directory=examples
    )


def test_examples_pass_pyright_strict(examples):
    (examples / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    check(sys.executable, "-m", "pyright", "--pythonpath", sys.executable, directory=examples)


def test_a_wrong_type_is_found(examples, tmp_path):
    (tmp_path / "wrong.py").write_text(module('await (await phux.pane("work")).wait(state="asleep")\n'))
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    with pytest.raises(AssertionError, match="asleep"):
        check(sys.executable, "-m", "pyright", "--pythonpath", sys.executable, directory=tmp_path)

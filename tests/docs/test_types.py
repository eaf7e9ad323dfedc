"""The Python in the documents passes the strict checks of mypy and pyright."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import phux_client

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
HEAD = "import phux_client\n\n\nasync def example(phux: phux_client.Phux) -> None:\n"


def module(example):
    """Return an example as a module, inside a coroutine if it awaits at the top level."""
    try:
        compile(example, "<example>", "exec")
    except SyntaxError:
        return HEAD + textwrap.indent(example, "    ")
    return example


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    """A directory with a module for every example of the documents, and one that uses all exported names."""
    directory = tmp_path_factory.mktemp("examples")
    for document in DOCUMENTS:
        for number, example in enumerate(re.findall(r"```python\n(.*?)```", document.read_text(), re.DOTALL), 1):
            (directory / f"{document.stem.lower().replace('-', '_')}_{number}.py").write_text(module(example))
    for path in ROOT.glob("docs/examples/*.py"):
        (directory / f"example_{path.name}").write_text(path.read_text())
    assert len(list(directory.iterdir())) >= 20
    exported = "".join(f"print(phux_client.{name})\n" for name in phux_client.__all__)
    (directory / "exported_names.py").write_text(f"import phux_client\n\n{exported}")
    return directory


@pytest.fixture(scope="module")
def pyright(examples):
    """The messages of strict pyright by module, for the examples and for a module with a wrong type."""
    (examples / "wrong.py").write_text(module('await (await phux.pane("work")).wait(state="asleep")\n'))
    # Many types of Ray itself are unknown to strict pyright, and Ray may not be installed.
    settings = {"typeCheckingMode": "strict", "ignore": ["ray_*.py", "example_ray_pool.py"]}
    (examples / "pyrightconfig.json").write_text(json.dumps(settings))
    finished = subprocess.run(
        [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson"],
        cwd=examples,
        capture_output=True,
        text=True,
        timeout=100,
    )
    (examples / "wrong.py").unlink()
    found = {}
    for diagnostic in json.loads(finished.stdout)["generalDiagnostics"]:
        found.setdefault(Path(diagnostic["file"]).stem, []).append(diagnostic["message"])
    return found


def test_examples_pass_mypy_strict(examples):
    # The project's cache saves time, because mypy has already checked phux_client.
    command = [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml"]
    command += ["--cache-dir", ROOT / ".mypy_cache", "."]
    finished = subprocess.run(command, cwd=examples, capture_output=True, text=True, timeout=100)
    assert finished.returncode == 0, finished.stdout + finished.stderr


def test_examples_pass_pyright_strict(pyright):
    assert {name: messages for name, messages in pyright.items() if name != "wrong"} == {}


def test_pyright_reports_a_wrong_type(pyright):
    assert any("asleep" in message for message in pyright["wrong"])

"""The contents of the wheel, and its installation in an empty environment."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from phux_core.version import __version__
from servers import clean_environment

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """The directory with the sdist, and the wheel that is built from it."""
    target = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", target, ROOT],
        check=True,
        capture_output=True,
        timeout=120,
    )
    return target


@pytest.fixture(scope="module")
def wheel(packages):
    (built,) = packages.glob("*.whl")
    return built


def test_the_metadata_of_the_packages_is_valid(packages):
    built = sorted(packages.iterdir())
    assert [path.name for path in built] == [f"phux-{__version__}-py3-none-any.whl", f"phux-{__version__}.tar.gz"]
    check = [sys.executable, "-m", "twine", "check", "--strict", *built]
    checked = subprocess.run(check, capture_output=True, text=True, timeout=60)
    assert checked.returncode == 0, checked.stdout


def test_the_sdist_has_what_its_tests_need(packages):
    with tarfile.open(packages / f"phux-{__version__}.tar.gz") as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    needed = {".ci/run", ".github/workflows/ci.yml", "CHANGELOG.md", "LICENSE", "docs/upgrading.md", "pyproject.toml"}
    assert needed <= names
    assert {f"tests/e2e/{path.name}" for path in Path(__file__).parent.glob("test_*.py")} <= names


def test_the_changelog_has_a_section_for_this_release_or_is_ahead_of_the_first_one():
    sections = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert sections[0] == "Unreleased"
    released = [re.fullmatch(r"(\d+\.\d+\.\d+) - \d{4}-\d\d-\d\d", section)[1] for section in sections[1:]]
    assert not released or released[0] == __version__


def test_the_workflow_runs_ci_on_linux_and_macos_for_every_supported_python():
    yaml = pytest.importorskip("yaml")
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())
    (job,) = workflow["jobs"].values()
    supported = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text())
    assert job["strategy"]["matrix"] == {"os": ["ubuntu-latest", "macos-latest"], "python": supported}
    assert ".ci/run" in [step.get("run") for step in job["steps"]]


def test_the_wheel_has_only_our_packages_at_its_top_level(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith((".dist-info", ".data"))} == {
        "phux_core",
        "phux_client",
        "phux_cli",
        "phux_mcp",
    }
    for package in ("phux_core", "phux_client", "phux_cli", "phux_mcp"):
        assert f"{package}/py.typed" in names
    assert not [name for name in names if "tests" in name.lower() or "/test_" in name.lower()]


def test_the_wheel_contains_every_schema_the_guides_and_the_man_page(wheel):
    with zipfile.ZipFile(wheel) as archive:
        data = [name.partition(".data/data/")[2] for name in archive.namelist() if ".data/data/" in name]
        assert data == ["share/man/man1/phux.1"]
        assert {f"phux_cli/skill/{guide}.md" for guide in ("quick", "full")} <= set(archive.namelist())
        for path in (ROOT / "schemas").glob("*.json"):
            assert archive.read(f"phux_core/schemas/{path.name}") == path.read_bytes()


@pytest.mark.timeout(300)  # pip installs all dependencies
def test_the_scripts_work_in_a_fresh_venv(wheel, tmp_path):
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True, timeout=120)
    pip = [sys.executable, "-m", "pip", "--python", venv / "bin/python", "install", "--quiet", "--no-compile", wheel]
    subprocess.run(pip, check=True, timeout=300, capture_output=True)
    socket = tmp_path / "phux.sock"
    env = clean_environment() | {"PHUX_SOCKET": str(socket)}

    def phux(*words: str) -> str:
        finished = subprocess.run(
            [venv / "bin/phux", *words], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=60
        )
        assert finished.returncode == 0, finished.stderr
        return finished.stdout

    assert phux("--version") == f"phux {__version__}\n"
    assert "screen-state.v3" in phux("schema").split()
    assert json.loads(phux("schema", "tree"))["title"] == "Tree"
    phux("new", "-s", "work", "--json", "--", "sh", "-c", "echo installed")
    assert json.loads(phux("wait", "work", "--exit", "--timeout", "20", "--json"))["lines"][0] == "installed"
    asked = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"phux_ls","arguments":{}}}\n'
    answered = subprocess.run([venv / "bin/phux-mcp"], input=asked, env=env, capture_output=True, text=True, timeout=60)
    assert json.loads(json.loads(answered.stdout)["result"]["content"][0]["text"])["sessions"][0]["name"] == "work"
    assert json.loads(phux("status", "--json"))["engine"] == "ghostty"
    phux("kill", "--server")
    assert not socket.exists()

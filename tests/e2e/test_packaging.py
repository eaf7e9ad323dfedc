"""The contents of the wheel, and its installation in an empty environment."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from servers import clean_environment

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    target = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", target, ROOT],
        check=True,
        capture_output=True,
        timeout=120,
    )
    (built,) = target.glob("*.whl")
    return built


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
    assert not [name for name in names if "test" in name.lower()]


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

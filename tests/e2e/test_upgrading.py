"""`phux upgrade` with two installed releases: the service is replaced, and everything in the panes continues."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from servers import Cli, eventually

ROOT = Path(__file__).parents[2]
SOURCES = (
    "phux_core",
    "phux_client",
    "cli",
    "mcp_adapter",
    "schemas",
    "docs/phux.1",
    "pyproject.toml",
    "README.md",
    "LICENSE",
)
# A field that only the newer release stores.
NEW_FIELD = ("    request: str | None = None\n", "    request: str | None = None\n    color: str = 'red'\n")


def change(path: Path, *replacements: tuple[str, str]) -> None:
    text = path.read_text()
    for before, after in replacements:
        assert before in text, before
        text = text.replace(before, after)
    path.write_text(text)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory) -> dict[str, Path]:
    """Wheels of three releases; the service of 9.9.9 ends before it is ready."""
    directory = tmp_path_factory.mktemp("wheels")
    built = {}
    for version in ("9.9.7", "9.9.8", "9.9.9"):
        tree = directory / version
        for name in SOURCES:
            source = ROOT / name
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, tree / name)
        line = next(line for line in (tree / "phux_core/version.py").read_text().splitlines() if line.startswith("__v"))
        change(tree / "phux_core/version.py", (line, f'__version__ = "{version}"'))
        if version != "9.9.7":
            change(tree / "phux_core/server/pane_record.py", NEW_FIELD)
        if version == "9.9.9":
            ready = "loop.call_soon(self.keeper.ready)"
            change(tree / "phux_core/server/service.py", (ready, "loop.call_soon(os._exit, 3)"))
        build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", directory, tree]
        subprocess.run(build, check=True, capture_output=True, timeout=120)
        (built[version],) = directory.glob(f"*{version}*.whl")
    return built


class Release(Cli):
    """A venv with an installed release, whose dependencies are those of the tests."""

    def __init__(self, directory: Path, wheel: Path, socket: Path) -> None:
        super().__init__(str(socket), directory.parent)
        self.directory, self.program = directory, directory / "bin/phux"
        self.env = {**self.env, "XDG_STATE_HOME": str(directory.parent / "state")}
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", directory], check=True, timeout=60)
        (site,) = directory.glob("lib/python*/site-packages")
        (site / "tests.pth").write_text(next(path for path in sys.path if path.endswith("site-packages")) + "\n")
        self.install(wheel)

    def install(self, wheel: Path) -> None:
        pip = [sys.executable, "-m", "pip", "--python", self.directory / "bin/python", "install", "--quiet"]
        subprocess.run([*pip, "--no-deps", "--no-compile", "--force-reinstall", wheel], check=True, timeout=60)


@pytest.fixture
def release(wheels, tmp_path):
    """Install releases; the server that they share ends with the test."""
    tmp_path.chmod(0o700)
    made: list[Release] = []

    def install(version: str) -> Release:
        made.append(Release(tmp_path / version, wheels[version], tmp_path / "s"))
        return made[-1]

    yield install
    made[0]("kill", "--server")


def start(cli: Cli, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [cli.program, *words], env=cli.env, cwd=cli.cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def versions(cli: Cli) -> tuple[str, str]:
    status = cli.json("status")
    return status["version"], status["keeper_version"]


def test_an_upgrade_replaces_the_service_and_everything_continues(release):
    old, new = release("9.9.7"), release("9.9.8")
    old.json("new", "-s", "work", "--", "bash", "--noprofile")
    old.json("run", "work", "x=42; cd /usr")
    (pane,) = old.json("tree")["sessions"][0]["windows"][0]["panes"]
    running = start(old, "run", "work", "read answer; echo got $answer; (exit 7)")
    waiting = start(old, "wait", "work", "--until", "got it", "--timeout", "60")
    watching = start(old, "watch", "work", "--json", "--until", "command_finished")
    old.json("wait", "work", "--state", "awaiting_input", "--timeout", "30")
    eventually(lambda: old.json("status")["clients"] == 4)

    note = "the service runs phux 9.9.7, and phux 9.9.8 is installed; run `phux upgrade`"
    assert note in new("status").out
    (check,) = [check for check in json.loads(new("doctor", "--json").out)["checks"] if check["name"] == "versions"]
    assert not check["ok"]
    assert "phux upgrade" in check["remedy"]

    before = new.json("status")
    upgraded = new.json("upgrade")
    assert upgraded == {
        "schema_version": 1,
        "replaced": True,
        "version": "9.9.8",
        "previous_version": "9.9.7",
        "keeper_version": "9.9.7",
    }
    after = new.json("status")
    assert after["service_pid"] != before["service_pid"]
    assert after["keeper_pid"] == before["keeper_pid"]

    new.json("send-keys", "work", "it", "Enter")
    assert running.communicate(timeout=30)[0] == "it\ngot it\n"
    assert running.returncode == 7
    assert waiting.wait(30) == 0
    assert json.loads(watching.communicate(timeout=30)[0].splitlines()[-1])["exit_code"] == 7
    waiting.communicate()
    assert new.json("run", "work", 'echo "$x in $PWD"')["output"] == "42 in /usr"
    assert new.json("tree")["sessions"][0]["windows"][0]["panes"][0]["pid"] == pane["pid"]

    keeper = "the keeper runs phux 9.9.7, which works with the service of 9.9.8"
    assert keeper in new("status").out
    assert keeper in new("doctor").out
    assert "install phux 9.9.8 here" in old("status").out
    assert new("upgrade").out.startswith("the service runs phux 9.9.8 already")
    refused = old("upgrade", "--json")
    assert refused.code == 2
    assert "--force" in refused.error["remedy"]
    assert old.json("upgrade", "--force")["version"] == "9.9.7"  # it ignores the fields of the newer release
    assert old.json("run", "work", "echo $x")["output"] == "42"


def test_a_release_that_cannot_take_over_or_does_not_start_changes_nothing(release):
    old, broken = release("9.9.7"), release("9.9.9")
    old.json("new", "-s", "work", "--", "bash", "--noprofile")
    old.json("run", "work", "x=42")
    failed = broken("upgrade", "--json")
    assert failed.error["error"]["code"] == "start_failed"
    assert versions(old) == ("9.9.7", "9.9.7")
    assert old.json("run", "work", "echo $x")["output"] == "42"

    pid = old.json("status")["service_pid"]
    (site,) = broken.directory.glob("lib/python*/site-packages")
    change(site / "phux_core/keeper/channel.py", ("FORMAT = 1\n", "FORMAT = 2\n"))
    refused = broken("upgrade", "--json")
    assert refused.code == 2
    assert "the keeper stores format 1, and this release reads format 2" in refused.error["error"]["message"]
    assert old.json("status")["service_pid"] == pid


def test_a_release_installed_over_the_old_one_takes_over(release, wheels):
    phux = release("9.9.7")
    phux.json("new", "-s", "work", "--", "bash", "--noprofile")
    phux.json("run", "work", "x=42")
    phux.install(wheels["9.9.8"])
    assert phux.json("upgrade")["version"] == "9.9.8"
    assert phux.json("run", "work", "echo $x")["output"] == "42"
    assert versions(phux) == ("9.9.8", "9.9.7")
    phux("kill", "--server")
    assert phux("upgrade").out == "no server is running; the next one runs phux 9.9.8\n"
    phux.json("new", "-s", "next", "--", "sleep", "1000")
    assert versions(phux) == ("9.9.8", "9.9.8")
    os.kill(phux.json("status")["service_pid"], 9)
    assert versions(phux) == ("9.9.8", "9.9.8")


def test_a_private_server_refuses_an_upgrade(cli):
    cli.json("new", "-s", "work", "--", "sleep", "1000")
    refused = cli("upgrade", "--force", "--json")
    assert refused.code == 2
    assert refused.error["error"]["message"] == "a private server cannot be upgraded"

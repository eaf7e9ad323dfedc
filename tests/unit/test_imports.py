"""Allowed imports, the modules that the CLI loads, the length of modules, and public signatures."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from phux_core import server

ROOT = Path(__file__).parents[2]
SOURCES = {
    "phux_core": ROOT / "phux_core",
    "phux_client": ROOT / "phux_client",
    "phux_cli": ROOT / "cli" / "phux_cli",
    "phux_mcp": ROOT / "mcp_adapter" / "phux_mcp",
}
# The modules of phux_core that other packages may import; all others belong to the server.
CONTRACT = {
    *(
        "shapes",
        "documents",
        "schema",
        "patterns",
        "selector",
        "keys",
        "calls",
        "kinds",
        "conditions",
        "wire",
        "compact_json",
        "lazy",
        "file_calls",
        "files",
        "hosts",
        "paths",
        "peer",
        "printable",
        "procfs",
        "errors",
        "escapes",
        "version",
        "width",
        "width_table",
    ),
    *("layout", "config", "bindings"),
}
# The subpackages and modules of the server, from the lowest layer to the highest.
SERVER = re.findall(r"^(\w+)  +\w", server.__doc__, re.MULTILINE)
LOOPS = {"socket", "asyncio", "anyio", "trio", "selectors", "select"}
HEAVY = {"attr", "attrs", "cattr", "cattrs", "anyio", "asyncio", "typing", "dataclasses", "inspect", "subprocess"}
MAX_LINES = 500


def modules():
    """Return the path of every module of the product by its dotted name."""
    found = {}
    for package, folder in SOURCES.items():
        for path in sorted(folder.rglob("*.py")):
            parts = [package, *path.relative_to(folder).with_suffix("").parts]
            found[".".join(part for part in parts if part != "__init__")] = path
    return found


MODULES = modules()
PACKAGES = {name for name, path in MODULES.items() if path.name == "__init__.py"}


def imports(name, source):
    """List every module that a source imports, including local imports and imports for type checkers."""
    package = name if name in PACKAGES else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([base] if base else [])])
            for alias in node.names:
                whole = f"{base}.{alias.name}"
                # `from phux_core import wire` imports a module; `from phux_core.wire import encode` imports a name.
                yield whole if whole in MODULES or base in {"phux_core", "phux_client"} else base


def part_of_core(module):
    return module.split(".")[1] if "." in module else ""


def part_of_server(module):
    """Return the index of a module's server layer, or None if the module is not in the server."""
    parts = module.split(".")
    return SERVER.index(parts[2]) if parts[:2] == ["phux_core", "server"] and len(parts) > 2 else None


def points_up(name, target):
    """Return True if a module of the server imports a higher layer."""
    own, other = part_of_server(name), part_of_server(target)
    return own is not None and other is not None and other > own


def violations(name, source):
    """List the forbidden imports of a module."""
    package = name.split(".")[0]
    core = part_of_core(name) if package == "phux_core" else None
    wrong = []
    for target in imports(name, source):
        top = target.split(".")[0]
        part = part_of_core(target) if top == "phux_core" else None
        if package == "phux_core":
            bad = top in {"phux_client", "phux_cli", "phux_mcp"}
            bad |= core not in {"server", "keeper", "peer"} and (top in LOOPS or part in {"server", "keeper"})
            bad |= points_up(name, target)
            bad |= core == "keeper" and part in {"server", "engine"}
            bad |= core in CONTRACT and part == "engine"
        elif package == "phux_client":
            bad = top in {"phux_cli", "phux_mcp"} or (part is not None and part not in CONTRACT)
        else:
            bad = top in {"phux_cli", "phux_mcp"} - {package} or (part is not None and part not in CONTRACT)
        if bad:
            wrong.append(target)
    return wrong


def test_modules_import_only_allowed_modules():
    found = {name: violations(name, path.read_text()) for name, path in MODULES.items()}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize(
    ("name", "source", "caught"),
    [
        ("phux_core.wire", "import socket", ["socket"]),
        ("phux_core.wire", "def f():\n    from asyncio import Queue", ["asyncio"]),
        ("phux_core.engine.ghostty.engine", "import anyio.abc", ["anyio.abc"]),
        ("phux_core.shapes", "if TYPE_CHECKING:\n    import phux_client", ["phux_client"]),
        ("phux_core.selector", "from phux_core.server.tree.records import Tree", ["phux_core.server.tree.records"]),
        ("phux_core.selector", "from .server import pane", ["phux_core.server.pane"]),
        ("phux_core.selector", "from . import keeper", ["phux_core.keeper"]),
        ("phux_core.keys", "from phux_core.engine import protocol", ["phux_core.engine.protocol"]),
        ("phux_core.engine.tap", "from phux_core.server import pane", ["phux_core.server.pane"]),
        ("phux_core.keeper.channel", "from phux_core.server.settings import Settings", ["phux_core.server.settings"]),
        ("phux_core.keeper.supervisor", "import phux_core.engine", ["phux_core.engine"]),
        ("phux_core.server.service", "import phux_client.flows", ["phux_client.flows"]),
        ("phux_core.server.tree.records", "from phux_core.server.pane import Pane", ["phux_core.server.pane"]),
        ("phux_core.server.kernel.syscall", "from phux_core.server import shell", ["phux_core.server.shell"]),
        ("phux_core.server.pane_record", "import phux_core.server.pty.intake", ["phux_core.server.pty.intake"]),
        ("phux_core.server.screen.terminal", "from ..tree import diff", ["phux_core.server.tree.diff"]),
        (
            "phux_core.server.push.hub",
            "if TYPE_CHECKING:\n    from phux_core.server.api.dispatch import dispatch",
            ["phux_core.server.api.dispatch"],
        ),
        ("phux_core.server.connection", "from phux_core.server import service", ["phux_core.server.service"]),
        ("phux_client.aio.link", "from phux_core.keeper import listener", ["phux_core.keeper.listener"]),
        ("phux_client.aio.link", "from phux_core import keeper", ["phux_core.keeper"]),
        ("phux_client.aio.link", "from phux_core import engine as e", ["phux_core.engine"]),
        ("phux_client.aio.link", "import phux_cli.main", ["phux_cli.main"]),
        ("phux_client.flows", "from .. import link\nfrom phux_mcp import tools", ["phux_mcp.tools"]),
        ("phux_cli.verbs.ls", "from phux_core.server.tree import launch", ["phux_core.server.tree.launch"]),
        ("phux_cli.verbs.ls", "import phux_mcp", ["phux_mcp"]),
        ("phux_mcp.tools", "from phux_cli.output import box", ["phux_cli.output"]),
        ("phux_mcp.tools", "import phux_core.keeper.children as c", ["phux_core.keeper.children"]),
    ],
)
def test_a_forbidden_import_is_detected(name, source, caught):
    assert violations(name, source) == caught


@pytest.mark.parametrize(
    ("name", "source"),
    [
        (
            "phux_core.server.service",
            "import asyncio, socket\nfrom phux_core import engine\nfrom phux_core.keeper import channel",
        ),
        (
            "phux_core.keeper.listener",
            "import socket\nfrom phux_core import paths\nfrom phux_core.errors import PhuxError",
        ),
        ("phux_core.engine.encoding", "from phux_core.keys import Key"),
        (
            "phux_core.server.api.new_calls",
            "from phux_core.server.tree import launch\nfrom phux_core.server.kernel.foreground import look",
        ),
        (
            "phux_client.aio.link",
            "import anyio\nfrom phux_core import errors, wire\nfrom phux_client.event_buffer import EventBuffer",
        ),
        ("phux_client.flows", "from . import _kinds"),
        (
            "phux_cli.verbs.ls",
            "from phux_client import flows\nfrom phux_core.errors import PhuxError\nfrom phux_cli import usage",
        ),
        ("phux_mcp.tools", "from phux_client.blocking import Phux\nfrom phux_core import schema"),
    ],
)
def test_an_allowed_import_is_accepted(name, source):
    assert violations(name, source) == []


def test_the_order_of_layers_lists_every_part_of_the_server():
    assert {name.split(".")[2] for name in MODULES if name.startswith("phux_core.server.")} == set(SERVER)


def test_modules_of_every_package_are_checked():
    assert {"phux_core.wire", "phux_core.server.tree.records", "phux_client.flows._kinds", "phux_cli.verbs.ls"} <= set(
        MODULES
    )
    assert {"phux_mcp.tools", "phux_core.keeper.__main__", "phux_core", "phux_client"} <= set(MODULES)
    assert "phux_core.errors" in set(imports("phux_core.wire", MODULES["phux_core.wire"].read_text()))


def test_no_module_exceeds_the_maximum_length():
    lengths = {name: len(path.read_text().splitlines()) for name, path in MODULES.items()}
    assert {name: length for name, length in lengths.items() if length > MAX_LINES} == {}


# Modules loaded by the CLI

_REPORT = """
import json, os, sys
before = set(sys.modules)
{code}
print(json.dumps(sorted(set(sys.modules) - before)), file=sys.stderr)
"""


def loaded(code, **env):
    """Run code in a new interpreter, and return the modules that the code loaded."""
    process = subprocess.run(
        [sys.executable, "-P", "-c", _REPORT.format(code=code)],
        capture_output=True,
        text=True,
        env=os.environ | env,
        timeout=30,
    )
    assert process.returncode == 0, process.stderr
    return set(json.loads(process.stderr.splitlines()[-1]))


def heavy(names):
    return {name for name in names if name.split(".")[0] in HEAVY}


def test_phux_ls_loads_no_heavy_modules(socket):
    names = loaded("from phux_cli.main import main\nassert main(['ls', '--json']) == 0", PHUX_SOCKET=socket)
    assert {"phux_cli.verbs.ls", "phux_client.flows", "phux_core.wire"} <= names
    assert heavy(names) == set()


def test_a_failing_phux_ls_loads_no_heavy_modules(tmp_path):
    names = loaded("from phux_cli.main import main\nassert main(['ls']) == 1", PHUX_SOCKET=str(tmp_path / "no" / "s"))
    assert heavy(names) == set()


@pytest.mark.parametrize(
    "verb", sorted(name.removeprefix("phux_cli.verbs.") for name in MODULES if name.startswith("phux_cli.verbs."))
)
def test_importing_a_verb_loads_no_heavy_modules(verb):
    assert heavy(loaded(f"import phux_cli.main, phux_cli.verbs.{verb}")) == set()


def test_importing_the_blocking_client_loads_no_heavy_modules():
    assert heavy(loaded("import phux_client.blocking")) == set()
    assert heavy(loaded("import phux_client\nphux_client.blocking")) == set()


def test_the_mcp_adapter_answers_initialize_and_tools_list_without_loading_attrs_or_anyio():
    code = """
from phux_mcp.links import Links
from phux_mcp.main import load_toolset
from phux_mcp.server import Server
sent = []
server = Server(load_toolset("phux", "mutating"), Links(), sent.append, lambda: False)
for line in (b'"method":"initialize","params":{"protocolVersion":"2025-11-25"}', b'"method":"tools/list"'):
    server.take_line(b'{"jsonrpc":"2.0","id":1,' + line + b"}")
assert len(sent) == 2 and b'"error":' not in sent[0] + sent[1]
"""
    of_asyncio = {"dataclasses", "inspect", "subprocess", "typing"}
    assert {name.split(".")[0] for name in heavy(loaded(code))} <= {"asyncio", *of_asyncio}


def test_loading_heavy_modules_is_detected():
    assert {"attrs", "typing", "inspect"} <= heavy(loaded("import phux_core.shapes.tree"))
    assert "asyncio" in heavy(loaded("import asyncio"))


# Public signatures


def public_annotations(source):
    """List the qualified name and each annotation of every public function and method of a source."""

    def walk(body, place):
        for node in body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield from walk(node.body, f"{place}{node.name}.")
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not (
                node.name.startswith("_") and not node.name.startswith("__")
            ):
                arguments = node.args
                every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
                every += [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
                yield from ((f"{place}{node.name}", one.annotation) for one in every if one.annotation)
                if node.returns:
                    yield f"{place}{node.name}", node.returns

    yield from walk(ast.parse(source).body, "")


def contains_any(annotation):
    for node in ast.walk(annotation):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                if contains_any(ast.parse(node.value, mode="eval")):
                    return True
            except SyntaxError:
                continue
        elif (isinstance(node, ast.Name) and node.id == "Any") or (
            isinstance(node, ast.Attribute) and node.attr == "Any"
        ):
            return True
    return False


def untyped(source):
    return [place for place, annotation in public_annotations(source) if contains_any(annotation)]


@pytest.mark.parametrize("name", [name for name in MODULES if name.split(".")[0] == "phux_client"])
def test_no_public_signature_of_the_library_contains_any(name):
    assert untyped(MODULES[name].read_text()) == []


@pytest.mark.parametrize(
    "source",
    [
        "def f(x: Any) -> int: ...",
        "def f() -> 'dict[str, Any]': ...",
        "async def f(*, x: list[Any] = []) -> int: ...",
        "class C:\n    def m(self, *a: typing.Any) -> int: ...",
        "class C:\n    def __init__(self, **a: Any) -> None: ...",
        "class C:\n    async def m(self) -> 'Sequence[\"Any\"]': ...",
    ],
)
def test_any_in_a_public_signature_is_detected(source):
    assert untyped(source)


def test_private_signatures_may_contain_any():
    assert untyped("def _f(x: Any): ...\nclass _C:\n    def m(self, x: Any): ...\ndef g(x: Anything): ...") == []

"""The script that generates the blocking client from the async client."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "tools" / "generate_blocking.py"


@pytest.fixture
def script():
    spec = importlib.util.spec_from_file_location("generate_blocking", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("async def f(): ...", "def f(): ..."),
        ("x = await self.drive(flow)", "x = self.drive(flow)"),
        ("return (await pane.snapshot()).seq", "return pane.snapshot().seq"),
        ("return int((await drive(kill(a)))['killed'])", "return int(drive(kill(a))['killed'])"),
        ("load(kind, await drive(flow))", "load(kind, drive(flow))"),
        ("f(await g())", "f(g())"),
        ("(await (await pane.follow()).next(t=1)).text", "pane.follow().next(t=1).text"),
        ("(await run('echo )(')).output", "run('echo )(').output"),
        ("x = (await a(), await b())", "x = (a(), b())"),
        ("[e async for e in events]", "[e for e in events]"),
        ("async with a() as b:", "with a() as b:"),
        ("raise StopAsyncIteration", "raise StopIteration"),
        ("from phux_client.aio.link import Link", "from phux_client.blocking.link import Link"),
        ("state is ``awaiting_input``", "state is ``awaiting_input``"),
    ],
)
def test_async_source_is_translated_to_blocking_source(script, source, expected):
    assert script.translate(f"{source}\n") == f"{expected}\n"


def test_the_check_fails_for_missing_changed_and_obsolete_files(script, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(script, "TARGET", tmp_path)
    assert script.main(["--check"]) == 1
    assert script.main([]) == 0
    assert script.main(["--check"]) == 0
    with (tmp_path / "link.py").open("a") as file:
        file.write("# changed\n")
    (tmp_path / "old.py").write_text("")
    capsys.readouterr()
    assert script.main(["--check"]) == 1
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [
        "phux_client/blocking/link.py",
        "phux_client/blocking/old.py",
    ]
    assert script.main([]) == 0
    assert script.main(["--check"]) == 0

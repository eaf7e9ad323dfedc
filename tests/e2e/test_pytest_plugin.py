"""phux's pytest plugin, in pytest runs of their own, and what its expectations say when they fail."""

from __future__ import annotations

import json
import os
import re

import pytest

from phux_client import BadRequestError, ExpectationError, RefusedError, expect, snapshots

pytest_plugins = ["pytester"]

ASYNC = """
import pytest
from phux_client import expect
{mark}
async def test_async(apane, aphux):
    await apane.run("echo hello")
    await expect(apane).to_show("hello")
    assert (await aphux.status()).sessions == 1
"""


@pytest.fixture
def run(pytester, monkeypatch):
    """Run pytest on a file of tests, in a process of its own."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    def run(source, *flags):
        pytester.makepyfile(test_them=source)
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:xdist", *flags)

    return run


def test_tests_get_fresh_panes_of_one_server(run):
    result = run(
        """
        import pytest
        from phux_client import expect
        def test_shell(pane):
            assert pane.run("echo $((6 * 7)); false").exit_code == 1
            expect(pane).to_show("42")
            expect(pane).to_be("prompt")
            test_shell.pid = pane.id
        def test_fresh(pane, phux):
            expect(pane).not_to_show("42")
            assert pane.id != test_shell.pid
            assert [session.pane.id for session in phux.sessions()] == [pane.id]
        @pytest.mark.phux(size=(50, 10), env={"WORD": "set"})
        class TestMarked:
            def test_inherited(self, pane):
                assert pane.run("echo $WORD; stty size").output == "set\\n10 50"
            @pytest.mark.phux(size=(60, 10))
            def test_closest_wins(self, pane):
                assert pane.run("echo $WORD; stty size").output == "set\\n10 60"
        @pytest.mark.phux(command=["sh", "-c", "read line; exit 3"])
        def test_exit(pane):
            pane.send_keys("Enter")
            expect(pane).to_exit(3)
        def test_killed(pane):
            pane.kill()
        """
    )
    result.assert_outcomes(passed=6)


@pytest.mark.parametrize(
    ("mark", "flags", "passed"),
    [
        ("@pytest.mark.anyio", [], 2),  # asyncio and trio
        ("@pytest.mark.asyncio", ["-W", "ignore::pytest.PytestDeprecationWarning"], 1),
    ],
)
def test_async_tests_run_under_anyio_and_pytest_asyncio(run, mark, flags, passed):
    run(ASYNC.format(mark=mark), *flags).assert_outcomes(passed=passed)


def test_a_failure_shows_the_screen_the_expectation_and_the_nearest_line(run):
    result = run(
        """
        from phux_client import expect
        def test_it(pane):
            pane.run("clear; echo All changes saved")
            expect(pane, timeout_s=0).to_show("All changes sawed")
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*expected @1 to show 'All changes sawed' within 0 s",
            "*the nearest line is row 0: 'All changes saved'",
            "*its state is 'prompt', sh is in the foreground",
            "*|All changes saved *|",
        ]
    )
    assert "flow.send" not in result.stdout.str()


def test_a_failed_test_leaves_a_recording_a_picture_and_the_log(run, pytester):
    source = """
        import pytest
        @pytest.mark.parametrize("name", ["a/b c"])
        def test_fails(pane, name):
            pane.run("echo recorded")
            assert not name
        def test_passes(pane):
            pass
        """
    result = run(source, "--phux-artifacts=left/behind")
    result.assert_outcomes(failed=1, passed=1)
    directory = pytester.path / "left" / "behind"
    names = sorted(os.listdir(directory))
    assert names == [f"test_them-test_fails_a_b_c.{kind}" for kind in ("html", "log", "svg")]
    result.stdout.fnmatch_lines([f"left/behind/{name}" for name in (names[0], names[2], names[1])])
    assert (directory / names[0]).read_text().startswith("<!doctype html>")
    assert "recorded" in (directory / names[1]).read_text()
    assert "recorded" in re.sub(r"<[^>]+>", "", (directory / names[2]).read_text()).replace("\xa0", " ")


def test_snapshots_are_written_compared_and_sized(run, pytester):
    source = """
        import pytest
        from phux_client import expect
        @pytest.mark.phux(size=SIZE)
        def test_menu(pane):
            pane.run("clear; printf '\\\\033[COLORm%s\\\\033[m\\\\n' WORD")
            expect(pane, timeout_s=0.2).to_match_snapshot()
            expect(pane, timeout_s=0.2).to_match_snapshot("colors", format="svg")
        """

    def outcome(word="one", size="(40, 8)", color="31", *flags):
        result = run(source.replace("WORD", word).replace("SIZE", size).replace("COLOR", color), *flags)
        return result.parseoutcomes(), result.stdout.str()

    counts, text = outcome()
    assert counts == {"failed": 1}
    assert "there is no snapshot" in text
    assert "--phux-update" in text
    assert outcome("one", "(40, 8)", "31", "--phux-update")[0] == {"passed": 1}
    directory = pytester.path / "__snapshots__" / "test_them"
    assert (directory / "test_menu.txt").read_text().startswith("40x8\none\n")
    assert (directory / "colors.svg").exists()
    assert outcome()[0] == {"passed": 1}
    counts, text = outcome("two")
    assert counts == {"failed": 1}
    assert "-one" in text
    assert "+two" in text
    counts, text = outcome(size="(50, 8)")
    assert "a screen of another size (40x8, and this one has 50x8)" in text
    counts, text = outcome(color="32")
    assert counts == {"failed": 1}
    assert "colors.svg" in text


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "@pytest.mark.phux(command=['/no/such'])\ndef test_it(pane): pass",
            "the pane could not be created: the command '/no/such' cannot be executed: it does not exist",
        ),
        ("@pytest.mark.phux(colour=1)\ndef test_it(pane): pass", "the marker phux has no option 'colour': use size,"),
        ("@pytest.mark.phux(80, 24)\ndef test_it(pane): pass", "the marker phux has only named options"),
        ("@pytest.mark.phux(size='80x24')\ndef test_it(pane): pass", "give two numbers, such as (80, 24)"),
        (
            "@pytest.fixture\ndef phux(): return 'mine'\ndef test_it(pane): pass",
            "another fixture named 'phux' replaces phux's own and returned 'mine'",
        ),
    ],
)
def test_wrong_markers_and_fixtures_get_clear_errors(run, source, message):
    result = run(f"import pytest\n{source}\n")
    assert result.parseoutcomes() == {"errors": 1}
    assert message in result.stdout.str()


def test_expectations_need_no_plugin_and_say_what_they_need(phux, tmp_path, monkeypatch):
    session = phux.new_session(shell="sh", size=(40, 8))
    pane = session.pane
    pane.run(r"clear; printf '\033]2;my title\007'; echo shown")
    (tmp_path / "stored.txt").write_text("40x8\nshown\n$\n")
    expect(pane).to_match_snapshot(str(tmp_path / "stored.txt"))
    expect(pane).to_have_title(re.compile("^my"))
    for fails in (
        lambda: expect(pane, timeout_s=0).to_have_title("yours"),
        lambda: expect(pane, timeout_s=0).not_to_show("shown"),
        lambda: expect(pane, timeout_s=0.1).to_be("fullscreen"),
        lambda: expect(pane, timeout_s=0.1).to_exit(0),
    ):
        with pytest.raises(ExpectationError) as caught:
            fails()
        assert isinstance(caught.value, AssertionError)
        assert caught.value.screen.lines[0] == "shown"
    monkeypatch.setattr(snapshots.running, "test", None)
    with pytest.raises(BadRequestError, match="the snapshot has no directory"):
        expect(pane).to_match_snapshot()
    with pytest.raises(RefusedError, match="there is no snapshot"):
        expect(pane).to_match_snapshot(str(tmp_path / "none.txt"))
    with pytest.raises(BadRequestError, match="expect got <Session"):
        expect(session)
    with pytest.raises(BadRequestError, match="no state"):
        expect(pane).to_be("ready")
    pane.send_keys("exit 4", "Enter")
    expect(pane).to_exit(4)
    with pytest.raises(ExpectationError, match=r"its program has ended \(exit status 4\)"):
        expect(pane, timeout_s=30).to_show("later")  # a program that has ended shows nothing new
    session.kill()


def test_an_unused_plugin_imports_no_client(pytester, monkeypatch):
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    pytester.makepyfile(
        """
        import json, sys
        def test_it():
            print("loaded:", json.dumps([name for name in sys.modules if name.split(".")[0] in {"phux_core", "attrs"}]))
        """
    )
    result = pytester.runpytest_subprocess("-s", "-p", "no:cacheprovider", "-p", "no:hypothesispytest")
    (line,) = [line for line in result.outlines if "loaded: " in line]
    loaded = json.loads(line.partition("loaded: ")[2])
    # The package of the plugin is phux_client, which imports everything late.
    assert {name for name in loaded if name.startswith("phux_core")} <= {"phux_core", "phux_core.lazy"}

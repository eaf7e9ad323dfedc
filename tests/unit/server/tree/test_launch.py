"""The size, directory, environment and command of a new pane."""

from __future__ import annotations

import pytest

from phux_core.engine.protocol import MAX_SIZE
from phux_core.errors import BadCwdError, BadSizeError, CannotExecuteError
from phux_core.server.tree import launch


@pytest.mark.parametrize("size", [(1, 1), (80, 24), (MAX_SIZE, MAX_SIZE)])
def test_a_valid_size_is_accepted(size):
    assert launch.check_size(*size) == size


@pytest.mark.parametrize("size", [(0, 24), (80, 0), (-1, 24), (80, -5), (MAX_SIZE + 1, 24), (80, 100_000), (2**70, 1)])
def test_the_error_for_an_invalid_size_names_the_size(size):
    with pytest.raises(BadSizeError) as caught:
        launch.check_size(*size)
    assert str(size[0]) in caught.value.message
    assert str(size[1]) in caught.value.message


def test_the_remedy_of_a_bad_size_names_the_limits():
    assert f"from 1 to {MAX_SIZE}" in BadSizeError("x").remedy


def test_an_existing_directory_is_accepted(tmp_path):
    assert launch.check_cwd(str(tmp_path)) == str(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path)
    assert launch.check_cwd(str(tmp_path / "link")) == str(tmp_path / "link")


def test_the_error_for_an_unusable_directory_gives_the_reason(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    (tmp_path / "dangling").symlink_to("nowhere")
    for cwd, why in [
        (str(tmp_path / "missing"), "does not exist"),
        (str(tmp_path / "file"), "not a directory"),
        (str(tmp_path / "dangling"), "not a directory"),
        ("relative", "absolute"),
        ("", "absolute"),
    ]:
        with pytest.raises(BadCwdError, match=why):
            launch.check_cwd(cwd)
    monkeypatch.setattr(launch.os, "access", lambda *_: False)  # because root may enter every directory
    with pytest.raises(BadCwdError, match="may not be entered"):
        launch.check_cwd(str(tmp_path))


def environment(base, extra=None, cwd="/"):
    return launch.build_environment(base, extra or {}, cwd=cwd, socket="/s", pane=7)


def test_the_environment_has_the_variables_of_the_caller_the_terminal_and_the_pane():
    assert environment({"HOME": "/h", "TERM": "dumb"}) == {
        "HOME": "/h",
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "PWD": "/",
        "PHUX_SOCKET": "/s",
        "PHUX_PANE": "@7",
    }


def test_extra_variables_override_those_of_the_terminal_but_not_of_the_pane():
    made = environment({"A": "1"}, {"A": "2", "TERM": "vt100", "PHUX_PANE": "@1", "PHUX_SOCKET": "/other"})
    assert (made["A"], made["TERM"], made["PHUX_PANE"], made["PHUX_SOCKET"]) == ("2", "vt100", "@7", "/s")


def test_pwd_is_the_start_directory_as_the_caller_spells_the_path(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    link, real = str(tmp_path / "link"), str(tmp_path / "real")
    assert environment({"PWD": link, "OLDPWD": "/usr"}, cwd=real) == environment({}, cwd=real) | {
        "PWD": link,
        "OLDPWD": "/usr",
    }
    for elsewhere in ("/", "real", str(tmp_path / "gone"), "a\0b", ""):
        made = environment({"PWD": elsewhere, "OLDPWD": "/usr"}, cwd=real)
        assert made["PWD"] == real
        assert "OLDPWD" not in made
    assert environment({"PWD": "/"}, {"PWD": "/asked"}, cwd=real)["PWD"] == "/asked"


def test_variables_of_the_callers_terminal_are_removed():
    inherited = dict.fromkeys(("COLUMNS", "LINES", "TERMCAP", "TMUX", "TMUX_PANE", "STY", "WINDOW"), "x")
    assert not inherited.keys() & environment(inherited).keys()
    assert environment(inherited, {"COLUMNS": "9"})["COLUMNS"] == "9"


def test_the_callers_environment_is_not_changed():
    base, extra = {"COLUMNS": "1"}, {"A": "b"}
    environment(base, extra)
    assert (base, extra) == ({"COLUMNS": "1"}, {"A": "b"})


@pytest.fixture
def tools(tmp_path):
    """Create directories with programs; the first also has a file that is not executable and a subdirectory."""
    for place in ("one", "two"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "tool").write_text("#!/bin/sh\n")
        (tmp_path / place / "tool").chmod(0o755)
    (tmp_path / "one" / "plain").write_text("")
    (tmp_path / "one" / "plain").chmod(0o644)
    (tmp_path / "two" / "plain").write_text("#!/bin/sh\n")
    (tmp_path / "two" / "plain").chmod(0o755)
    (tmp_path / "one" / "folder").mkdir()
    return tmp_path


def resolve(tools, command, path=None, **env):
    env["PATH"] = f"{tools}/one:{tools}/two" if path is None else path
    return launch.resolve_command(command, env, str(tools / "one"))


def test_path_is_searched_in_order(tools):
    assert resolve(tools, ["tool", "-x", ""]) == [f"{tools}/one/tool", "-x", ""]
    assert resolve(tools, ["tool"], f"{tools}/two:{tools}/one") == [f"{tools}/two/tool"]


def test_files_that_are_not_executable_are_skipped(tools):
    assert resolve(tools, ["plain"]) == [f"{tools}/two/plain"]


def test_a_relative_path_is_resolved_from_the_working_directory(tools):
    assert resolve(tools, ["./tool"]) == [f"{tools}/one/./tool"]
    assert resolve(tools, ["../two/tool"]) == [f"{tools}/one/../two/tool"]
    assert resolve(tools, [f"{tools}/two/tool"]) == [f"{tools}/two/tool"]


def test_empty_and_relative_entries_of_path_are_resolved_from_the_working_directory(tools):
    assert resolve(tools, ["tool"], ":/nowhere") == [f"{tools}/one/tool"]
    assert resolve(tools, ["tool"], "../two") == [f"{tools}/one/../two/tool"]


def test_without_a_command_the_callers_shell_is_started(tools):
    assert resolve(tools, None, SHELL=f"{tools}/two/tool") == [f"{tools}/two/tool"]
    assert resolve(tools, [], SHELL="tool") == [f"{tools}/one/tool"]


@pytest.mark.parametrize("env", [{}, {"SHELL": ""}])
def test_bin_sh_is_started_if_shell_is_not_set(env, tmp_path):
    assert launch.resolve_command(None, env, str(tmp_path)) == ["/bin/sh"]


def test_without_path_the_default_path_is_searched(tmp_path):
    for env in ({}, {"PATH": ""}):
        assert launch.resolve_command(["sh"], env, str(tmp_path))[0].endswith("/bin/sh")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nope", "not in PATH"),
        ("folder", "not in PATH"),
        (".", "not in PATH"),
        ("./nope", "does not exist"),
        ("./plain", "not an executable file"),
        ("./folder", "not an executable file"),
        ("/", "not an executable file"),
        ("/no/such/thing", "does not exist"),
    ],
)
def test_the_error_for_a_command_that_cannot_be_executed_gives_the_reason(tools, name, why):
    with pytest.raises(CannotExecuteError, match=why) as caught:
        resolve(tools, [name, "argument"])
    assert repr(name) in caught.value.message


def test_a_missing_shell_is_named_in_the_error():
    with pytest.raises(CannotExecuteError, match="/no/shell"):
        launch.resolve_command(None, {"SHELL": "/no/shell"}, "/")

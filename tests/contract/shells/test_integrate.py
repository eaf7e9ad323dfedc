"""Integration changes the arguments and the environment of interactive shells, and of no other programs."""

import os

import pytest

from phux_core import shells
from phux_core.shells import integrate


@pytest.mark.parametrize(
    "program",
    ["/bin/bash", "/usr/local/bin/zsh", "/opt/fish/bin/fish", "/bin/sh", "/bin/dash", "/bin/ksh93", "/bin/mksh"],
)
@pytest.mark.parametrize("arguments", [[], ["-i"], ["-l"], ["--login"], ["-il"], ["-i", "-l"]])
def test_an_interactive_shell_is_integrated(program, arguments):
    argv, env = integrate([program, *arguments], {})
    assert argv[0] == program
    assert set(arguments) <= set(argv)
    assert env["PHUX_NONCE_FD"] == "9"


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["/usr/bin/python3"],
        ["/bin/sh", "script.sh"],
        ["/bin/dash", "-c", "true"],
        ["/bin/busybox", "vi"],
        ["/bin/busybox"],
        ["/bin/bash", "script.sh"],
        ["/bin/bash", "-c", "true"],
        ["/bin/bash", "-lc", "true"],
        ["/bin/bash", "--norc"],
        ["/bin/bash", "--noprofile", "-l"],
        ["/bin/bash", "--rcfile", "mine"],
        ["/bin/bash", "--posix"],
        ["/bin/bash", "-s"],
        ["/bin/bash", "-"],
        ["/bin/bash", ""],
        ["/bin/bash", "--interactive"],
        ["/bin/zsh", "-f"],
        ["/bin/zsh", "-ic", "true"],
        ["/bin/zsh", "--no-rcs"],
        ["/usr/bin/fish", "--no-config"],
        ["/usr/bin/fish", "-N"],
        ["/usr/bin/fish", "-C", "true"],
    ],
)
def test_other_programs_and_shells_with_conflicting_options_are_not_integrated(argv):
    assert integrate(argv, {}) is None


def test_bash_with_posixly_correct_is_not_integrated():
    assert integrate(["/bin/bash"], {"POSIXLY_CORRECT": "y"}) is None


@pytest.mark.parametrize(
    ("text", "integrated"),
    [("ZDOTDIR=/x\n", False), (": ${ZDOTDIR:=$HOME/x}\n", False), ("# ZDOTDIR\n\nPATH=/bin\n", True)],
)
def test_zsh_is_not_integrated_if_the_system_zshenv_sets_zdotdir(tmp_path, monkeypatch, text, integrated):
    (tmp_path / "zshenv").write_text(text)
    monkeypatch.setattr(shells, "_ZSHENV", (str(tmp_path / "zshenv"), str(tmp_path / "missing")))
    assert (integrate(["/bin/zsh"], {}) is not None) == integrated


def test_the_scripts_are_beside_the_module(scripts):
    argv, _ = integrate(["/bin/bash"], {})
    assert os.path.isfile(argv[argv.index("--rcfile") + 1])
    assert (scripts / "zsh/.zshenv").is_file()
    assert (scripts / "fish/phux.fish").is_file()


def test_the_list_of_arguments_is_not_changed_in_place():
    argv = ["/bin/zsh", "-l"]
    started, _ = integrate(argv, {})
    assert argv == ["/bin/zsh", "-l"]
    assert started is not argv

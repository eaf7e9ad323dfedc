"""The command line: flags in any position, help, usage errors, and no server started because of an error."""

from __future__ import annotations

import argparse
import json
import os
import shutil

import pytest

from phux_cli import main as cli
from phux_cli.tmux_forms import verb_form
from phux_cli.usage import UsageError, add_params, build_parser, number_of
from phux_cli.verbs import VERBS
from phux_cli.verbs import new as new_verb
from phux_core import shells
from phux_core.calls import CALLS
from phux_core.engine import ENGINES
from phux_core.errors import BadSizeError
from phux_core.kinds import whole
from validation import validate


def parse(name, *words):
    return cli.parse(name, cli.load_verb(name), list(words))


@pytest.fixture
def socket_directory(tmp_path, monkeypatch):
    """Use an empty socket directory, and fail the test if a server is started."""
    directory = tmp_path / "run"
    directory.mkdir(mode=0o700)
    monkeypatch.setenv("PHUX_SOCKET", str(directory / "phux.sock"))

    def refuse(*_args, **_options):
        pytest.fail("a server was about to be started")

    monkeypatch.setattr("phux_client.starting.start_server", refuse)
    return directory


def run(capsys, *words):
    """Run a command line, and return its exit code, stdout and stderr."""
    code = cli.main(list(words))
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@pytest.mark.parametrize("name", VERBS)
def test_every_verb_has_help_with_its_examples(name):
    module = cli.load_verb(name)
    text = build_parser(name, module).format_help()
    assert text.startswith(f"usage: phux {name}")
    assert module.EXAMPLES
    for example in module.EXAMPLES:
        assert example in text
    assert callable(module.run)


@pytest.mark.parametrize("name", VERBS)
def test_every_verb_refuses_an_unknown_flag_and_shows_its_usage(name):
    with pytest.raises(UsageError) as caught:
        parse(name, "--no-such-flag")
    assert f"phux {name} " in caught.value.remedy
    assert f"usage: phux {name}" in caught.value.remedy
    assert (caught.value.code, caught.value.exit_code) == ("usage", 2)


@pytest.mark.parametrize("name", VERBS)
def test_abbreviated_flags_are_refused(name):
    with pytest.raises(UsageError):
        parse(name, "--sock", "x") if name != "schema" else parse(name, "--js")


def test_flags_may_come_before_between_and_after_arguments():
    for words in (
        ("--json", "work", "ls", "Enter"),
        ("work", "--json", "ls", "Enter"),
        ("work", "ls", "--json", "Enter"),
        ("work", "ls", "Enter", "--json"),
    ):
        options = parse("send-keys", *words)
        assert (options.target, options.keys, options.json) == ("work", ["ls", "Enter"], True)
    for words in (("work", "--json", "text"), ("--json", "work", "text"), ("work", "text", "--json")):
        assert parse("paste", *words).text == "text"
    assert parse("snapshot", "work", "--json").target == parse("snapshot", "--json", "work").target == "work"


def test_words_after_two_dashes_are_not_parsed_as_flags():
    options = parse("send-keys", "work", "--", "--json", "-l", "--")
    assert (options.target, options.json, options.rest) == ("work", False, ["--json", "-l", "--"])
    assert parse("new", "-s", "x", "--", "ls", "--help").rest == ["ls", "--help"]


@pytest.mark.parametrize(
    ("words", "scrollback", "target"),
    [
        (["--scrollback"], 0, None),
        (["--scrollback", "work"], 0, "work"),
        (["work", "--scrollback"], 0, "work"),
        (["--scrollback", "200"], 200, None),
        (["--scrollback", "200", "work"], 200, "work"),
        (["--scrollback=5", "work"], 5, "work"),
        (["--scrollback=0"], 0, None),
        (["--scrollback", "--json", "work"], 0, "work"),
        (["work"], None, "work"),
        ([], None, None),
    ],
)
def test_scrollback_accepts_an_optional_number_and_never_consumes_the_target(words, scrollback, target):
    options = parse("snapshot", *words)
    assert (options.scrollback, options.target) == (scrollback, target)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("snapshot", ["--scrollback=-1"]),
        ("snapshot", ["--scrollback=x"]),
        ("snapshot", ["--scrollback", "-5"]),
        ("snapshot", ["a", "b"]),
        ("wait", ["--idle", "-1"]),
        ("wait", ["--idle", "soon"]),
        ("wait", ["--timeout", "-1"]),
        ("wait", ["--timeout", "nan"]),
        ("wait", ["--timeout", "inf"]),
        ("wait", ["--timeout"]),
        ("server", ["--exit-after-idle", "0"]),
        ("server", ["--engine", "xterm"]),
        ("ls", ["work"]),
        ("send-keys", []),
        ("paste", ["a", "b", "c"]),
    ],
)
def test_invalid_arguments_are_refused(name, words):
    with pytest.raises(UsageError):
        parse(name, *words)


def test_number_of_accepts_only_the_range_of_its_kind():
    assert number_of(whole(1))("1") == 1
    for text in ("1.5", "x", "", "2"):
        with pytest.raises(argparse.ArgumentTypeError, match=f"'{text}' is not a whole number from 3 to 9"):
            number_of(whole(3, 9))(text)


def test_flags_have_the_types_and_descriptions_of_the_registry():
    parser = argparse.ArgumentParser(prog="verb")
    params = CALLS["new_session"].params | CALLS["search"].params
    add_params(parser, params, "-s --name NAME", "--login", "--no-log", "--context N", "--max-matches N")
    text = " ".join(parser.format_help().split())
    assert "--name NAME the session's name; the smallest free number when omitted" in text
    assert "--no-log do not log the output of the session's panes to disk" in text
    assert "--max-matches N maximum matches to return; 1000 when omitted" in text
    defaults = parser.parse_args([])
    assert (defaults.name, defaults.login, defaults.log, defaults.context, defaults.max_matches) == (
        None,
        False,
        None,
        0,
        1000,
    )
    given = parser.parse_args(["-s", "x", "--login", "--no-log", "--context", "7"])
    assert (given.name, given.login, given.log, given.context) == ("x", True, False, 7)


@pytest.mark.parametrize("words", [("wait",), ("snapshot",), ("act", "work", "x"), ("logs",)])
def test_since_accepts_only_values_below_2_to_the_53(words):
    assert parse(*words, "--since", str(2**53 - 1)).since == 2**53 - 1
    with pytest.raises(UsageError, match=r"is not a whole number from 0 to 2\^53 - 1"):
        parse(*words, "--since", str(2**53))


@pytest.mark.parametrize(("text", "size"), [("80x24", (80, 24)), ("80X24", (80, 24)), ("0x0", (0, 0)), ("1x1", (1, 1))])
def test_a_size_is_parsed_as_columns_and_rows(text, size):
    assert new_verb.parse_size(text) == size


@pytest.mark.parametrize(
    "text",
    ["", "x", "80", "80x", "x24", "80x24x2", "80 x 24", "8ox24", "80x²", "80*24", "1.5x2"],
)
def test_a_malformed_size_is_quoted_in_the_error(text):
    with pytest.raises(UsageError) as caught:
        new_verb.parse_size(text)
    assert repr(text) in caught.value.message


def test_a_size_out_of_range_raises_bad_size():
    with pytest.raises(BadSizeError):
        new_verb.parse_size("9" * 30 + "x1")
    with pytest.raises(BadSizeError):
        new_verb.parse_size("-1x24")


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("snapshto",), "did you mean 'snapshot'? "),
        (("run", "--timout=5", "w", "true"), "did you mean '--timeout'? "),
        (("wait", "w", "--untill", "x"), "did you mean '--until'? "),
        (("new", "ls", "-la"), "put arguments that are not flags of phux after `--`; "),
        (("zzzz",), ""),
    ],
)
def test_a_mistyped_verb_or_flag_suggests_the_right_one(capsys, socket_directory, words, hint):
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    assert err.splitlines()[1].startswith(f"phux: {hint or '`phux --help` lists the verbs'}")


@pytest.mark.parametrize(
    ("words", "form"),
    [
        ("a", "attach"),
        ("attach -t work", "attach work"),
        ("attach-session -t work", "attach work"),
        ("new-session -d -s work -x 100 -y 30", "new -d -s work --size=100x30"),
        ("new-session -A -s work", "new -A -s work"),
        ("list-sessions", "ls"),
        ("has-session -t work", "tree work"),
        ("kill-session -t work", "kill work"),
        ("kill-server", "kill --server"),
        ("send-keys -t work:0.1 ls Enter", "send-keys work:0.1 ls Enter"),
        ("send-keys -l -t work -- -t", "send-keys work -l -- -t"),
        ("capture-pane -p -t work", "snapshot work"),
        ("capture-pane -e -p -S -100 -t work", "snapshot work --format=ansi --scrollback=100"),
        ("capture-pane -pt", "snapshot -pt"),
        ("split-window -h -t work", "split work --right"),
        ("split-window -v -l 30% -t work -- top", "split work --down --size 30% -- top"),
        ("resize-pane -t work -x 30", "resize work --width 30"),
        ("select-layout -t work tiled", "layout work tiled"),
        ("resize-pane -Z -t work", "zoom work"),
        ("split-window -h", "split . --right"),
        ("splitw -t work -l 5 -- top", "split work --size 5 --down -- top"),
        ("join-pane -s work:1 -t work:0", "move work:1 work:0 --down"),
        ("select-layout tiled", "layout . tiled"),
        ("select-layout work tiled", "layout work tiled"),
        ("split-window work", "split work --down"),
        ("move-window -s work:0 -t work:5", "move work:0 work:5"),
        ("rename-session -t work play", "rename work play"),
        ("ls", "ls"),
    ],
)
def test_command_lines_of_tmux_become_those_of_phux(words, form):
    name, *rest = words.split()
    verb, arguments = verb_form(name, rest)
    assert " ".join([verb, *arguments]) == form


@pytest.mark.parametrize("name", ["display-message", "bind-key", "pipe-pane", "wait-for", "set-option"])
def test_a_command_of_tmux_that_phux_lacks_says_what_to_use_instead(capsys, name):
    code, _out, err = run(capsys, name, "-t", "work")
    assert code == 2
    assert err.splitlines()[0] == f"phux: there is no verb {name!r}"
    assert err.splitlines()[1].startswith(("phux: use `phux ", "phux: set it in the config file"))


def test_json_and_socket_may_come_before_the_verb(capsys, socket_directory):
    path = str(socket_directory / "other.sock")
    for words in (("--socket", path, "--json", "ls"), (f"--socket={path}", "--json", "list-sessions")):
        code, out, err = run(capsys, *words)
        assert (code, out) == (1, "")
        assert json.loads(err)["error"]["message"] == f"no server is running on {path}"


def test_capabilities_list_the_parts_of_this_installation(capsys):
    for words in (("--capabilities", "--json"), ("--json", "--capabilities")):
        code, out, err = run(capsys, *words)
        assert (code, err) == (0, "")
        document = json.loads(out)
        validate("capabilities", document)
    assert [verb["name"] for verb in document["verbs"]] == list(VERBS)
    assert {"capabilities.v1", "tree.v1"} < set(document["schemas"])
    assert "pyte" in document["engines"]
    assert set(document["engines"]) <= set(ENGINES)
    assert set(document["shells"]) == set(shells._SHELLS)
    assert "states: prompt, running, " in run(capsys, "--capabilities")[1]


def test_without_a_verb_help_is_printed_and_the_exit_code_is_2(capsys):
    code, out, _err = run(capsys)
    assert code == 2
    assert all(f"  {name} " in out for name in VERBS)
    for word in ("--help", "-h", "help"):
        assert run(capsys, word)[:2] == (0, out)


@pytest.mark.parametrize("name", VERBS)
def test_help_with_a_verb_prints_the_help_of_that_verb(capsys, name):
    texts = []
    for words in ((name, "--help"), ("help", name)):
        with pytest.raises(SystemExit, match=r"^0$"):
            cli.main(list(words))
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]
    assert texts[0].startswith(f"usage: phux {name} ")


def test_help_with_an_unknown_verb_exits_with_2(capsys):
    assert run(capsys, "help", "help")[0] == 0
    code, out, err = run(capsys, "help", "lss")
    assert (code, out) == (2, "")
    assert "'lss'" in err


def test_the_version_flags_print_the_version(capsys):
    from phux_core.version import __version__

    for word in ("--version", "-V"):
        assert run(capsys, word) == (0, f"phux {__version__}\n", "")


def test_an_unknown_verb_is_named_in_the_error_and_exits_with_2(capsys):
    code, out, err = run(capsys, "lss")
    assert (code, out) == (2, "")
    assert "'lss'" in err
    assert "did you mean 'ls'? `phux --help` lists the verbs" in err


def test_with_json_an_error_is_printed_as_a_document_on_stderr(capsys, socket_directory):
    for words, code, kind in [
        (("lss", "--json"), 2, "usage"),
        (("ls", "--json", "extra"), 2, "usage"),
        (("ls", "--json"), 1, "no_server"),
        (("snapshot", "--json", "work:"), 1, "bad_selector"),
        (("kill", "--json"), 2, "usage"),
        (("schema", "nope", "--json"), 2, "usage"),
    ]:
        exit_code, out, err = run(capsys, *words)
        assert (exit_code, out) == (code, "")
        document = json.loads(err.splitlines()[-1])
        validate("error", document)
        assert (document["error"]["code"], document["exit_code"]) == (kind, code)


def test_json_after_two_dashes_does_not_select_json_errors(capsys, socket_directory):
    code, _out, err = run(capsys, "send-keys", "work", "--", "--json")
    assert code == 1
    assert err.startswith("phux: no server is running")


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (("-s", "a:b"), "bad_name"),
        (("-s", ""), "bad_name"),
        (("--size", "big"), "usage"),
        (("--size", "80"), "usage"),
        (("--size", "80x"), "usage"),
        (("--size", "8٠x24"), "usage"),
        (("--size", "80x" + "9" * 30), "bad_size"),
        (("-e", "NOVALUE"), "usage"),
        (("--nope",), "usage"),
    ],
)
def test_new_with_invalid_arguments_starts_no_server(capsys, socket_directory, words, kind):
    _code, _out, err = run(capsys, "new", "--json", *words)
    assert json.loads(err.splitlines()[-1])["error"]["code"] == kind
    assert os.listdir(socket_directory) == []


@pytest.mark.parametrize("words", [("ls",), ("status",), ("kill", "x"), ("snapshot",), ("send-keys", "x", "a")])
def test_verbs_report_that_no_server_is_running_and_start_none(capsys, socket_directory, words):
    code, out, err = run(capsys, *words)
    assert (code, out) == (1, "")
    assert "no server is running" in err
    assert "phux new" in err
    assert os.listdir(socket_directory) == []


def test_verbs_work_in_a_deleted_working_directory(capsys, socket_directory, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    shutil.rmtree(gone)
    code, _out, err = run(capsys, "ls")
    assert code == 1
    assert "no server is running" in err

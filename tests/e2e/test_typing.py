"""The bytes that reach a program for keys, text and pastes."""

from __future__ import annotations

import shutil
import sys
import threading
import time

import pytest

import phux_client
from phux_client import blocking
from phux_core.keys import KEY_NAMES
from servers import Cli, embedded_server, eventually

# Sets raw mode, writes the given modes, and copies its input to a file.
READER = """
import os, sys, tty
out = open(sys.argv[1], "wb", buffering=0)
tty.setraw(0)
sys.stdout.write(sys.argv[2].encode().decode("unicode_escape") + "READY")
sys.stdout.flush()
while True:
    out.write(os.read(0, 65536))
"""


@pytest.fixture(scope="module")
def server():
    with embedded_server("ghostty") as server, blocking.connect(server.socket) as phux:
        phux.new_session("stays", command=["sleep", "1000"])
        yield server


@pytest.fixture
def phux(server):
    with blocking.connect(server.socket) as phux:
        yield phux


@pytest.fixture
def cli(server, tmp_path):
    return Cli(server.socket, tmp_path)


class Reader:
    """A program in a pane, and the bytes it has read."""

    def __init__(self, phux, path, modes):
        self.path = path
        self.pane = phux.new_session(command=[sys.executable, "-c", READER, str(path), modes]).pane
        self.pane.wait(until="READY", timeout_s=10)
        self._taken = 0

    def read(self, size):
        """Wait for at least N bytes, and return all bytes since the last call."""
        eventually(lambda: self.path.stat().st_size >= self._taken + size)
        with self.path.open("rb") as file:
            file.seek(self._taken)
            data = file.read()
        self._taken += len(data)
        return data

    def typed(self, *words, literal=False):
        """Type words, and return the bytes that the program reads."""
        return self.read(self.pane.send_keys(*words, literal=literal))

    def pasted(self, text):
        return self.read(self.pane.paste(text))


@pytest.fixture
def reader(phux, tmp_path):
    made = []

    def make(modes=""):
        made.append(Reader(phux, tmp_path / f"read-{len(made)}", modes))
        return made[-1]

    yield make
    for one in made:
        one.pane.kill()


# Keys, against xterm's tables (ctlseqs, "PC-Style Function Keys"; input.c for keys that type a character)

LETTERS = {"Up": "A", "Down": "B", "Right": "C", "Left": "D", "Home": "H", "End": "F"}
PF = {"F1": "P", "F2": "Q", "F3": "R", "F4": "S"}
TILDE = {"Insert": 2, "Delete": 3, "PageUp": 5, "PageDown": 6, "F5": 15, "F6": 17, "F7": 18, "F8": 19, "F9": 20, "F10": 21, "F11": 23, "F12": 24}  # fmt: skip
PLAIN = {"Enter": b"\r", "Tab": b"\t", "BTab": b"\x1b[Z", "Escape": b"\x1b", "Space": b" ", "BSpace": b"\x7f"}
KEYPAD = {**{f"KP{digit}": str(digit) for digit in range(10)}, "KP.": ".", "KP/": "/", "KP*": "*", "KP-": "-", "KP+": "+", "KPEnter": "\r"}  # fmt: skip
KEYPAD_LETTERS = {**dict(zip((f"KP{digit}" for digit in range(10)), "pqrstuvwxy", strict=True)), "KP.": "n", "KP/": "o", "KP*": "j", "KP-": "m", "KP+": "k", "KPEnter": "M"}  # fmt: skip


def xterm(name, modifiers, *, application):
    """Return the bytes that xterm sends for a key, with its default resources."""
    code = 1 + ("S" in modifiers) + 2 * ("M" in modifiers) + 4 * ("C" in modifiers)
    if name in LETTERS:
        if code > 1:
            return f"\x1b[1;{code}{LETTERS[name]}".encode()
        return f"\x1b{'O' if application else '['}{LETTERS[name]}".encode()
    if name in PF:
        return f"\x1b[1;{code}{PF[name]}".encode() if code > 1 else f"\x1bO{PF[name]}".encode()
    if name in TILDE:
        return f"\x1b[{TILDE[name]};{code}~".encode() if code > 1 else f"\x1b[{TILDE[name]}~".encode()
    if name in KEYPAD:
        typed = KEYPAD[name].encode()
    elif name == "Tab" and "S" in modifiers:
        typed = PLAIN["BTab"]
    elif name == "Space" and "C" in modifiers:
        typed = b"\0"
    elif name == "BSpace" and "C" in modifiers:
        typed = b"\x08"
    else:
        typed = PLAIN[name]
    return b"\x1b" * ("M" in modifiers) + typed


COMBINATIONS = ["", "S", "M", "C", "CM", "CS", "MS", "CMS"]


@pytest.mark.parametrize("application", [False, True], ids=["normal", "application cursor"])
def test_every_key_with_every_modifier_types_the_same_bytes_as_in_xterm(reader, application):
    program = reader("\\x1b[?1h" if application else "")
    wrong = {}
    for name in KEY_NAMES:
        for modifiers in COMBINATIONS:
            word = "".join(f"{one}-" for one in modifiers) + name
            typed = program.typed(word)
            expected = xterm(name, modifiers, application=application)
            if typed != expected:
                wrong[word] = (typed, expected)
    assert wrong == {}


def test_the_keypad_follows_its_own_mode(reader):
    program = reader("\\x1b=")
    assert {name: program.typed(name) for name in KEYPAD} == {
        name: f"\x1bO{letter}".encode() for name, letter in KEYPAD_LETTERS.items()
    }


def test_keys_follow_the_modes_at_the_time_of_typing(phux, tmp_path):
    script = (
        "import os, sys, tty\n"
        "tty.setraw(0)\n"
        "for mode in ('h', 'l', 'h'):\n"
        "    os.write(1, b'\\x1b[?1' + mode.encode() + b'<' + mode.encode() + b'>')\n"
        "    os.write(1, repr(os.read(0, 100)).encode() + b'\\r\\n')\n"
        "os.read(0, 1)\n"
    )
    pane = phux.new_session(command=[sys.executable, "-c", script]).pane
    for number, mode in enumerate("hlh"):
        pane.wait(until=f"<{mode}>", timeout_s=10)
        eventually(lambda number=number: len([line for line in pane.snapshot().lines if line]) == number + 1)
        pane.send_keys("Up")
        eventually(lambda number=number: sum("b'" in line for line in pane.snapshot().lines) == number + 1)
    lines = [line for line in pane.snapshot().lines if "b'" in line]
    assert lines == ["<h>b'\\x1bOA'", "<l>b'\\x1b[A'", "<h>b'\\x1bOA'"]
    pane.kill()


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        *((f"C-{chr(96 + number)}", bytes([number])) for number in range(1, 27)),
        *((f"C-{chr(64 + number)}", bytes([number])) for number in (1, 3, 26)),  # tmux users write C-C as well
        ("C-@", b"\0"),
        ("C-[", b"\x1b"),
        ("C-\\", b"\x1c"),
        ("C-]", b"\x1d"),
        ("C-^", b"\x1e"),
        ("C-_", b"\x1f"),
        ("C-?", b"\x7f"),
        ("M-a", b"\x1ba"),
        ("M-A", b"\x1bA"),
        ("M-1", b"\x1b1"),
        ("M-.", b"\x1b."),
        ("M-é", "\x1bé".encode()),
        ("S-a", b"A"),
        ("C-M-c", b"\x1b\x03"),
        ("M-C-c", b"\x1b\x03"),
        ("c-c", b"\x03"),
        ("ENTER", b"\r"),
        ("return", b"\r"),
        ("esc", b"\x1b"),
        ("ppage", b"\x1b[5~"),
        ("NPage", b"\x1b[6~"),
        ("IC", b"\x1b[2~"),
        ("dc", b"\x1b[3~"),
        # Text, because there is no such key.
        ("a", b"a"),
        ("F13", b"F13"),
        ("C-cc", b"C-cc"),
        ("C-", b"C-"),
        ("Enterprise", b"Enterprise"),
        ("x y", b"x y"),
        ("ünï ✓ 🎉", "ünï ✓ 🎉".encode()),
        ("tab\there", b"tab\there"),
    ],
)
def test_a_word_is_a_key_or_text(shared, word, expected):
    assert shared.typed(word) == expected


@pytest.fixture(scope="module")
def shared(server, tmp_path_factory):
    """One raw reader for tests that leave no mode behind."""
    with blocking.connect(server.socket) as phux:
        yield Reader(phux, tmp_path_factory.mktemp("shared") / "read", "")


def test_words_follow_each_other_without_a_space(shared):
    assert shared.typed("a", "b c", "Space", "d", "C-c") == b"ab c d\x03"


def test_literal_words_are_typed_unchanged(shared):
    assert shared.typed("Enter", "C-c", "F1", literal=True) == b"EnterC-cF1"


def test_the_cli_accepts_words_after_dashes_and_literal_words(cli, shared):
    target = shared.pane.selector
    assert cli.json("send-keys", target, "--", "-rf", "--json", "-l") == {"schema_version": 1, "sent": True, "pane": target, "bytes": 11}  # fmt: skip
    assert shared.read(11) == b"-rf--json-l"
    assert cli("send-keys", target, "-l", "Enter", "C-c").code == 0
    assert shared.read(8) == b"EnterC-c"
    assert cli("send-keys", "-l", target, "Escape").code == 0
    assert shared.read(6) == b"Escape"
    assert cli("send-keys", target, "x", "Tab", "--", "Enter").code == 0
    assert shared.read(3) == b"x\t\r"


def test_escape_and_the_next_word_are_two_keys_instead_of_alt(reader):
    program = reader("\\x1b[>1u")  # the kitty protocol: disambiguate escape codes
    assert program.typed("Escape", "j") == b"\x1b[27uj"
    assert program.typed("Escape", "Enter") == b"\x1b[27u\r"
    assert program.typed("M-j") == b"\x1b[106;3u"


def test_escape_and_the_next_word_are_typed_as_both_bytes(shared):
    assert shared.typed("Escape", "j", "Escape", "Escape") == b"\x1bj\x1b\x1b"


# Pastes


def test_a_paste_is_bracketed_when_the_program_asked_for_it(reader):
    program = reader("\\x1b[?2004h")
    assert program.pasted("one\ntwo\tthree ✓") == b"\x1b[200~one\ntwo\tthree " + "✓".encode() + b"\x1b[201~"


def test_a_paste_is_plain_when_the_program_did_not_ask(shared):
    assert shared.pasted("one\ntwo\r\nthree") == b"one\rtwo\rthree"


def test_a_paste_comes_from_stdin(cli, reader):
    program = reader("\\x1b[?2004h")
    sent = cli.json("paste", program.pane.selector, stdin="from ü pipe\n".encode())
    assert program.read(sent["bytes"]) == b"\x1b[200~from \xc3\xbc pipe\n\x1b[201~"
    sent = cli.json("paste", program.pane.selector, "an argument", stdin=b"not this")
    assert program.read(sent["bytes"]) == b"\x1b[200~an argument\x1b[201~"


@pytest.mark.parametrize(
    "text",
    [
        "safe\x1b[201~rm -rf /\n",
        "safe\x1b[20\x1b[201~1~rm -rf /\n",
        "\x1b[201~",
        "a\x9b201~b",
        "a\x1b\x1b[201~[201~b",
        "\x1b[200~nested\x1b[201~",
        "a\x1b\x00[201~b",
        "a\x03b\x04c\x1ad",
    ],
    ids=repr,
)
def test_pasted_text_cannot_leave_its_brackets_or_press_keys(reader, text):
    program = reader("\\x1b[?2004h")
    received = program.pasted(text) if text != "\x1b[201~" else program.pasted(text + "x")
    assert received.startswith(b"\x1b[200~")
    assert received.endswith(b"\x1b[201~")
    inside = received[6:-6]
    assert not [byte for byte in inside if byte < 32 and byte not in b"\t\r\n"], inside
    assert b"\x7f" not in inside
    assert b"\xc2\x9b" not in inside


def test_an_empty_paste_types_nothing(shared):
    assert shared.pane.paste("") == 0
    assert shared.typed("x") == b"x"


def test_a_line_before_enter_is_one_paste_on_the_primary_screen(reader):
    program = reader("\\x1b[?2004h")
    assert program.typed("make test", "Enter") == b"\x1b[200~make test\x1b[201~\r"
    assert program.typed("make", " test", "Enter") == b"\x1b[200~make test\x1b[201~\r"
    # A line is pasted only right before Enter, and not with literal words.
    assert program.typed("make", "Tab", "Enter") == b"make\t\r"
    assert program.typed("make") == b"make"
    assert program.typed("make", "Enter", literal=True) == b"makeEnter"


def test_a_line_before_enter_is_typed_plainly_on_the_alternate_screen(reader):
    program = reader("\\x1b[?1049h\\x1b[?2004h")
    assert program.typed(":wq", "Enter") == b":wq\r"
    assert program.pasted("x") == b"\x1b[200~x\x1b[201~"


@pytest.mark.skipif(shutil.which("vim") is None, reason="vim is not installed")
def test_vim_saves_and_quits(phux, tmp_path):
    pane = phux.new_session(command=["vim", "-u", "NONE", "-N", "-i", "NONE", "-n", "note"], cwd=str(tmp_path)).pane
    pane.wait(until="~", timeout_s=10)
    pane.wait(until='"note"', timeout_s=10)
    pane.send_keys("ihello from phux", "Escape")
    pane.send_keys("osecond", "Escape", ":wq", "Enter")
    screen = pane.wait(exit=True, timeout_s=10)
    assert screen.exit_status == 0
    assert (tmp_path / "note").read_text() == "hello from phux\nsecond\n"


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_a_line_before_enter_runs_once_in_a_shell_with_an_editor(phux):
    pane = phux.new_session(command=["bash", "--norc", "--noprofile", "-i"], env={"PS1": "go> "}).pane
    pane.wait(until="go>", timeout_s=10)
    pane.send_keys("echo $((6 * 7))", "Enter")
    screen = pane.wait(until="42", timeout_s=10)
    assert screen.lines[0] == "go> echo $((6 * 7))"
    pane.kill()


# Limits

LINE = 4095 if sys.platform == "linux" else 1023


@pytest.fixture
def canonical(phux):
    """Start a program that reads lines, and prints the length of each."""
    script = "import sys\nprint('READY', flush=True)\nfor line in sys.stdin: print(f'<{len(line) - 1}>', flush=True)"
    pane = phux.new_session(command=["sh", "-c", f'stty -echo; exec "{sys.executable}" -c "$0"', script]).pane
    pane.wait(until="READY", timeout_s=10)
    yield pane
    pane.kill()


def test_a_line_too_long_for_the_terminals_editor_is_refused_and_nothing_typed(canonical, cli):
    with pytest.raises(phux_client.InputTooLongError) as caught:
        canonical.send_keys("x" * (LINE + 1), "Enter")
    assert str(LINE) in caught.value.message
    assert str(LINE + 1) in caught.value.message
    assert caught.value.remedy
    with pytest.raises(phux_client.InputTooLongError):
        canonical.paste("short\n" + "x" * (LINE + 1) + "\nshort\n")
    finished = cli("paste", canonical.selector, "--json", stdin=b"x" * 10_000)
    assert finished.error["error"]["code"] == "input_too_long"
    canonical.send_keys("ok", "Enter")
    assert [line for line in canonical.wait(until="<", timeout_s=10).lines if "<" in line] == ["<2>"]


def test_the_longest_line_arrives_whole(canonical):
    canonical.send_keys("x" * LINE, "Enter")
    canonical.wait(until=f"<{LINE}>", timeout_s=10)


def test_many_lines_do_not_count_as_one_long_line(canonical):
    canonical.paste(("x" * 999 + "\n") * 20)
    eventually(lambda: sum(line == "<999>" for line in canonical.snapshot().lines) == 20)


def test_input_already_in_the_line_counts(canonical):
    canonical.send_keys("x" * (LINE - 10))
    with pytest.raises(phux_client.InputTooLongError):
        canonical.send_keys("y" * 11)
    canonical.send_keys("y" * 10, "Enter")
    canonical.wait(until=f"<{LINE}>", timeout_s=10)
    canonical.send_keys("z" * LINE, "Enter")
    eventually(lambda: sum(line == f"<{LINE}>" for line in canonical.snapshot().lines) == 2)


def test_erasing_the_line_makes_room(canonical):
    canonical.send_keys("x" * LINE)
    canonical.send_keys("C-u")
    canonical.send_keys("y" * LINE, "Enter")
    canonical.wait(until=f"<{LINE}>", timeout_s=10)


def test_input_after_an_erased_line_counts(canonical):
    canonical.send_keys("C-u", "x" * LINE)
    with pytest.raises(phux_client.InputTooLongError):
        canonical.send_keys("y" * 10, "Enter")
    canonical.send_keys("Enter")
    canonical.wait(until=f"<{LINE}>", timeout_s=10)


def test_a_program_in_raw_mode_gets_lines_of_any_length(reader):
    program = reader()
    text = "x" * 200_000
    assert program.typed(text) == text.encode()


def test_two_writers_at_once_never_interleave(server, reader):
    program = reader()
    size, rounds = 50_000, 4
    failures = []

    def write(letter):
        try:
            with blocking.connect(server.socket) as own:
                pane = own.pane(program.pane.id)
                for _ in range(rounds):
                    assert pane.send_keys(letter * size) == size
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=write, args=(letter,)) for letter in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    received = program.read(2 * rounds * size).decode()
    runs = [len(run) for run in received.replace("ab", "a b").replace("ba", "b a").split(" ")]
    assert len(received) == 2 * rounds * size
    assert all(run % size == 0 for run in runs), runs


def test_typing_into_a_pane_whose_program_has_ended_is_refused(phux, cli):
    pane = phux.new_session("over", command=["sh", "-c", "exit 3"]).pane
    pane.wait(exit=True, timeout_s=10)
    for attempt in (lambda: pane.send_keys("x"), lambda: pane.paste("x"), lambda: pane.send_keys("C-c")):
        with pytest.raises(phux_client.PaneClosedError):
            attempt()
    error = cli("send-keys", "over", "--json", "x").error
    assert error["error"]["code"] == "pane_closed"
    assert error["remedy"]
    pane.kill()


def test_a_program_that_ends_instead_of_reading_ends_the_typing_at_once(phux, tmp_path):
    go = tmp_path / "go"
    script = f"stty raw -echo; echo READY; while [ ! -e {go} ]; do sleep 0.01; done"
    pane = phux.new_session(command=["sh", "-c", script]).pane
    pane.wait(until="READY", timeout_s=10)
    threading.Timer(0.3, go.touch).start()
    before = time.monotonic()
    with pytest.raises(phux_client.PaneClosedError):
        pane.send_keys("x" * 500_000)
    assert time.monotonic() - before < 4
    pane.kill()


def test_a_program_that_never_reads_is_reported_within_seconds(phux, cli):
    pane = phux.new_session("deaf", command=["sh", "-c", "stty raw -echo; echo READY; exec sleep 1000"]).pane
    pane.wait(until="READY", timeout_s=10)
    before = time.monotonic()
    with pytest.raises(phux_client.InputBlockedError) as caught:
        pane.send_keys("x" * 300_000)
    assert 4 < time.monotonic() - before < 6.5
    assert "300000" in caught.value.message
    assert caught.value.remedy
    # The pane can still be read and killed.
    assert pane.snapshot().state != "dead"
    assert pane.kill() == 1


def test_input_beyond_the_buffer_is_refused_at_once_and_nothing_is_typed(phux):
    pane = phux.new_session(command=["sh", "-c", "stty raw -echo; echo READY; exec sleep 1000"]).pane
    pane.wait(until="READY", timeout_s=10)
    before = time.monotonic()
    with pytest.raises(phux_client.InputTooLongError) as caught:
        pane.send_keys("x" * 1_100_000)
    assert time.monotonic() - before < 3
    assert "1048576" in caught.value.message
    pane.kill()


def test_more_than_10_000_keys_in_one_call_are_refused_and_nothing_is_typed(reader):
    program = reader()
    with pytest.raises(phux_client.BadRequestError) as raised:
        program.pane.send_keys(*["F5"] * 10_001)
    assert "a list of 1 to 10000 objects" in raised.value.remedy
    assert program.typed(*["F5"] * 10_000) == b"\x1b[15~" * 10_000


def test_a_program_that_enabled_in_band_resize_reads_each_size_at_once(reader):
    """Neovim, for example, then ignores SIGWINCH."""
    program = reader("\\x1b[?2048h")
    assert program.read(19) == b"\x1b[48;24;80;384;640t"
    program.pane.resize(100, 30)
    assert program.read(20) == b"\x1b[48;30;100;480;800t"

"""The scenarios of tests/support/record.py: programs, their files, and the typed input."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Scenario:
    """A program and the steps of typed input; each step is a list of words as for ``send-keys``."""

    program: str
    command: list[str]
    steps: list[list[str]]
    cols: int = 80
    rows: int = 24
    files: dict[str, str] = field(default_factory=dict)
    before: list[list[str]] = field(default_factory=list)  # commands that prepare the home directory


PANGRAMS = "the quick brown fox jumps over a lazy dog while seven wizards box with five dozen liquor jugs"
WORDS = PANGRAMS.split()


def _prose(lines: int, width: int) -> str:
    """Return distinct lines of words, each at most as wide as the given width."""
    out = []
    for number in range(1, lines + 1):
        line = f"{number:4}"
        at = number
        while len(line) + 1 + len(WORDS[at % len(WORDS)]) <= width:
            line += " " + WORDS[at % len(WORDS)]
            at += number % 5 + 1
        out.append(line)
    return "\n".join(out) + "\n"


PROGRAM_TEXT = '''\
"""A module to edit."""

import sys

LIMIT = 10  # how far to count


def count(limit):
    """Count to the limit."""
    for number in range(limit):
        print(f"number {number} of {limit}")


class Counter:
    """Counts up."""

    def __init__(self):
        self.value = 0

    def up(self):
        self.value += 1
        return self.value


if __name__ == "__main__":
    count(LIMIT if len(sys.argv) < 2 else int(sys.argv[1]))
''' + "".join(f"\n\ndef step_{n}(x):\n    return x + {n}  # {'.' * (n % 40)}\n" for n in range(60))

CJK_TEXT = "".join(
    f"{n:3} {text}\n"
    for n, text in enumerate(
        (
            "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。",
            "何でも薄暗いじめじめした所でニャーニャー泣いていた事だけは記憶している。",
            "한국어 문장도 있고 넓은 글자가 줄 끝에서 어떻게 넘어가는지 봅니다.",
            "學而時習之，不亦說乎？有朋自遠方來，不亦樂乎？",
            "mixed 幅の text with ａｂｃ fullwidth and narrow ｱｲｳ kana",
            "x" * 79 + "漢字が行の終わりを跨ぐ",
            "ключ, Größe, élève, naïve, Ελλάδα: one column each",
        )
        * 9
    )
)

CURSES_DIALOG = """\
import curses

def main(screen):
    curses.curs_set(0)
    for number, (fore, back) in enumerate([(7, 4), (0, 7), (3, 1), (6, 0)], 1):
        curses.init_pair(number, fore, back)
    screen.bkgd(" ", curses.color_pair(1))
    screen.refresh()
    box = curses.newwin(14, 50, 4, 15)
    choices = [f"choice {letter} " + "-" * n for n, letter in enumerate("abcdefgh")]
    at, marked = 0, set()
    while True:
        box.bkgd(" ", curses.color_pair(2))
        box.erase()
        box.box()
        box.addstr(0, 18, " A dialog ", curses.A_BOLD)
        for n, choice in enumerate(choices):
            look = curses.color_pair(3) | curses.A_BOLD if n == at else curses.A_NORMAL
            box.addstr(2 + n, 4, f"[{'x' if n in marked else ' '}] {choice:<38}"[:42], look)
        box.hline(11, 1, curses.ACS_HLINE, 48)
        box.addstr(12, 4, f"{len(marked)} marked", curses.A_UNDERLINE | curses.color_pair(4))
        box.refresh()
        key = screen.getch()
        if key == curses.KEY_DOWN: at = min(at + 1, len(choices) - 1)
        elif key == curses.KEY_UP: at = max(at - 1, 0)
        elif key == ord(" "): marked ^= {at}
        elif key == ord("q"): return

curses.wrapper(main)
"""

# Only the columns that do not identify the machine: PID, STATE, PERCENT_CPU, PERCENT_MEM, TIME, Command.
HTOPRC = """\
htop_version=3.2.2
config_reader_min_version=3
fields=0 2 46 47 49 1
hide_kernel_threads=1
hide_userland_threads=1
show_program_path=0
highlight_base_name=1
enable_mouse=1
delay=5
header_layout=two_50_50
column_meters_0=LeftCPUs Memory
column_meter_modes_0=1 1
column_meters_1=RightCPUs Swap
column_meter_modes_1=1 1
screen:Main=PID STATE PERCENT_CPU PERCENT_MEM TIME Command
.sort_key=PERCENT_CPU
.sort_direction=-1
"""

ZSHRC = """\
autoload -Uz compinit; compinit -D -d ~/.zcompdump
zstyle ':completion:*' menu select
PS1='%B%F{green}demo%f%b %1~ %# '
"""

FISH_SETUP = """\
function fish_prompt; set_color -o blue; echo -n 'demo'; set_color normal; echo -n ' > '; end
function fish_title; echo demo; end
"""

GIT = ["git", "-c", "init.defaultBranch=main", "-c", "user.name=Ada Example", "-c", "user.email=ada@example.org"]


def _commit(text: str) -> list[str]:
    return [*GIT, "commit", "-q", "--allow-empty", "-m", text]


def _history() -> list[list[str]]:
    """Return commands that create a small repository with merges."""
    made = [[*GIT, "init", "-q", "."]]
    for number in range(1, 13):
        made += [
            _commit(f"Step {number}: {' '.join(WORDS[number % 7 : number % 7 + 6])}"),
            [*GIT, "checkout", "-q", "-b", f"topic-{number}"],
            _commit(f"Try something for step {number}"),
            _commit(f"Mend what step {number} broke, and say why: {' '.join(WORDS)}"),
            [*GIT, "checkout", "-q", "main"],
            _commit(f"Meanwhile on main, {number}"),
            [*GIT, "merge", "-q", "--no-ff", "-m", f"Merge topic-{number}", f"topic-{number}"],
        ]
    return made


PYTHON_STEPS = [
    ["x = 6 * 7", "Enter"],
    ["print('the answer is', x)", "Enter"],
    ["for n in range(3):", "Enter"],
    ["    print('n', n)", "Enter"],
    ["Enter"],
    ["Up", "Up", "Home"],
    ["Right", "Right", "C-k"],
    ["C-u", "C-y", "BSpace", "C-a", "C-k"],
    ["'wide: 日本語' + 'x' * 90", "Enter"],
    ["1/0", "Enter"],
    ["C-r", "answer"],
    ["Enter"],
    ["C-d"],
]

SCENARIOS = {
    "vim": Scenario(
        "vim",
        [
            "vim",
            "-u",
            "NONE",
            "-i",
            "NONE",
            "-n",
            "-N",
            "--cmd",
            "set title ruler showcmd showmode nu",
            "-c",
            "syntax on",
            "module.py",
        ],
        [
            ["C-f"],
            ["C-f"],
            ["C-b"],
            ["/step_40", "Enter"],
            ["ddp", "o", "    # a new line with 日本語 and a tab\there", "Escape"],
            ["C-y", "C-y", "C-e", "C-d", "C-u"],
            [":set list hlsearch nowrap", "Enter"],
            [":vsplit", "Enter", "C-w", "l", "gg", "4zl"],
            ["VGJ", "u"],
            [":set wrap spell", "Enter", "G"],
            [":%s/return/give back/g", "Enter"],
            ["ggVjj", ">", "P"],
            [":only", "Enter", ":w", "Enter"],
            [":qa", "Enter"],
        ],
        100,
        30,
        files={"module.py": PROGRAM_TEXT},
    ),
    "less": Scenario(
        "less",
        ["less", "-N", "-M", "prose.txt"],
        [
            ["Space"],
            ["Space"],
            ["b"],
            ["jjj"],
            ["kk"],
            ["/wizards", "Enter"],
            ["n"],
            ["N"],
            ["G"],
            ["120g"],
            ["-S", "Enter"],
            ["Right"],
            ["Left"],
            ["h"],
            ["q"],
            ["q"],
        ],
        files={"prose.txt": _prose(300, 130)},
    ),
    "less-cjk": Scenario(
        "less",
        ["less", "wide.txt"],
        [["Space"], ["b"], ["j", "j", "j"], ["k"], ["/記憶", "Enter"], ["n"], ["-S", "Enter"], ["Right"], ["G"], ["q"]],
        files={"wide.txt": CJK_TEXT},
    ),
    "htop": Scenario(
        "htop",
        [
            "sh",
            "-c",
            "sleep 60 & a=$!; sleep 61 & b=$!; cat /dev/zero >/dev/null & c=$!; htop -p $a,$b,$c; kill $a $b $c",
        ],
        [
            ["M"],
            ["P"],
            ["Down", "Down"],
            ["Space"],
            ["t"],
            ["F6"],
            ["Escape"],
            ["/sle"],
            ["Escape"],
            ["F2"],
            ["Escape"],
            ["h"],
            ["q"],
            ["q"],
        ],
        110,
        28,
        files={".config/htop/htoprc": HTOPRC},
    ),
    "nano": Scenario(
        "nano",
        ["nano", "--rcfile=nanorc", "-l", "prose.txt"],
        [
            ["A line typed at the top, with ünïcode and 日本語.", "Enter"],
            ["Down", "Down", "End", "x" * 70],
            ["C-v"],
            ["C-v"],
            ["C-y"],
            ["C-k", "C-k", "C-u"],
            ["C-w", "liquor", "Enter"],
            ["M-a", "Down", "Down", "Right"],
            ["C-g"],
            ["C-x"],
            ["C-c"],
            ["C-o", "part.txt", "Enter"],
            ["C-x", "n"],
        ],
        90,
        25,
        files={
            "prose.txt": _prose(120, 75),
            "nanorc": 'syntax "prose" "\\.txt$"\ncolor brightgreen "[0-9]+"\ncolor ,red "fox"\n',
        },
    ),
    "git-log": Scenario(
        "git log through less",
        [
            *["git", "-c", "core.pager=less -R", "-c", "color.ui=always", "log", "--graph", "--all"],
            "--format=%C(yellow)%h%C(reset)%C(auto)%d%C(reset) %s %C(dim italic)<%an>%C(reset)",
        ],
        [["Space"], ["Space"], ["b"], ["/step 7", "Enter"], ["n"], ["-S", "Enter"], ["G"], ["q"]],
        before=_history(),
    ),
    "fzf": Scenario(
        "fzf",
        ["sh", "-c", "fzf --multi --preview 'echo preview of {}; echo {q}' --border <choices.txt"],
        [
            ["fo"],
            ["x li"],
            ["Down", "Tab", "Up", "Tab"],
            ["C-u"],
            ["1"],
            ["Up", "Up", "Up", "Up"],
            ["C-w", "wiz"],
            ["Enter"],
        ],
        files={"choices.txt": _prose(200, 60)},
    ),
    "python": Scenario("python 3.11 with readline", ["python3.11", "-q"], PYTHON_STEPS),
    "python-new-repl": Scenario("python 3.13's own REPL", ["python3.13", "-q"], PYTHON_STEPS, 72, 20),
    "fish": Scenario(
        "fish",
        ["fish", "--no-config", "-C", "source setup.fish"],
        [
            ["echo hello | tr a-z A-Z", "Enter"],
            ["cat fi", "Tab"],
            ["Tab", "Tab", "Right"],
            ["C-c"],
            ["ec"],
            ["Right", "Enter"],
            ["Up", "Up"],
            ["C-c"],
            ["for n in 1 2 3", "Enter", "echo $n", "Enter", "end", "Enter"],
            ["C-c"],
            ["for n in a b c; echo wide $n 日本語; end", "Enter"],
            ["echo " + "z" * 90, "C-a", "C-e", "Enter"],
            ["Up", "C-a", "M-f", "C-k"],
            ["C-c"],
            ["ls fil", "Tab"],
            ["Escape", "C-c"],
            ["nosuchcommand", "Enter"],
            ["exit", "Enter"],
        ],
        files={"setup.fish": FISH_SETUP} | {f"file-{n}.txt": "x\n" * n for n in range(30)},
    ),
    "zsh": Scenario(
        "zsh",
        ["zsh", "-d"],
        [
            ["echo hello | tr a-z A-Z", "Enter"],
            ["cat fi", "Tab"],
            ["Tab", "Tab", "Down", "Right"],
            ["Enter"],
            ["C-c"],
            ["for n in 1 2 3", "Enter", "do echo $n", "Enter", "done", "Enter"],
            ["Up"],
            ["C-c"],
            ["print -P '%F{red}wide 日本語%f' " + "y" * 80, "Enter"],
            ["C-r", "hel"],
            ["C-e", "Enter"],
            ["git --ver", "C-a", "M-f", "C-u", "C-k"],
            ["exit", "Enter"],
        ],
        files={".zshrc": ZSHRC} | {f"file-{n}.txt": "x\n" * n for n in range(40)},
    ),
    "dialog": Scenario(
        "a dialog in Python's curses",
        ["python3.11", "dialog.py"],
        [["Down"], ["Space"], ["Down", "Down", "Down"], ["Space"], ["Up"], ["Space"], ["Down"] * 9, ["Up"] * 9, ["q"]],
        files={"dialog.py": CURSES_DIALOG},
    ),
}

"""Common startup files: prompts, plugins and hooks from packages, if they are installed (.ci/run)."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from shell_replay import Replay

from phux_core.server.shell.events import CommandFinished, CommandStarted, PromptReady

from .conftest import NONCE

NPM = f"{sys.prefix}/prompts/node_modules"
SHARE = "/usr/share"
FZF = f"{SHARE}/doc/fzf/examples/key-bindings"
GIT_PROMPT = "/usr/lib/git-core/git-sh-prompt"
LIQUID = f"{SHARE}/liquidprompt/liquidprompt"
SUGGEST = f"{SHARE}/zsh-autosuggestions/zsh-autosuggestions.zsh"
HIGHLIGHT = f"{SHARE}/zsh-syntax-highlighting/zsh-syntax-highlighting.zsh"
FISH_PROMPTS = f"{SHARE}/fish/tools/web_config/sample_prompts"

# (shell, name, required files or programs, startup file)
SETUPS = [
    (
        "bash",
        "completion",
        [f"{SHARE}/bash-completion/bash_completion"],
        f". {SHARE}/bash-completion/bash_completion\n",
    ),
    ("bash", "git-prompt", [GIT_PROMPT], f". {GIT_PROMPT}\nPS1='\\w$(__git_ps1) $ '\n"),
    ("bash", "git-prompt-command", [GIT_PROMPT], f'. {GIT_PROMPT}\nPROMPT_COMMAND=\'__git_ps1 "\\w" " $ "\'\n'),
    ("bash", "liquidprompt", [LIQUID], f". {LIQUID}\n"),
    ("bash", "direnv", ["direnv"], 'eval "$(direnv hook bash)"\n'),
    ("bash", "fzf", [f"{FZF}.bash"], f". {FZF}.bash\n"),
    ("bash", "zoxide", ["zoxide"], 'eval "$(zoxide init bash)"\n'),
    ("bash", "fasd", ["fasd"], 'eval "$(fasd --init auto)"\n'),
    ("bash", "autojump", [f"{SHARE}/autojump/autojump.bash"], f". {SHARE}/autojump/autojump.bash\n"),
    (
        "bash",
        "several",
        ["direnv", "zoxide", LIQUID, f"{FZF}.bash"],
        f'. {LIQUID}\n. {FZF}.bash\neval "$(zoxide init bash)"\neval "$(direnv hook bash)"\n',
    ),
    (
        "bash",
        "history-shared",
        [],
        "shopt -s histappend\nPROMPT_COMMAND='history -a; history -n'\nHISTCONTROL=ignoreboth\n",
    ),
    ("bash", "debian", ["/etc/skel/.bashrc"], ". /etc/skel/.bashrc\n"),
    ("zsh", "autosuggestions", [SUGGEST], f". {SUGGEST}\n"),
    ("zsh", "syntax-highlighting", [HIGHLIGHT], f". {HIGHLIGHT}\n"),
    ("zsh", "both", [SUGGEST, HIGHLIGHT], f"autoload -U compinit\ncompinit -u\n. {SUGGEST}\n. {HIGHLIGHT}\n"),
    (
        "zsh",
        "powerlevel9k",
        [f"{SHARE}/powerlevel9k/powerlevel9k.zsh-theme"],
        f". {SHARE}/powerlevel9k/powerlevel9k.zsh-theme\n",
    ),
    ("zsh", "liquidprompt", [LIQUID], f". {LIQUID}\n"),
    ("zsh", "git-prompt", [GIT_PROMPT], f". {GIT_PROMPT}\nprecmd() {{ __git_ps1 '%~' ' $ ' }}\n"),
    ("zsh", "direnv", ["direnv"], 'eval "$(direnv hook zsh)"\n'),
    ("zsh", "fzf", [f"{FZF}.zsh"], f". {FZF}.zsh\n"),
    ("zsh", "zoxide", ["zoxide"], 'eval "$(zoxide init zsh)"\n'),
    ("zsh", "autojump", [f"{SHARE}/autojump/autojump.zsh"], f". {SHARE}/autojump/autojump.zsh\n"),
    ("zsh", "antigen", [f"{SHARE}/zsh-antigen/antigen.zsh"], f". {SHARE}/zsh-antigen/antigen.zsh\n"),
    (
        "zsh",
        "pure",
        [f"{NPM}/pure-prompt"],
        f"fpath+=({NPM}/pure-prompt)\nautoload -U promptinit\npromptinit\nprompt pure\n",
    ),
    ("zsh", "spaceship", [f"{NPM}/spaceship-prompt"], f". {NPM}/spaceship-prompt/spaceship.zsh\n"),
    ("zsh", "typewritten", [f"{NPM}/typewritten"], f". {NPM}/typewritten/typewritten.zsh\n"),
    (
        "zsh",
        "vcs_info",
        [],
        "autoload -Uz vcs_info\nprecmd() { vcs_info }\nsetopt prompt_subst\nPS1='%~ ${vcs_info_msg_0_}$ '\nRPS1='%?'\n",
    ),
    *(
        ("zsh", f"prompt-{theme}", [], f"autoload -U promptinit\npromptinit\nprompt {theme}\n")
        for theme in ("adam2", "bart", "fade", "oliver", "walters", "zefram")
    ),
    ("zsh", "vi", [], "bindkey -v\nexport KEYTIMEOUT=1\n"),
    ("fish", "direnv", ["direnv"], "direnv hook fish | source\n"),
    ("fish", "fzf", ["/usr/share/fish/vendor_functions.d/fzf_key_bindings.fish"], "fzf_key_bindings\n"),
    ("fish", "zoxide", ["zoxide"], "zoxide init fish | source\n"),
    ("fish", "autojump", [f"{SHARE}/autojump/autojump.fish"], f". {SHARE}/autojump/autojump.fish\n"),
    ("fish", "vi", [], "fish_vi_key_bindings\n"),
    ("fish", "suggestions", [], "set -g fish_autosuggestion_enabled 1\n"),
    *(
        ("fish", f"prompt-{name}", [f"{FISH_PROMPTS}/{name}.fish"], f"source {FISH_PROMPTS}/{name}.fish\n")
        for name in ("astronaut", "default", "disco", "informative_vcs", "nim", "pythonista", "terlar")
    ),
]


class Tracked:
    """A terminal, and a tracker that is fed with its output."""

    def __init__(self, terminal, shell):
        self.terminal, self.shell = terminal, shell
        self.replay = Replay(shell, nonce=NONCE)
        self.known = 0
        self.follow()

    def follow(self):
        """Feed new output to the tracker, and return the new events and the state while the shell waits."""
        before = len(self.replay.events)
        self.replay.now += 1
        self.replay.write(self.terminal.data[self.known :])
        self.known = len(self.terminal.data)
        self.replay.now += 1
        state = self.replay.look(shell=self.shell)
        return self.replay.events[before:], state

    def line(self, text):
        """Type a line, and return the events up to the next prompt and the state there."""
        self.replay.type(text.encode() + b"\r")
        self.terminal.line(text)
        return self.follow()


@pytest.fixture(params=[pytest.param(setup, id="-".join(setup[:2])) for setup in SETUPS])
def setup(request):
    shell, _name, needs, rc = request.param
    for need in needs:
        if not (Path(need).exists() or shutil.which(need)):
            pytest.skip(f"{need} is not installed")
    return request.getfixturevalue(shell), rc


def test_commands_are_tracked_with_the_setup(setup, tmp_path):
    shell, rc = setup
    # Plugins leave temporary files when their shell is killed.
    tracked = Tracked(shell.start(rc, env={"TMPDIR": str(tmp_path)}), shell.name)
    assert tracked.replay.events == [PromptReady()]
    assert tracked.replay.tracker.state == "prompt"
    for command, code in (("true", 0), ("sh -c 'exit 7'", 7), ("echo out", 0), ("sh -c 'exit 3'", 3)):
        events, state = tracked.line(command)
        assert [type(event) for event in events] == [CommandStarted, CommandFinished, PromptReady], events
        started, finished, _ready = events
        assert (started.command or command, finished.exit_code, state) == (command, code, "prompt")
        assert (b"out\r\n" in tracked.replay.output(finished)) == (command == "echo out")
    events, state = tracked.line("")
    assert [(type(event), getattr(event, "start", None)) for event in events] == [
        (CommandFinished, None),
        (PromptReady, None),
    ]
    assert state == "prompt"

"""completion: print a script that completes verbs, flags and targets in SHELL.

For bash, add `eval "$(phux completion bash)"` to ~/.bashrc; for zsh, the same with zsh to ~/.zshrc, after compinit; for
fish, run `phux completion fish > ~/.config/fish/completions/phux.fish`. With words of a command line after `--`, prints
the completions of the last word, one per line, each with a tab and a description.
"""

import argparse

from phux_cli.output import write
from phux_cli.usage import UsageError
from phux_cli.verbs import VERBS
from phux_core.kinds import STATES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Completions = Iterator[tuple[str, str]]

REST = "WORD..."
EXAMPLES = ("phux completion bash", 'phux completion -- kill ""')
HERE_ONLY = True

_SCRIPTS = {
    # bash has already split words at colons, which targets contain, so the script splits the line again.
    "bash": r"""_phux() {
    local words word found
    read -a words <<<"${COMP_LINE:0:COMP_POINT}"
    [[ ${COMP_LINE:0:COMP_POINT} == *[[:blank:]] ]] && words+=("")
    word=${words[${#words[@]} - 1]}
    COMPREPLY=()
    while IFS=$'\t' read -r found _; do
        [[ $word == *:* ]] && found=${found#"${word%:*}":}
        printf -v found %q "$found"
        COMPREPLY+=("$found")
    done < <(phux completion -- "${words[@]:1}" 2>/dev/null)
}
complete -o default -F _phux phux
""",
    "zsh": r"""_phux() {
    local -a found
    local line
    for line in "${(@f)$(phux completion -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
        [[ -n $line ]] && found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    done
    _describe phux found || _files
}
compdef _phux phux
""",
    "fish": r"""complete --command phux --no-files --arguments \
    '(phux completion -- (commandline -opc)[2..] (commandline -ct | string unescape) 2>/dev/null)'
""",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", metavar="SHELL", nargs="?", choices=_SCRIPTS, help="bash, zsh or fish")


def run(options: argparse.Namespace) -> int:
    if (options.shell is None) == (not options.rest):
        raise UsageError("specify either SHELL or words after `--`", remedy="write `phux completion bash`")
    if options.shell is not None:
        write(_SCRIPTS[options.shell])
        return 0
    *before, word = options.rest
    for name, description in complete(before):
        if name.startswith(word) and (word or not name.startswith("-")):
            write(f"{name}\t{description}\n")
    return 0


def complete(before: list[str]) -> "Completions":
    """Yield the words that may follow the given ones, with descriptions."""
    from phux_cli.main import TARGETS, load_verb
    from phux_cli.usage import build_parser

    if not before or before == ["help"]:
        yield from VERBS.items()
        return
    if before[0] not in VERBS or "--" in before:
        return
    actions = build_parser(before[0], load_verb(before[0]))._actions  # noqa: SLF001
    flags = {flag: action for action in actions for flag in action.option_strings}
    awaited = flags.get(before[-1])
    if awaited is not None and awaited.nargs is None:  # its value
        values = STATES if awaited.dest == "state" else awaited.choices or ()
        yield from ((str(value), "") for value in values)
        return
    for action in actions:
        if action.option_strings:
            if action.help != argparse.SUPPRESS:
                yield action.option_strings[-1], (action.help or "").replace("%%", "%")
        elif action.dest in TARGETS:
            yield from _targets()
        else:
            yield from ((str(choice), "") for choice in action.choices or ())


def _targets() -> "Completions":
    """Yield the sessions, windows and panes of the running server."""
    from phux_client.blocking.driver import Driver
    from phux_client.flows import Request
    from phux_core.errors import PhuxError

    try:
        with Driver(timeout_s=1.0) as phux:
            tree = phux.request(Request("tree"))
    except PhuxError:
        return
    for session in tree["sessions"]:
        yield session["name"], "session"
        for window in session["windows"]:
            yield f"{session['name']}:{window['index']}", window["name"]
            for pane in window["panes"]:
                yield f"@{pane['id']}", f"{pane['title'] or pane['command']} ({pane['state']})"

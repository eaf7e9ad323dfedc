"""Generate the manual from the verbs' help; a test compares it with the files.

``python -m phux_cli.manual > docs/cli.md`` writes the page, and ``python -m phux_cli.manual man > docs/phux.1`` the
man page.
"""

import sys

from phux_cli.main import load_verb, overview
from phux_cli.usage import build_parser
from phux_cli.verbs import VERBS

_HEAD = """\
# The phux command

Generated from the verbs' own help (`python -m phux_cli.manual`); every example is run by a test.

With `--json`, stdout holds one JSON document or nothing, and on failure the last line of stderr is an Error document
(`phux schema error`). `watch --json` prints one document per line.

Exit codes: 0 success, 1 failure, 2 invalid command line or refused by the server, 124 timeout of `act`, `wait` or
`watch`, 125 timeout of `run`, 130 interrupted by Ctrl-C. Otherwise, `run` exits with the exit code of its command.
"""


def render() -> str:
    """Return the manual."""
    parts = [_HEAD, f"```text\n{overview()}\n```\n"]
    for name in VERBS:
        help_text = build_parser(name, load_verb(name)).format_help().rstrip()
        parts.append(f"## phux {name}\n\n```text\n{help_text}\n```\n")
    return "\n".join(parts)


_EXIT_CODES = _HEAD.partition("Exit codes: ")[2].replace("`", "")


def render_man() -> str:
    """Return the manual as a man page."""
    parts = [
        '.TH PHUX 1 "" phux',
        ".SH NAME\nphux \\- real terminals that programs and people share",
        f".SH SYNOPSIS\n{_preformatted(overview())}",
        f".SH EXIT STATUS\n{_escaped(_EXIT_CODES)}",
    ]
    for name in VERBS:
        help_text = build_parser(name, load_verb(name)).format_help().rstrip()
        parts.append(f".SH PHUX {name.upper()}\n{_preformatted(help_text)}")
    return "\n".join(parts) + "\n"


def _preformatted(text: str) -> str:
    return f".nf\n{_escaped(text)}\n.fi"


def _escaped(text: str) -> str:
    r"""Escape text for a man page.

    Example:
        >>> print(_escaped(".x -"))
        \&.x \-
    """
    lines = text.replace("\\", r"\e").replace("-", r"\-").splitlines()
    return "\n".join(rf"\&{line}" if line.startswith((".", "'")) else line for line in lines)


if __name__ == "__main__":
    print(render_man() if sys.argv[1:] == ["man"] else render(), end="")

"""Generate docs/cli.md from the verbs' help: ``python -m phux_cli.manual > docs/cli.md``. A test compares them."""

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


if __name__ == "__main__":
    print(render(), end="")

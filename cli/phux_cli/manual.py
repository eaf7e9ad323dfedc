"""Generate docs/cli.md from the verbs' help: ``python -m phux_cli.manual > docs/cli.md``. A test compares them."""

from phux_cli.main import load_verb, overview
from phux_cli.usage import build_parser
from phux_cli.verbs import VERBS

_HEAD = """\
# The phux command

Generated from the verbs' own help (`python -m phux_cli.manual`); every example is run by a test.

With `--json`, stdout holds one JSON document or nothing, and on failure the last line of stderr is an Error document
(`phux schema error`). Exit codes: 0 done, 1 failed, 2 the command line makes no sense or the server refuses, 124 `wait`
or `watch` ran out of time, 125 `run` did; else `run` exits as its command did. `watch --json` prints one document a
line.
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

"""Complete the environment that a host passes on, because the shells of new sessions inherit it.

Many hosts pass on few variables, or none. ``setup`` writes those of the person's shell into the host's configuration
as ``--env NAME=VALUE``; each is used only if the host does not set that variable. Without them, the user database has
the most important ones.
"""

from __future__ import annotations

import os

from phux_core.errors import BadRequestError

KEPT = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ"),
    *("LANG", "LC_ALL", "LC_CTYPE"),
    *("XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"),
    *("PHUX_CONFIG", "PHUX_ENGINE"),
)
"""The variables that ``setup`` writes, if they are set; none of them is secret."""

# The runtime directories of users, on every system that has them.
_RUNTIME = "/run/user"
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def complete(given: list[str] | None) -> None:
    """Set the variables that the host has not set, and leave the root directory, in which some hosts start us.

    Args:
        given: Variables as NAME=VALUE.

    Raises:
        BadRequestError: An entry is not of that form.
    """
    for entry in given or ():
        name, equals, value = entry.partition("=")
        if not name or not equals or "\0" in entry:
            raise BadRequestError(f"--env {entry!r:.80} is not of the form NAME=VALUE")
        _default(name, value)
    _complete_from_user_database()
    _default("PATH", _PATH)
    directory = os.path.join(_RUNTIME, str(os.getuid()))
    if os.path.isdir(os.path.join(directory, "phux")):
        _default("XDG_RUNTIME_DIR", directory)
    home = os.environ.get("HOME", "")
    if os.path.isdir(home) and os.getcwd() == "/":
        os.chdir(home)


def _complete_from_user_database() -> None:
    import pwd

    try:
        user = pwd.getpwuid(os.getuid())
    except KeyError:
        return
    _default("HOME", user.pw_dir)
    _default("USER", user.pw_name)
    _default("LOGNAME", user.pw_name)
    _default("SHELL", user.pw_shell)


def _default(name: str, value: str) -> None:
    if value and not os.environ.get(name):
        os.environ[name] = value

"""The command lines of ssh, and of the shell that ssh starts on a host.

No text of a user is interpreted by a shell: ssh gets a list of arguments, and every word of the remote command is
quoted for all login shells (POSIX, fish, csh), whichever the host has.
"""

import os

from phux_core import config, errors, hosts, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_KEEP_S = 60
_CONNECT_S = 10
_ALIVE_S, _ALIVE_COUNT = 5, 3
# While ssh creates the socket, its name has 17 more characters.
_LONGEST_CONTROL_PATH = paths.SOCKET_PATH_LIMIT - 18
_PLAIN = "/._-"
# It contains no character that a shell treats specially within single quotes. Arguments: the nonce, the path of phux
# there or nothing, and the arguments of phux.
_FIND = (
    'n=$1; p=$2; shift 2; case $p in "") '
    'for p in phux "$HOME/.local/bin/phux" "$HOME/.local/share/phux/venv/bin/phux" ""; do '
    'command -v "$p" >/dev/null 2>&1 && break; done;; "~/"*) p=$HOME/${p#??};; esac; '
)
_RUN = _FIND + 'command -v "$p" >/dev/null 2>&1 || { echo "phux:$n missing"; exit 127; }; exec "$p" "$@"'
_PROBE = _FIND + (
    'echo "phux:$n ok"; command -v "$p"; echo "phux:$n"; [ -z "$p" ] || "$p" --version 2>&1; echo "phux:$n"; '
    '"${SHELL:-sh}" -l -c "command -v phux" 2>/dev/null | tail -n 1'
)


class Host:
    """A host with its options of the config file.

    Attributes:
        name: The destination as the user wrote it, which may be the name of a table in the config file.
        control_path: The socket of the shared ssh connection; None if connections are not shared.
        phux: The path of phux on the host; empty to search for it.
        socket: The path of the server's socket on the host; None for the default.
    """

    def __init__(self, address: str) -> None:
        self.name, socket = hosts.split_address(address)
        options = _options(self.name)
        self._destination = hosts.parse(str(options.get("destination") or self.name))
        self._more = [str(word) for word in _listed(options.get("ssh-args"))]
        self.phux = str(options.get("phux") or "")
        given = options.get("socket")
        self.socket = socket or (None if given is None else str(given))
        keep = options.get("keep", _KEEP_S)
        self._keep_s = keep if isinstance(keep, int) else _KEEP_S
        self.control_path = self._find_control_path() if self._keep_s else None

    @property
    def _place(self) -> list[str]:
        destination = self._destination
        words = [] if destination.port is None else ["-p", str(destination.port)]
        words += [] if destination.user is None else ["-l", destination.user]
        return [*self._more, *words]

    def _find_control_path(self) -> str:
        """Return the path of the shared connection's socket, in a private directory; short, and without patterns."""
        import hashlib

        identity = "\0".join([*self._place, self._destination.host])
        name = f"ssh-{hashlib.sha256(identity.encode()).hexdigest()[:16]}"
        path = f"{os.path.dirname(paths.default_socket_path())}/{name}"
        if len(os.fsencode(path)) > _LONGEST_CONTROL_PATH or not _is_plain(path):
            path = f"{paths.fallback_directory()}/{name}"
        paths.ensure_private_directory(path)
        return path

    def ssh(self, *flags: str, batch: bool = True, share: bool = True) -> list[str]:
        """Return the command line of ssh up to the host; a remote command may follow.

        Args:
            batch: Let ssh fail instead of asking for a password or a confirmation.
            share: Use the shared connection, or become it.
        """
        options = [
            *(f"BatchMode={'yes' if batch else 'no'}", f"ConnectTimeout={_CONNECT_S}"),
            *(f"ServerAliveInterval={_ALIVE_S}", f"ServerAliveCountMax={_ALIVE_COUNT}"),
            *("ClearAllForwardings=yes", "PermitLocalCommand=no", "RemoteCommand=none", "LogLevel=INFO"),
        ]
        if share and self.control_path is not None:
            options += ["ControlMaster=auto", f"ControlPath={self.control_path}", f"ControlPersist={self._keep_s}"]
        else:
            options += ["ControlMaster=no", "ControlPath=none"]
        words = [word for option in options for word in ("-o", option)]
        return ["ssh", "-T", *flags, *words, *self._place, "--", self._destination.host]

    def proxy(self, nonce: str, *, start: bool) -> str:
        """Return the remote command that runs `phux proxy`."""
        words = [nonce, self.phux, "proxy", "--preamble", nonce, *(["--start"] if start else [])]
        return remote_shell(_RUN, *words, *([] if self.socket is None else ["--socket", self.socket]))

    def probe(self, nonce: str) -> str:
        """Return the remote command that prints where phux is, its version, and where a login shell finds it."""
        return remote_shell(_PROBE, nonce, self.phux)


def remote_shell(script: str, *words: str) -> str:
    """Return a remote command that runs a script of sh, with words as its arguments."""
    return " ".join(["exec", "sh", "-c", *map(quote, (script, "sh", *words))])


def quote(word: str) -> str:
    """Quote a word for any login shell.

    Raises:
        BadHostError: No quoting of the word means the same in all shells.
    """
    if not word.isprintable() or "\\" in word or "!" in word:
        raise errors.BadHostError(
            f"{word[:80]!r} cannot be used on another machine: its shell may interpret a character of it",
            remedy="use a path without backslashes, exclamation marks and control characters",
        )
    return word if word and _is_plain(word) else "'" + word.replace("'", "'\"'\"'") + "'"


def _is_plain(word: str) -> bool:
    return all((character.isascii() and character.isalnum()) or character in _PLAIN for character in word)


def _options(name: str) -> "dict[str, object]":
    tables = config.load(config.config_path())["hosts"]
    assert isinstance(tables, dict)
    options: dict[str, object] = tables.get(name, {})
    return options


def _listed(value: object) -> "Sequence[object]":
    return value if isinstance(value, list) else []

"""Errors of ssh, and their remedies."""

from phux_core import errors

_BY_TEXT = (
    ("unknown_host", ("could not resolve hostname", "name or service not known")),
    ("changed_host_key", ("remote host identification has changed",)),
    ("unknown_host_key", ("host key verification failed", "host key is known for")),
    ("refused_key", ("permission denied", "too many authentication failures", "no more authentication methods")),
    ("ssh_config", ("bad configuration option", "bad owner or permissions", "can't open user config")),
)
"""Parts of ssh's messages, in lower case, by what they mean. Any other failure to connect is ``unreachable``."""
_PROBLEMS = {
    "no_ssh": "ssh is not installed here",
    "ssh_config": "ssh does not accept its configuration",
    "unknown_host": "the host is unknown",
    "unreachable": "the host cannot be reached",
    "unknown_host_key": "the host's key is not known here",
    "changed_host_key": "the host's key has changed",
    "refused_key": "the host refused the login",
}
_REMEDIES = {
    "no_ssh": "install OpenSSH's client",
    "ssh_config": "correct ~/.ssh/config, or `ssh-args` in the config file of phux",
    "unknown_host": "check the spelling, or add an alias to ~/.ssh/config",
    "unreachable": "check that the machine is up and that `ssh {host}` connects",
    "unknown_host_key": "run `ssh {host}` once, and compare the key before you accept it",
    "changed_host_key": "find out why before you connect: this may be another machine. Then run `ssh-keygen -R`",
    "refused_key": "check that `ssh -o BatchMode=yes {host}` logs in: add your key to the agent or to the host, "
    "or log in on a terminal, where ssh can ask",
}
_SSH_FAILED = 255


def failure(host: str, reason: str, detail: str = "") -> errors.HostError:
    """Return the error for a host to which ssh cannot connect."""
    said = f" ({detail})" if detail else ""
    error = errors.HostError(
        f"cannot connect to {host}: {_PROBLEMS[reason]}{said}", remedy=_REMEDIES[reason].format(host=host)
    )
    error.reason = reason
    return error


def diagnose(host: str, exit_code: int, said: str) -> errors.HostError | None:
    """Return the error for an ssh process that ended; None if ssh logged in, and the remote command ended.

    Args:
        exit_code: The exit status of ssh.
        said: What ssh wrote on stderr.
    """
    if exit_code != _SSH_FAILED:
        return None
    text = said.lower()
    reason = next((reason for reason, parts in _BY_TEXT if any(part in text for part in parts)), "unreachable")
    return failure(host, reason, last_line(said))


def last_line(said: str) -> str:
    """Return the last line of what ssh wrote; empty if there is none."""
    return next((line.strip()[:200] for line in reversed(said.splitlines()) if line.strip()), "")

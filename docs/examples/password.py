"""Answer a password prompt: the state of the pane says when one is shown, and nothing stores the answer."""

import os
import sys

from phux_client import blocking


def answer(pane: blocking.Pane, secret: str) -> None:
    """Type a secret at the next prompt that does not show what is typed."""
    pane.wait(state="awaiting_secret", timeout_s=60)
    pane.send_keys(secret, literal=True)  # as text, even if the secret is the name of a key
    pane.send_keys("Enter")


def make_key(path: str, passphrase: str) -> int:
    """Make an SSH key that is encrypted with a passphrase, and return the exit code of ssh-keygen."""
    with blocking.connect(start=True) as phux, phux.new_session() as session:
        started = session.pane.start(["ssh-keygen", "-q", "-t", "ed25519", "-f", path])
        answer(session.pane, passphrase)
        answer(session.pane, passphrase)  # the same again
        ended = phux.wait_command(started.command_id, timeout_s=60)
        return 255 if ended.exit_code is None else ended.exit_code


if __name__ == "__main__":
    sys.exit(make_key(sys.argv[1], os.environ["PASSPHRASE"]))

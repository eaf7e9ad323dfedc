"""Start a dev server, wait until it answers, and restart it after a change; it survives this program."""

import re
import sys
import urllib.request

from phux_client import blocking

SERVE = "python3 -u -m http.server --bind 127.0.0.1 0"


def start(pane: blocking.Pane) -> str:
    """Start the server, and return its URL; fail at once if the server reports an error."""
    pane.start(SERVE)
    ready = pane.wait(regex=r"http://\S+/", stop="Error|Traceback", output_only=True, timeout_s=30)
    found = re.search(r"http://\S+/", ready.met_line or "")
    assert found is not None
    return found[0]


def read(url: str) -> str:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return str(answer.read().decode())


def main(directory: str) -> None:
    with blocking.connect(start=True) as phux, phux.new_session("dev", cwd=directory) as session:
        pane = session.pane
        print(read(start(pane) + "index.html").strip())
        pane.stop()
        pane.run("echo changed > index.html")
        print(read(start(pane) + "index.html").strip())
        requests = pane.output().content  # everything that the server has printed
        print(f"{requests.count('GET /index.html')} request since the restart")


if __name__ == "__main__":
    main(sys.argv[1])

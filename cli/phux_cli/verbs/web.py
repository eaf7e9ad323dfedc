"""web: show all panes live in a browser, until you press Ctrl-C.

Needs `pip install 'phux[web]'`. Prints one URL that allows typing, and one that only allows watching. Anyone with a
URL has its access until the command ends. docs/web.md describes the page.

Only this machine can connect. From another one, use a tunnel: `ssh -L 8737:127.0.0.1:8737 HOST`.

Exit status: 0, or 2 if the page cannot be served.
"""

import argparse

from phux_cli.connection import log_in
from phux_cli.output import as_json, stream
from phux_core.hosts import server_address

JSON = "an object with the URL of each level: `control` (unless --read-only) and `watch`"
EXAMPLES = ("phux web", "phux web --read-only", "phux web --bind 127.0.0.1:0 --json")
ENDS_ON_SIGNAL = True
_MEANING = {"control": "watch and type", "watch": "only watch"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--bind", metavar="ADDRESS:PORT", help="where to listen; 127.0.0.1:8737, or a free port, when omitted"
    )
    parser.add_argument("--read-only", action="store_true", help="only allow watching")
    parser.add_argument("--open", action="store_true", help="open the page in your browser")
    parser.add_argument("--allow-remote", action="store_true", help="allow an address that others can reach, with TLS")
    parser.add_argument("--tls-cert", metavar="FILE", help="the certificate of TLS, as PEM")
    parser.add_argument("--tls-key", metavar="FILE", help="its key, as PEM")


def run(options: argparse.Namespace) -> int:
    from phux_client import web

    web.check_installed()
    from phux_client.web.serving import serve

    log_in(options)

    def announce(urls: dict[str, str]) -> None:
        if options.json:
            stream(as_json(urls) + "\n")
            return
        stream("phux web is ready. Keep these URLs secret; press Ctrl-C to stop.\n")
        for level, url in urls.items():
            stream(f"{_MEANING[level]:<14}  {url}\n")

    serve(
        server_address(options.socket),
        announce,
        bind=options.bind,
        read_only=options.read_only,
        allow_remote=options.allow_remote,
        tls_cert=options.tls_cert,
        tls_key=options.tls_key,
        open_page=options.open,
    )
    return 0

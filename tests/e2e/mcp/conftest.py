"""Adapters with a private server for each test, or with one server for all tests of a module."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from mcp_host import Host
from servers import clean_environment, embedded_server


@pytest.fixture(scope="session")
def servers_ahead():
    """Start the next test's server while this one runs, because the start takes longer than most of these tests."""
    with ThreadPoolExecutor(2) as pool:
        upcoming = [pool.submit(embedded_server)]

        def take():
            upcoming.append(pool.submit(embedded_server))
            return upcoming.pop(0).result()

        yield take, lambda server: pool.submit(server.close)
        upcoming.pop().result().close()


@pytest.fixture
def socket(servers_ahead):
    """The socket of a private server."""
    take, end = servers_ahead
    server = take()
    yield server.socket
    end(server)


@pytest.fixture
def start_host(cli):
    """Start adapters, and check after the test that each exits with status 0."""
    hosts = []

    def start(*words, **env):
        host = Host(cli.env | env, cli.cwd, *words)
        hosts.append(host)
        return host

    yield start
    for host in hosts:
        assert host.close() == 0


@pytest.fixture
def host(start_host):
    """An adapter that has received no request."""
    return start_host()


@pytest.fixture
def modern(host):
    """An adapter after the handshake of the newest revision that has one."""
    return host.begin("2025-11-25")


@pytest.fixture(scope="session")
def mcp():
    """The official library, which takes a second to import."""
    return pytest.importorskip("mcp", reason="the official client (PyPI: mcp) is not installed")


@pytest.fixture(scope="module")
def start_shared(tmp_path_factory):
    """Start adapters for tests of a module that do not affect each other; they share one private server."""
    with embedded_server() as server, ExitStack() as hosts:
        env = clean_environment() | {"PHUX_SOCKET": server.socket}
        yield lambda *words: hosts.enter_context(Host(env, tmp_path_factory.mktemp("shared"), *words))


@pytest.fixture(scope="module")
def shared(start_shared):
    """An adapter shared by the tests of a module, and a server without sessions."""
    return start_shared()

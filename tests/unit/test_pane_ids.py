"""Pane ids that servers with one directory of logs never share."""

from __future__ import annotations

import pytest

from phux_core.logs import pane_ids


def test_ids_continue_where_another_server_stopped(tmp_path):
    root = str(tmp_path / "logs")
    assert [pane_ids.take(root, 1) for _ in range(3)] == [1, 2, 3]
    assert pane_ids.take(root, 9) == 9
    assert pane_ids.take(root, 1) == 10
    assert (tmp_path / "logs/next-pane").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", [b"", b"nonsense", b"9" * 50, b"\xff\xfe"])
def test_a_broken_counter_is_no_failure(tmp_path, content):
    (tmp_path / "next-pane").write_bytes(content)
    assert pane_ids.take(str(tmp_path), 5) == 5
    assert pane_ids.take(str(tmp_path), 1) == 6


def test_without_a_directory_ids_are_the_servers_own():
    assert pane_ids.take("", 3) == 3

"""Pane ids are unique among all servers that share a log directory."""

from __future__ import annotations

import os

import pytest

from phux_core.logs import pane_ids


def test_ids_continue_after_those_of_another_server(tmp_path):
    root = str(tmp_path / "logs")
    assert [pane_ids.take(root, 1) for _ in range(3)] == [1, 2, 3]
    assert pane_ids.take(root, 9) == 9
    assert pane_ids.take(root, 1) == 10
    assert (tmp_path / "logs/next-pane").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", [b"", b"nonsense", b"9" * 50, b"\xff\xfe"])
def test_an_invalid_counter_file_is_replaced(tmp_path, content):
    tmp_path.chmod(0o700)
    (tmp_path / "next-pane").write_bytes(content)
    assert pane_ids.take(str(tmp_path), 5) == 5
    assert pane_ids.take(str(tmp_path), 1) == 6


def test_without_a_log_directory_the_smallest_allowed_id_is_used():
    assert pane_ids.take("", 3) == 3


def test_without_a_counter_file_ids_continue_after_the_stored_logs(tmp_path):
    tmp_path.chmod(0o700)
    for server, pane in (("20261118T071441Z-15878-0716", 12), ("20261118T061441Z-15878-0716", 40)):
        (tmp_path / server / f"pane-{pane}").mkdir(parents=True)
    assert pane_ids.take(str(tmp_path), 1) == 41


def test_a_fifo_in_place_of_the_counter_does_not_block(tmp_path):
    tmp_path.chmod(0o700)
    os.mkfifo(tmp_path / "next-pane")
    assert pane_ids.take(str(tmp_path), 3) == 3

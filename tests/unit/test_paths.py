"""The socket's path, the home directory, and the checks of the socket's directory."""

from __future__ import annotations

import os
import socket as sockets
import stat
import sys
from types import SimpleNamespace

import pytest

from phux_core import paths
from phux_core.config import config_path
from phux_core.errors import UnsafePathError


@pytest.fixture
def private(tmp_path):
    directory = tmp_path / "private"
    directory.mkdir(mode=0o700)
    return directory


@pytest.fixture
def use(monkeypatch):
    """Return a function that replaces the environment."""
    return lambda **environ: monkeypatch.setattr(os, "environ", environ)


def test_the_argument_takes_precedence_over_the_environment(use):
    use(PHUX_SOCKET="/from/env", XDG_RUNTIME_DIR="/run/user/1")
    assert paths.socket_path("/from/flag") == "/from/flag"


def test_phux_socket_takes_precedence_over_the_runtime_directory(use):
    use(PHUX_SOCKET="/from/env", XDG_RUNTIME_DIR="/run/user/1")
    assert paths.socket_path() == "/from/env"


def test_the_runtime_directory_takes_precedence_over_tmp(tmp_path, use):
    use(XDG_RUNTIME_DIR=str(tmp_path))
    assert paths.socket_path() == f"{tmp_path}/phux/phux.sock"
    assert paths.missing_runtime_directory() is None


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"XDG_RUNTIME_DIR": ""},
        {"XDG_RUNTIME_DIR": "relative/dir"},
        {"XDG_RUNTIME_DIR": "/no/such/directory"},
        {"XDG_RUNTIME_DIR": "/dev/null"},
    ],
)
def test_without_a_usable_runtime_directory_the_socket_is_in_tmp(use, environ):
    use(**environ)
    assert paths.socket_path() == f"/tmp/phux-{os.getuid()}/phux.sock"


def test_a_missing_runtime_directory_is_reported_only_when_it_would_be_used(use):
    use(XDG_RUNTIME_DIR="/no/such/directory")
    problem = paths.missing_runtime_directory()
    assert "/no/such/directory" in problem
    assert f"/tmp/phux-{os.getuid()}" in problem
    assert paths.missing_runtime_directory("/a/socket") is None
    use(XDG_RUNTIME_DIR="/no/such/directory", PHUX_SOCKET="/a/socket")
    assert paths.missing_runtime_directory() is None
    use()
    assert paths.missing_runtime_directory() is None


def test_empty_values_are_ignored(tmp_path, use):
    use(PHUX_SOCKET="", XDG_RUNTIME_DIR=str(tmp_path))
    assert paths.socket_path("") == f"{tmp_path}/phux/phux.sock"


def test_a_relative_socket_path_in_a_deleted_directory_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gone").mkdir()
    os.chdir(tmp_path / "gone")
    os.rmdir(tmp_path / "gone")
    with pytest.raises(UnsafePathError, match="the working directory was deleted"):
        paths.socket_path("relative.sock")
    assert paths.socket_path("/absolute.sock") == "/absolute.sock"


class TestHome:
    @pytest.fixture(autouse=True)
    def user_database(self, monkeypatch):
        """Replace the user database with one entry; its home directory is ``self.home``."""
        import pwd

        self.home = "/home/from-database"

        def find(_uid):
            if self.home is None:
                raise KeyError
            return SimpleNamespace(pw_dir=self.home)

        monkeypatch.setattr(pwd, "getpwuid", find)

    def test_an_absolute_home_is_used(self, use):
        use(HOME="/home/me")
        assert paths.logs_directory() == "/home/me/.local/state/phux/logs"

    @pytest.mark.parametrize("environ", [{}, {"HOME": ""}, {"HOME": "rel"}, {"HOME": "~"}])
    def test_without_a_usable_home_variable_the_home_of_the_user_database_is_used(self, use, environ):
        use(**environ)
        assert paths.logs_directory() == "/home/from-database/.local/state/phux/logs"
        assert config_path() == "/home/from-database/.config/phux/config.toml"

    @pytest.mark.parametrize("environ", [{}, {"HOME": ""}, {"HOME": "rel"}])
    @pytest.mark.parametrize("home", [None, "", "rel"])
    def test_without_a_home_there_is_no_log_directory_and_no_configuration(self, use, environ, home):
        self.home = home
        use(**environ)
        assert paths.logs_directory() is None
        assert paths.logs_directory("/state") == "/state/logs"
        assert config_path() == os.devnull

    def test_absolute_variables_need_no_home(self, use):
        self.home = None
        use(XDG_STATE_HOME="/state", XDG_CONFIG_HOME="/config")
        assert paths.logs_directory() == "/state/phux/logs"
        assert config_path() == "/config/phux/config.toml"

    def test_relative_variables_are_ignored(self, use):
        use(XDG_STATE_HOME="state", XDG_CONFIG_HOME="config", HOME="/home/me")
        assert paths.logs_directory() == "/home/me/.local/state/phux/logs"
        assert config_path() == "/home/me/.config/phux/config.toml"

    def test_a_socket_path_in_an_unknown_home_is_refused(self, use):
        self.home = None
        use()
        with pytest.raises(UnsafePathError, match="the home directory"):
            paths.socket_path("~/phux.sock")


def test_a_relative_path_is_resolved_from_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert paths.socket_path("a/../b.sock") == str(tmp_path / "b.sock")


def test_a_path_of_the_maximum_length_is_accepted_and_can_be_bound(private):
    path = str(private / "x")
    path += "x" * (paths.SOCKET_PATH_LIMIT - len(path))
    assert paths.socket_path(path) == path
    with sockets.socket(sockets.AF_UNIX) as sock:
        sock.bind(path)


def test_the_error_for_a_path_one_byte_too_long_names_its_length_and_the_limit(private):
    path = str(private / "x")
    path += "x" * (paths.SOCKET_PATH_LIMIT + 1 - len(path))
    with pytest.raises(UnsafePathError) as caught:
        paths.socket_path(path)
    assert str(paths.SOCKET_PATH_LIMIT) in caught.value.message
    assert str(paths.SOCKET_PATH_LIMIT + 1) in caught.value.message
    assert "--socket" in caught.value.remedy


def test_the_length_of_a_path_is_measured_in_bytes():
    with pytest.raises(UnsafePathError):
        paths.socket_path("/" + "ü" * 60)


def test_a_nul_in_the_path_is_refused():
    with pytest.raises(UnsafePathError, match="paths cannot contain"):
        paths.socket_path("/tmp/a\0b")


def test_the_limit_of_a_path_is_that_of_the_platform():
    limit = 107 if sys.platform == "linux" else 103
    assert limit == paths.SOCKET_PATH_LIMIT


def test_the_lock_file_and_the_log_are_next_to_the_socket():
    assert paths.lock_path("/r/phux.sock") == "/r/phux.sock.lock"
    assert paths.log_path("/r/phux.sock") == "/r/phux.sock.log"


def test_a_private_directory_of_the_user_is_accepted(private):
    paths.check_private_directory(str(private / "phux.sock"))
    paths.ensure_private_directory(str(private / "phux.sock"))


def test_checking_a_missing_directory_raises_file_not_found(tmp_path):
    with pytest.raises(FileNotFoundError):
        paths.check_private_directory(str(tmp_path / "missing" / "phux.sock"))


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_a_missing_directory_is_created_with_mode_0700_under_any_umask(tmp_path, umask):
    old = os.umask(umask)
    try:
        paths.ensure_private_directory(str(tmp_path / "a" / "phux.sock"))
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o700


def test_missing_parent_directories_are_not_created(tmp_path):
    with pytest.raises(UnsafePathError, match="No such file"):
        paths.ensure_private_directory(str(tmp_path / "no" / "such" / "phux.sock"))
    assert not (tmp_path / "no").exists()


def test_a_tilde_is_expanded_to_the_home_directory(use):
    use(HOME="/home/me", PHUX_SOCKET="~/x.sock")
    assert paths.socket_path() == "/home/me/x.sock"


@pytest.mark.parametrize("mode", [0o701, 0o710, 0o702, 0o720, 0o704, 0o740, 0o755, 0o777, 0o1777])
@pytest.mark.parametrize("check", [paths.check_private_directory, paths.ensure_private_directory])
def test_a_directory_open_to_others_is_refused_and_its_mode_not_changed(private, mode, check):
    private.chmod(mode)
    with pytest.raises(UnsafePathError) as caught:
        check(str(private / "phux.sock"))
    assert f"{mode:04o}" in caught.value.message
    assert str(private) in caught.value.message
    assert caught.value.remedy
    assert stat.S_IMODE(private.stat().st_mode) == mode


@pytest.mark.parametrize("mode", [0o000, 0o400, 0o600, 0o500])
def test_the_remedy_for_an_inaccessible_directory_is_a_chmod_command(private, mode):
    private.chmod(mode)
    with pytest.raises(UnsafePathError, match="not accessible") as caught:
        paths.check_private_directory(str(private / "phux.sock"))
    assert caught.value.remedy == f"chmod 700 {private}"
    private.chmod(0o700)


@pytest.mark.parametrize("check", [paths.check_private_directory, paths.ensure_private_directory])
def test_a_symbolic_link_to_a_private_directory_is_refused(tmp_path, private, check):
    (tmp_path / "link").symlink_to(private)
    with pytest.raises(UnsafePathError, match="symbolic link"):
        check(str(tmp_path / "link" / "phux.sock"))


def test_a_dangling_symbolic_link_is_refused_and_not_followed(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with pytest.raises(UnsafePathError, match="symbolic link"):
        paths.ensure_private_directory(str(tmp_path / "link" / "phux.sock"))
    assert not (tmp_path / "target").exists()


@pytest.mark.parametrize("check", [paths.check_private_directory, paths.ensure_private_directory])
def test_a_file_in_place_of_the_directory_is_refused(tmp_path, check):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UnsafePathError, match="not a directory"):
        check(str(tmp_path / "file" / "phux.sock"))
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("check", [paths.check_private_directory, paths.ensure_private_directory])
def test_a_file_in_place_of_the_parent_directory_is_refused(tmp_path, check):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UnsafePathError):
        check(str(tmp_path / "file" / "sub" / "phux.sock"))


@pytest.mark.skipif(os.getuid() != 0, reason="only root can change the owner of a directory")
@pytest.mark.parametrize("check", [paths.check_private_directory, paths.ensure_private_directory])
def test_a_directory_of_another_user_is_refused(private, check):
    os.chown(private, 12345, 12345)
    with pytest.raises(UnsafePathError, match="12345") as caught:
        check(str(private / "phux.sock"))
    assert f"uid {os.getuid()}" in caught.value.message


def test_the_error_for_a_directory_that_cannot_be_created_has_a_remedy():
    with pytest.raises(UnsafePathError, match="cannot create") as caught:
        paths.ensure_private_directory("/proc/phux-test/phux.sock")
    assert "--socket" in caught.value.remedy

"""Open regular files, and check that other users cannot replace a path. Import-light, because the CLI imports it."""

import errno
import os
import stat

_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
# Errors of opening a link, a directory, and a FIFO or socket.
_OTHER_KINDS = frozenset({errno.ELOOP, errno.EISDIR, errno.ENXIO})
# The uid shown for users that this user namespace does not map, such as root outside of it.
_UNMAPPED_UID = 65534


def open_regular(path: str, flags: int, *, dir_fd: int | None = None) -> int:
    """Open a regular file and return its descriptor; ``O_CREAT`` creates it with mode 0600.

    A symbolic link is refused, and opening a FIFO does not block. Executing another program closes the descriptor.

    Raises:
        OSError: The file cannot be opened, or is not a regular file.
    """
    try:
        fd = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600, dir_fd=dir_fd)
    except OSError as error:
        if error.errno in _OTHER_KINDS:
            raise _not_regular(path) from None
        raise
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise _not_regular(path)
    return fd


def _not_regular(path: str) -> OSError:
    return OSError(errno.EINVAL, "it is not a regular file", path)


def unsafe_ancestor(path: str) -> str | None:
    """Explain which directory above a path lets other users replace it; return None if only root and we can.

    As in OpenSSH, each directory up to the root must belong to root or to us, and not be writable by others. Exceptions
    are sticky directories such as /tmp, in which users can replace only their own files, and directories that only our
    own group can write to. Missing directories are skipped.
    """
    for directory in dict.fromkeys([*_ancestors(path), *_ancestors(os.path.realpath(path))]):
        try:
            found = os.stat(directory)
        except FileNotFoundError:
            continue
        if found.st_uid not in (0, os.getuid()) and not (found.st_uid == _UNMAPPED_UID and _has_unmapped_users()):
            return f"{directory} belongs to uid {found.st_uid}"
        writable = found.st_mode & _WRITABLE_BY_OTHERS
        if writable == stat.S_IWGRP and _is_our_own_group(found.st_gid):
            continue
        if writable and not found.st_mode & stat.S_ISVTX:
            return f"{directory} is writable by others (mode {stat.S_IMODE(found.st_mode):04o})"
    return None


def _ancestors(path: str) -> list[str]:
    directory = os.path.dirname(path)
    return [directory, *_ancestors(directory)] if directory != path else []


def _is_our_own_group(gid: int) -> bool:
    """Return whether a group has the user's name and no other member: the default on many systems, with umask 002."""
    import grp
    import pwd

    try:
        name = pwd.getpwuid(os.getuid()).pw_name
        group = grp.getgrgid(gid)
    except KeyError:
        return False
    return group.gr_name == name and set(group.gr_mem) <= {name}


def _has_unmapped_users() -> bool:
    try:
        with open("/proc/self/uid_map") as file:
            return file.read().split() != ["0", "0", "4294967295"]
    except OSError:
        return False

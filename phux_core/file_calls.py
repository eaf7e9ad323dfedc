"""The calls that copy files to and from the machine of the server. Import-light like ``calls``."""

from phux_core.call import Call
from phux_core.kinds import COUNT, ID, STRING, Kind, Param, whole

FILE_CHUNK = 1024 * 1024
"""The most bytes of a file in one request or reply."""
_DIGEST = Kind(
    "a SHA-256 digest in hexadecimal",
    lambda value: isinstance(value, str) and len(value) == 64 and set(value) <= set("0123456789abcdef"),
    STRING.schema,
)
_PATH = Param("path", STRING, "the absolute path of the file", required=True)
_SHA256 = Param("sha256", _DIGEST, "the digest of the whole new content", required=True)

FILE_CALLS = (
    Call(
        "file_info",
        "Describe a file before it is copied.",
        _PATH.but(doc="the path of the file; a relative one is below the pane's directory"),
        Param("pane", ID, "the pane whose directory relative paths begin at", omitted="the home directory"),
        _SHA256.but(required=False, doc="the digest of content to write"),
        result='`path`, absolute; `kind`, which is "file", "directory", "link", "other" or "none"; `size`, `mode` (the '
        "permission bits) and `version`, which changes with the content, null unless it is a file; `part`, how many "
        "bytes of the content with the digest are there from an interrupted copy",
        repeatable=True,
    ),
    Call(
        "file_read",
        f"Read up to {FILE_CHUNK} bytes of a file. A symbolic link is not followed.",
        _PATH,
        Param("offset", COUNT, "where to begin", required=True),
        Param("version", STRING, "the version that `file_info` returned; another one is an error", required=True),
        result="`data` in base64; less than a full chunk at the end of the file",
        repeatable=True,
    ),
    Call(
        "file_write",
        f"Write up to {FILE_CHUNK} bytes of new content to a temporary file beside the file.",
        _PATH,
        _SHA256,
        Param("offset", COUNT, "where the bytes belong; not after the end of those that are there", required=True),
        Param("data", STRING, "the bytes in base64", required=True),
        repeatable=True,
    ),
    Call(
        "file_commit",
        "Give new content that was written completely its path, in one step. A symbolic link is not replaced.",
        _PATH,
        _SHA256,
        Param("mode", whole(0, 0o777), "the permission bits", required=True),
        keyed=True,
    ),
)

"""``upgrade``: replace the service by that of the release that the client runs."""

from phux_client.flows._kinds import Request
from phux_core.errors import NoServerError, RefusedError, ServiceRestartingError, StartFailedError
from phux_core.version import __version__, is_newer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document, Flow


def upgrade(python: str, *, force: bool = False) -> "Flow[Document]":
    """Replace the service by that of this client's release, and return an Upgraded document.

    Args:
        python: The interpreter that has this client's release.
        force: Replace it although it is of the same release, or of a newer one.
    """
    try:
        status = yield Request("status")
    except NoServerError:
        return _document(None, {"version": __version__})
    if "problem" in status:
        raise ServiceRestartingError(status["problem"])
    before = status["version"]
    if before == __version__ and not force:
        return _document(before, status)
    if is_newer(before, __version__) and not force:
        raise RefusedError(
            f"the service runs phux {before}, and this is phux {__version__}, which is older",
            remedy=f"use phux {before}, or pass --force to go back to {__version__}",
        )
    pid = status["service_pid"]
    status = yield Request("upgrade", python=python, version=__version__, service_pid=pid)
    if status["version"] != __version__:
        raise StartFailedError(
            f"the service of phux {__version__} ended before it was ready, so that of {status['version']} continues",
            remedy=f"look at {status['log'] or 'the terminal of `phux server`'}",
        )
    return _document(before, status, replaced=status["service_pid"] != pid)


def _document(before: str | None, status: "Document", *, replaced: bool = False) -> "Document":
    return {
        "schema_version": 1,
        "replaced": replaced,
        "version": status["version"],
        "previous_version": before,
        "keeper_version": status.get("keeper_version"),
    }

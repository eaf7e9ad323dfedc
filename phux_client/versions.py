"""Compare the releases of client, service and keeper. Import-light."""

from phux_core.version import __version__, is_newer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document


def describe_service(status: "Document") -> "tuple[str, str] | None":
    """Return how the release of the service differs from that of this client, and what to do; None if it does not."""
    version = status["version"]
    if "problem" in status or version == __version__:  # the keeper does not know the release of the service
        return None
    if is_newer(version, __version__):
        return f"the service runs phux {version}, and this is phux {__version__}", f"install phux {version} here"
    return (
        f"the service runs phux {version}, and phux {__version__} is installed",
        "run `phux upgrade`: it replaces the service, and programs continue",
    )


def describe_keeper(status: "Document") -> str | None:
    """Return how the release of the keeper differs from that of the service; None if it does not."""
    version = status.get("keeper_version")
    if "problem" in status or version in {None, status["version"]}:
        return None
    return (
        f"the keeper runs phux {version}, which works with the service of {status['version']}; "
        "it is replaced when the server ends (`phux kill --server` ends it and every program)"
    )

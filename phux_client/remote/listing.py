"""What runs on all hosts of the config file, asked at the same time."""

from concurrent.futures import ThreadPoolExecutor

from phux_client import flows
from phux_client.blocking.driver import Driver
from phux_core import config, errors, hosts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document

_MOST_AT_ONCE = 32
_TIMEOUT_S = 15.0


def list_hosts(client: str) -> "Document":
    """Return a HostList document of this machine and every host of the config file, also of those that fail.

    Args:
        client: The name of this program in the command ledger.
    """
    tables = config.load(config.config_path())["hosts"]
    assert isinstance(tables, dict)
    names = [hosts.LOCAL, *(name for name in tables if name != hosts.LOCAL)]

    def ask(name: str) -> "Document":
        try:
            with Driver(host=name, timeout_s=_TIMEOUT_S, client=client) as phux:
                return {"host": name, "tree": phux.drive(flows.tree()), "error": None, "remedy": ""}
        except errors.PhuxError as error:
            problem = {"code": error.code, "message": error.message}
            return {"host": name, "tree": None, "error": problem, "remedy": error.remedy}

    with ThreadPoolExecutor(_MOST_AT_ONCE) as threads:
        return {"schema_version": 1, "hosts": list(threads.map(ask, names))}

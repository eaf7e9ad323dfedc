"""Every verb once, as a generator without I/O.

A flow yields a ``Request``, a ``NextEvent``, or a ``Deadline`` for the requests that follow. The driver of a flow
performs each step; the ``yield`` then returns the result, or raises the error. A flow returns a plain JSON document.
The async client, the blocking client, the CLI and the MCP adapter all run these flows.

Common parameters of flows are ``caller``, the calling process; ``target``, a selector or an id, by default the focused
session; and ``timeout_s``. The client's method that runs a flow describes the other parameters.

Import-light, because the CLI imports this package: modules are imported when one of their names is first used.
"""

from phux_core.lazy import importer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._conditions import *
    from phux_client.flows._kinds import *
    from phux_client.flows._types import *
    from phux_client.flows.acting import *
    from phux_client.flows.arranging import *
    from phux_client.flows.attaching import *
    from phux_client.flows.command_waiting import *
    from phux_client.flows.exporting import *
    from phux_client.flows.locating import *
    from phux_client.flows.log_reading import *
    from phux_client.flows.making import *
    from phux_client.flows.past_reading import *
    from phux_client.flows.pointing import *
    from phux_client.flows.processes import *
    from phux_client.flows.reading import *
    from phux_client.flows.running import *
    from phux_client.flows.sending import *
    from phux_client.flows.target import *
    from phux_client.flows.upgrading import *
    from phux_client.flows.waiting import *
    from phux_client.flows.watching import *

# No module has the name of a flow, because importing such a module would replace the flow.
_NAMES = {
    "_conditions": "Conditions",
    "_kinds": "Caller Deadline NextEvent Request within",
    "_types": "Document Flow Step",
    "acting": "ACT_TIMEOUT_S act",
    "arranging": "layout move move_divider rename resize select swap zoom",
    "attaching": "detach go_to latest",
    "exporting": "export export_material",
    "command_waiting": "wait_command",
    "locating": "highlighted locate locate_all until_screen",
    "log_reading": "LogPlace commands follow log_list logs next_logs output search",
    "making": "new new_window split",
    "past_reading": "film past_screen recording timeline",
    "pointing": "BUTTONS MODIFIERS POINT_TIMEOUT_S click drag scroll",
    "processes": "history_limit kill kill_server signal start stop",
    "reading": "changes ls screenshot snapshot status tree",
    "running": "RUN_TIMEOUT_S leave_run run",
    "sending": "paste send_keys",
    "target": "find find_node find_pane",
    "upgrading": "upgrade",
    "waiting": "next_event wait",
    "watching": "EVENTS watch",
}
_MODULES = {name: f"{__name__}.{module}" for module, names in _NAMES.items() for name in names.split()}
__all__ = list(_MODULES)
__getattr__ = importer(globals(), _MODULES)

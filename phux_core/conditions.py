"""Parameters of `wait` and `act`: conditions that the client checks, so they are not parameters of a call.

The CLI and the MCP tools accept them and print their descriptions. Import-light, because the CLI imports this module.
"""

from phux_core.kinds import BOOLEAN, COUNT, STATES, STRING, Param, list_of, one_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

CONDITIONS: "Mapping[str, Param]" = {
    param.name: param
    for param in (
        Param("until", STRING, "a line contains this text"),
        Param("regex", STRING, "a line matches this Python regex"),
        Param("gone", STRING, "no visible line contains this text"),
        Param("idle_ms", COUNT, "there was no output for this many milliseconds"),
        Param(
            "state",
            list_of(one_of(*STATES), f"a list of {', '.join(STATES)}, at least one", least=1),
            "the pane is in one of these states",
        ),
        Param("stop", STRING, "stop as soon as a line matches this Python regex"),
        Param("since", COUNT, "ignore output before this sequence number"),
        Param("output_only", BOOLEAN, "ignore prompts and the echo of typed text"),
    )
}
"""Every condition by its name."""

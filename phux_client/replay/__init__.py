"""Replay: play a recording in the user's terminal.

pacing    which moment to show, as time passes
commands  the commands and states of a recording, by time
film      pages of a film as screens
view      the composed screen and the status line
loading   load pages in a thread
player    the event loop

Only ``loading`` and ``player`` do I/O. The screen is drawn with ``phux_client.tui``.
"""

from phux_client.moments import Place
from phux_client.tui import outer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_client.flows._types import Document


def check_terminal() -> None:
    """Raise RefusedError if there is no terminal that can draw."""
    outer.check("replay", "use `phux export --format cast`")


def replay(
    load: "Callable[[Place, Place], Document]",
    recording: "Document",
    *,
    speed: float = 1.0,
    max_idle_s: float | None = None,
) -> int:
    """Play a part of a recording in this terminal until the user quits, and return the exit code.

    Args:
        load: Returns the page of the film that starts at the first of two places.
        recording: The result of the flow ``recording``.
        speed: How many seconds of the recording to play in a second.
        max_idle_s: The longest time without a change to play, in seconds of the recording; None for no limit.
    """
    from phux_client.replay.commands import Commands
    from phux_client.replay.player import Player

    terminal = outer.Outer()
    signals = outer.Signals()
    first, last = Place(*recording["first"]), Place(*recording["last"])
    player = Player(
        lambda place: load(place, last),
        Commands(recording["entries"]),
        first,
        last,
        outer=terminal,
        signals=signals,
        speed=speed,
        max_idle_s=max_idle_s,
    )
    try:
        terminal.enter()
        player.run()
    finally:
        terminal.close()
        signals.close()
    return player.code

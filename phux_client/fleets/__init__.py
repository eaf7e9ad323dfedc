"""Fleets: the servers of several hosts, used together.

background  work beside the caller's task, and the stream of its results
members     the connection to each host
schedule    which item runs next, without I/O
mapping     runs a task per item wherever there is room
results     the values that methods of a fleet return
fleet       ``fleet`` and ``Fleet``
"""

from phux_client.fleets.fleet import Fleet, fleet
from phux_client.fleets.results import HostEvents, HostResult, ItemResult, ItemResults

__all__ = ["Fleet", "HostEvents", "HostResult", "ItemResult", "ItemResults", "fleet"]

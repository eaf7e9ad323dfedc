"""The keeper: the small, dull process that owns what must not be lost.

It forks children under PTYs, holds the PTY masters and the listening socket, reaps children and keeps their exit
status, and restarts the service when it dies. It parses nothing that a client or a program sends, so it has next
to nothing to die of. It runs as ``python -P -m phux_core.keeper``.

    channel     messages with file descriptors between keeper and service
    children    forking, ending and reaping the programs
    journal     what programs wrote, in memory that outlives the service; feed_mark: whose bytes it is at
    listener    the listening socket: lock, stale sockets, safe unlinking
    supervisor  the loop: signals, the service's life and death, shutdown
    __main__    arguments, detaching, readiness
"""

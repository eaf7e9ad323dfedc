"""The keeper: the small, dull process that owns what must not be lost.

It forks children under PTYs, holds the PTY masters and the listening socket, reaps children and keeps their exit
status, and restarts the service when it dies. It parses nothing that a client or a program sends, so it has next
to nothing to die of. It runs as ``python -P -m phux_core.keeper``.

    channel     messages with file descriptors between keeper and service
    children    forking, ending and reaping the programs
    journal     what programs wrote, in memory that outlives the service; feed_mark: which pane it is at
    listener    the listening socket: lock, stale sockets, safe unlinking
    logfile     the server's log
    notices     what clients are told while no service is ready
    restarts    when to start the service again, and which panes to leave blank
    supervisor  the loop: signals, the service's life and death, shutdown
    __main__    arguments, detaching, readiness
"""

"""The keeper: the small, simple process that owns everything that must survive a crash of the service.

It starts child processes under PTYs, holds the PTY masters and the listening socket, reaps children and stores their
exit status, and restarts the service when it dies. It parses nothing that a client or a program sends, so little can
crash it. It runs as ``python -P -m phux_core.keeper``.

    channel     messages with file descriptors between keeper and service
    ready       one turn of the event loop
    children    start, terminate and reap child processes
    journal     output of programs, in memory that outlives the service
    feed_mark   the pane that the service is feeding
    listener    the listening socket: lock, stale sockets, safe unlinking
    logfile     the server's log
    notices     connections of clients while no service answers
    restarts    when to start the service again, and which panes to leave blank
    process     the process of the service
    stored_state  the state that the keeper passes on to the next service
    status      the status that the keeper reports if the service does not answer
    supervisor  the event loop: signals, the service's lifecycle, shutdown
    witness     system calls of processes, read on behalf of the service
    __main__    arguments, detaching, readiness
"""

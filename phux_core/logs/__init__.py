"""What panes wrote, on disk: one directory a pane, the stream in segments that are named by their absolute offsets.

    STATE/phux/logs/SERVER/pane-N/
        00000000000000000000.log   the first bytes; each name is the place of the segment's first byte in the stream
        00000000000004194304.log   a gap between two segments is a hole: bytes that could not be written
        lines                      how many lines each finished segment has
        commands                   the ledger, a JSON object a line
        meta.json                  session, command, size, times, how it ended

No event loop and no sockets here, and nothing that waits. The service writes; a worker process reads, searches and
renders, so that neither a large log nor a regular expression that explodes can keep the service from its panes.

    places      names, private directories, which logs there are
    writing     appending and rotating
    stored      one log as it stands on disk
    text        stripping, rendering, filtering
    cutting     lines within a budget
    reading     one read with all its options
    searching   all logs for a pattern
    cleaning    the bounds: all together, and by age
    worker      the process that reads
"""

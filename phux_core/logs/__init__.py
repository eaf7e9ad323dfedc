"""Output of panes on disk: one directory per pane, the stream in segments named by their absolute offsets.

    STATE/phux/logs/SERVER/pane-N/
        00000000000000000000.log   the first bytes; each name is the offset of the segment's first byte in the stream
        00000000000004194304.log   a gap between two segments is a hole: bytes that could not be written
        lines                      the line count of each finished segment
        commands                   the command ledger, one JSON value per line
        meta.json                  session, command, sizes, times, exit status

This package has no event loop and no sockets. The service writes; a worker process reads, searches and renders, so that
neither a large log nor a slow regular expression can block the service.

    places      names, private directories, finding logs
    writing     appending and rotating
    stored      one log on disk
    sizes       the sizes of the terminal
    text        stripping, rendering, filtering
    cutting     lines within a byte budget
    reading     one read with all its options
    searching   search all logs for a pattern
    listing     list logs and their command ledgers
    ledger      the command ledger
    pane_ids    unique pane ids
    cleaning    limits on total size and age
    worker      the process that reads
"""

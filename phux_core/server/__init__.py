"""The service: the process that gives bytes their meaning. It may crash, and may be replaced while it runs.

Packages, bottom to top; each imports only from those above it in this list:

sync         a waker, a promise, the lock of a pane
kernel       foreground processes, system calls, line discipline, peer credentials
pty          bytes from and to a PTY master
shell        what a shell is doing
run          a command typed at a prompt, its exit code and its output
screen       snapshots, changes, attach frames, rebuilding
history      logs and command ledgers
tree         sessions, windows and panes: records, layout, start and end
pane         one live pane
push         events, text and attach frames for clients
api          connections and calls
service      all of it put together; keeper_link, settings and __main__ belong to it
"""

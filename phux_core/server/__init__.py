"""The service: the process that interprets output and answers clients. It may crash, and may be replaced while it runs.

Packages and modules, bottom to top. Each imports only from those above it in this list, also for type checkers;
tests/unit/test_imports.py reads the list.

sync          a waker and a promise
admission     how many clients are served
connection    the connected clients: their frames, their pending requests, and everything sent to them
receipts      the outcomes of requests that change something
settings      the options that the keeper was started with
kernel        foreground processes, system calls, line discipline, peer credentials
keeper_link   the channel to the keeper
pane_record   the state of a pane that survives a restart
pane_faults   keeps a fault in one pane from the others
pty           bytes from and to a PTY master
shell         the state of a shell
history       logs and command ledgers
run           a command typed at a prompt, its exit code and its output
screen        the terminal, changes, attach frames, rebuilding
pane_engines  creates, rebuilds and replaces the engines of panes
tree          sessions, windows and panes: records, layout, start and end
pane          one live pane
ending        records and ends the panes of a server whose keeper is gone
documents     the screen of a pane and the tree, as calls return them
push          events, text and attach frames for clients
service       panes, keeper and clients put together
takeover      the check that another release can take over
api           the handlers of calls
__main__      the process that the keeper starts
template      a process that forks embedded servers
"""

"""The service: the process that gives bytes their meaning. It may crash, and may be replaced while it runs.

tree         sessions, windows and panes as plain records: names, order, focus, ids
pane         one live pane: reading, feeding, typing; typing_queue: what is on its way to the program
pane_focus   which panes have the focus, told to programs that ask
reading      whose turn it is to be read, so that a flood starves nobody
intake       reading one pane; drain, read_ahead: reading a flood
recovery     a pane's terminal as it was when the last service died
screen       a pane's screen as it goes over the wire
launch       what a new pane starts: program, directory, environment, size
events       who is told what
connection   one client: handshake, frames, bounds; peer: who it is
dispatch     what each call does
keeper_link  the service's end of the channel to the keeper; settings: what the keeper was told
lifecycle    when the server ends, and when dead panes are let go
service      all of it put together
"""

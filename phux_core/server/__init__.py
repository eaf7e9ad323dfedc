"""The service: the process that gives bytes their meaning. It may crash, and may be replaced while it runs.

tree        sessions, windows and panes as plain records: names, order, focus, ids
pane        one live pane: reading, feeding, typing
reading     whose turn it is to be read, so that a flood starves nobody
events      who is told what
connection  one client: handshake, frames, bounds
dispatch    what each call does
keeper_link the service's end of the channel to the keeper
lifecycle   when the server ends, and when dead panes are let go
service     all of it put together
"""

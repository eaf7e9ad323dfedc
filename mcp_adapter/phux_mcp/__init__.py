"""``phux-mcp``: phux for MCP hosts, over stdio. JSON-RPC by hand; every tool is a flow of phux_client.

main        argv: serve, set a host up, check, print the catalog
streams     stdin and stdout in the event loop
jsonrpc     lines to messages, and the right error for what is none
revisions   what the revisions of MCP do differently
server      one conversation: calls side by side, cancelling
methods     what each method answers; progress: how far a call is
catalog     the tools as a table: what each takes, gives and may do
arguments   arguments against an input schema
answers     results as text and as structured content; budget: how much of them
highlights  styled cells as runs of text
links       connections to phux servers, made when needed
tools       what the tools do, by theme
resources   sessions, screens and logs to read and to subscribe to
prompts     ways of working, for people to pick
profiles    the tools of two other systems, over the same terminals
setup       the configuration of hosts; check plays a host
"""

"""``phux-mcp``: phux for MCP hosts, over stdio, with its own JSON-RPC; every tool is a flow of phux_client.

main         argv: serve, set up a host, check, print the catalog
environment  completes the environment that hosts pass on
streams      stdin and stdout in the event loop
completing   completes the arguments of prompts and resource templates
icon         the icon of phux
jsonrpc      lines to messages, and errors for invalid lines
revisions    the differences between the revisions of MCP
server       one connection to a host: concurrent calls, cancellation
methods      the methods of MCP
calling      calls of tools
tasks        calls that a host polls
asking       asks the person for secrets
secret_page  the page on which a secret is typed
progress     the progress of a call
arguments    accepts arguments as models spell them
catalog      the table of tools: parameters, results, safety
answers      results as text and as structured content
brief        the texts of results, in few tokens
budget       the size limit of results
highlights   styled cells as runs of text
targets      one name for a pane in all results
links        connections to phux servers, made on demand
own_panes    protects the pane in which the host runs
tools        the tools, by theme
resources    sessions, screens and logs, to read or to subscribe to
prompts      workflows for people to choose from
profiles     the tools of two other systems, over the same terminals
setup        the configuration of hosts
config_text  sets an entry in a host's configuration file
check        tests the adapter as a host would
"""

"""``phux-mcp``: phux for MCP hosts, over stdio. JSON-RPC by hand; every tool is a flow of phux_client.

main   the loop: lines in, lines out
tools  the catalog, and what each tool does
"""

"""The ``phux`` command: arguments in, documents out, exit codes as promised. Everything it does, phux_client does.

main        from argv to exit code
verbs       one module a verb; the table of them
connection  the way to the server
output      documents, errors, boxes
manual      docs/cli.md out of the verbs' own help
"""

"""The ``phux`` command: a thin layer that parses arguments, calls phux_client, and prints documents.

main        from argv to exit code
usage       the parsers of the verbs, and usage errors
verbs       one module per verb, and the table of verbs
connection  connect to the server
attaching   show a session in this terminal
output      documents, errors, boxes
manual      generate docs/cli.md from the verbs' help
"""

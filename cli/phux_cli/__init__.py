"""The ``phux`` command: a thin layer that parses arguments, calls phux_client, and prints documents.

main        from argv to exit code
verbs       one module per verb, and the table of verbs
connection  connect to the server
output      documents, errors, boxes
manual      generate docs/cli.md from the verbs' help
"""

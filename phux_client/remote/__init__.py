"""Servers on other machines, reached through the user's own OpenSSH.

    stream     the connection: an ssh process whose stdin and stdout are one socket
    command    the command lines of ssh and of the shell on the host
    diagnosis  errors of ssh, and their remedies
    starting   starts a server there
    login      logs in on a terminal, where ssh can ask
    listing    what runs on all hosts
    checking   checks every step of reaching a host
    proxy      the end of the connection on the host

Only ``phux_client.unix_socket`` opens such connections, and imports this package when an address is remote.
"""

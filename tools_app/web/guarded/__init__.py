"""Guarded processes: each makes one web request, without access to keys, and then exits.

Only these processes read what web servers send, which may be hostile. A process knows nothing of the site: it reads a
request from standard input, gives up all privileges that it does not need (`confine`), and answers on standard output.
"""

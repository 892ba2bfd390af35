"""Start a whole site on one machine and keep it running: `python -m deploy.launcher`.

The processes are those of the Procfile. A process that dies is restarted. Ctrl-C, or the death of the launcher, ends
all of them. This package does not import Django, so that it starts without delay.
"""

"""Start a whole site on one machine and keep it running: `python -m deploy.launcher`.

It starts the processes of the Procfile. A process that dies is restarted. Ctrl-C, or the death of the launcher, ends
all of them. This package does not import Django, so that it starts without delay.
"""

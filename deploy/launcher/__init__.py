"""Starts a whole site on one machine and keeps it running: `python -m deploy.launcher`.

The processes are those of the Procfile. One that dies is started again, for the site promises to survive that;
Ctrl-C, or the launcher's own death, ends them all. This package imports no Django: it must be there at once.
"""

"""The container engine of a site: an engine that is already running, or a private one that starts and stops with the
site."""

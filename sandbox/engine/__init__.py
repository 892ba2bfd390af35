"""The container engine: the one that answers, or a private one that is started and stopped with the site."""

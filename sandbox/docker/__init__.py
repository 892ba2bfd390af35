"""Sandboxes as Docker containers. The only place that imports the Docker SDK (with `sandbox.image.build`)."""

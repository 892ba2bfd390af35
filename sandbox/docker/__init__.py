"""Sandboxes as Docker containers. The only place that imports the Docker SDK (with `sandbox.image.build`)."""

from sandbox.docker.deployment import CarrierKind, DockerDeployment

__all__ = ["CarrierKind", "DockerDeployment"]

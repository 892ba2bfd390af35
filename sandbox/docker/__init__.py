"""Sandboxes as Docker containers. Only this package and `sandbox.image.build` import the Docker SDK."""

from sandbox.docker.deployment import CarrierKind, DockerDeployment

__all__ = ["CarrierKind", "DockerDeployment"]

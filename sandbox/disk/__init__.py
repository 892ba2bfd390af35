"""Disks of workspaces on this host, and their limits. Independent of container engine and site."""

from sandbox.disk.driver import DiskDriver, DriverName, KernelResources, Prepared
from sandbox.disk.folders import Folders
from sandbox.disk.workspace_disks import WorkspaceDisks

__all__ = ["DiskDriver", "DriverName", "Folders", "KernelResources", "Prepared", "WorkspaceDisks"]

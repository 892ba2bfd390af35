"""Where workspaces keep their files on this host, and what holds them to their limits. Knows no engine and no site."""

from sandbox.disk.driver import DiskDriver, DriverName, Held, Prepared
from sandbox.disk.folders import Folders
from sandbox.disk.workspace_disks import Places

__all__ = ["DiskDriver", "DriverName", "Folders", "Held", "Places", "Prepared"]

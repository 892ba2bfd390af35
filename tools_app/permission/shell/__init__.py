"""Static analysis of shell commands: which commands a text runs, which paths it touches, and whether that is all.

Pure functions: nothing is executed, and no file is read.
"""

from tools_app.permission.shell import arity
from tools_app.permission.shell.analysis import analyze
from tools_app.permission.shell.model import Command, PathUse, Redirect, ShellAnalysis

__all__ = ["Command", "PathUse", "Redirect", "ShellAnalysis", "analyze", "arity"]

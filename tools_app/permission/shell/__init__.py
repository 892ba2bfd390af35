"""Static analysis of shell commands: finds the commands that a text runs, and the paths that it touches.

Pure functions: nothing is executed, and no file is read. A "shell text" is what `bash -c` would get as its argument. A
"doubt" is a reason why a text may do more than the analysis lists; people see doubts on permission requests.
"""

from tools_app.permission.shell import arity
from tools_app.permission.shell.analysis import analyze
from tools_app.permission.shell.model import Command, PathUse, Redirect, ShellAnalysis

__all__ = ["Command", "PathUse", "Redirect", "ShellAnalysis", "analyze", "arity"]

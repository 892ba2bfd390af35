"""What a shell text would run and touch, and whether that is all of it. Pure: text in, values out."""

from tools_app.permission.shell import arity
from tools_app.permission.shell.analysis import analyze
from tools_app.permission.shell.model import Command, PathUse, Redirect, ShellAnalysis

__all__ = ["Command", "PathUse", "Redirect", "ShellAnalysis", "analyze", "arity"]

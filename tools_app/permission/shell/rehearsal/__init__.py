"""What an incomplete text would run, worked out from the text alone.

The analysis proper says what a text surely does, or that it does not know. For texts of which it does not know
everything, this package plays the text through: with the values of variables, arrays and parameters, with what `echo`
prints and what `rev`, `tr`, `cut`, `sed` and their kin make of it, with files that the text writes itself. Nothing is
run, and nothing is read. What comes of it are guesses: they are for rules that ask or deny, and never allow anything.
"""

from tools_app.permission.shell.rehearsal.scene import Rehearsed
from tools_app.permission.shell.rehearsal.walk import rehearse

__all__ = ["Rehearsed", "rehearse"]

"""Find the commands that an incomplete text would run, from the text alone.

The main analysis says what a text certainly does, or that it does not know. For a text that is not completely known,
this package simulates it: with the values of variables, arrays and parameters, with the output of `echo` and of filters
such as `rev`, `tr`, `cut` and `sed`, and with files that the text writes itself. Nothing is run, and no file is read.
The results are guesses: they are used for rules that ask or deny, and never allow anything.
"""

from tools_app.permission.shell.rehearsal.scene import Rehearsed
from tools_app.permission.shell.rehearsal.walk import rehearse

__all__ = ["Rehearsed", "rehearse"]

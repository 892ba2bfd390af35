"""Guess: the possible output of a program of which a part is not simulated."""


class Guess(str):
    """A possible output. A program may print any other text, because an option or a command of it is not simulated."""

    __slots__ = ()

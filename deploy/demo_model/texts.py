"""What the demo model says when it is more than a line. It never pretends to be a language model."""

from typing import Final

WHO: Final = (
    "I am the demo model: a small program that plays the part of a language model, so that this site works "
    "without any key."
)
ABILITIES: Final = """\
- **fix the failing test** of a small Python project
- **list** the files, **read** a file, **search for** a text, **find** files by pattern
- **run** a command: run `ls -la`
- **write** a file: write notes.txt with some words
- **replace** a text: replace `a` with `b` in notes.txt
- **look at** a picture, a PDF or a text that you attach or that I read, as far as its kind and size go
- **ask general** or **ask explore** to do one of these, as a sub-agent: @explore list the files
- **ask me** something, or keep a **todo** list: todo: first, second"""
GREETING: Final = f"Hello! {WHO} This is what I can do:\n\n{ABILITIES}"
NOT_UNDERSTOOD: Final = (
    f"{WHO} I do not understand that instruction. What I can do:\n\n{ABILITIES}\n\n"
    "For anything else, the people who run this site can connect a real model."
)
GIVEN: Final = "This is what I was shown. I am no real model, so its kind and size are all that I can see:\n\n{files}"

NEEDS_TOOLS: Final = "To fix a test I need at least the tools `glob` and `read`, and this agent does not offer them."
NO_TESTS: Final = (
    "I found no tests here: no file named `test_*.py` with test functions in it. So there is nothing that I could fix."
)
ONLY_A_DEMO: Final = "I am only a demo model: this one needs a person or a real model."
NO_SMALL_CHANGE: Final = (
    "`{test}` fails: {why}. I tried the small changes that I know (comparisons, operators, numbers, names), and none "
    f"makes it pass without breaking another test. {ONLY_A_DEMO}"
)
THOUGHT: Final = (
    "{test} in {test_path}: {why}. I walked the lines that it runs and tried small changes on paper. In {path}, "
    "line {line}: {change}. With that, all {total} tests that I can follow pass."
)
REASON: Final = "`{test}` fails: {why}.\n\nThe reason is line {line} of `{path}`. There, {change}."
MAY_NOT_EDIT: Final = "This agent may not edit, so I leave the change to you."
CANNOT_RUN: Final = "I have no tool to run the tests, so please do that before you trust it."
GAVE_UP: Final = (
    "I could not fix it. {names} fails ({counts}), and {tried} small changes that I tried did not help; I took each "
    f"back, so the files are as they were. {ONLY_A_DEMO}"
)
EDIT_REFUSED: Final = "The edit was not made: {why} I stop here, so that nothing is half done."
TESTS_DID_NOT_RUN: Final = "The tests did not run; this is what came back:\n\n{output}\n\n{leftover}"
UNCONFIRMED: Final = "The tests have not confirmed it, so please run `{command}` yourself."

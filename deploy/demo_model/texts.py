"""Longer answers of the demo model. They always state that it is not a language model."""

from typing import Final

WHO: Final = (
    "I am the demo model: a small scripted program, not a language model. I am here so that this site works without "
    "an API key."
)
REAL_MODEL: Final = (
    "To connect a real model, add a provider on the team's page under Providers, or start the site with `MODEL_NAME`, "
    "`MODEL_API_KEY` and, for an endpoint of your own, `MODEL_BASE_URL`; `docs/models.md` explains both."
)
ABILITIES: Final = """\
- **fix the failing test** of the demo project, the tea shop
- **list** the files, **read** a file, **search for** a text, **find** files by pattern
- **run** a command: run `ls -la`
- **write** a file: write notes.txt with some words
- **replace** a text: replace `a` with `b` in notes.txt
- **look at** a picture, a PDF or a text that you attach or that I read: I report its type and size
- **ask general** or **ask explore** to do one of these, as a sub-agent: @explore list the files
- **ask me** something, or keep a **todo** list: todo: first, second"""
GREETING: Final = f"Hello! {WHO} This is what I can do:\n\n{ABILITIES}"
NOT_UNDERSTOOD: Final = f"{WHO} I do not understand that instruction. What I can do:\n\n{ABILITIES}\n\n{REAL_MODEL}"
FILES_SHOWN: Final = "I was shown these files. I am not a real model: I can only report their type and size.\n\n{files}"

ONLY_TEA_SHOP: Final = (
    "I am a scripted demo model, not a language model: the only mistake that I can correct is the one in the demo "
    f"project, the tea shop. {REAL_MODEL}"
)
NEEDS_READ: Final = "To fix the test I need at least the tool `read`, and this agent does not offer it."
THOUGHT: Final = "I know the demo project's mistake in advance: a line of {path} makes {test} fail."
REASON: Final = "The mistake is in `{path}`, in the line `{old}`: {why}."
MAY_NOT_EDIT: Final = "This agent may not edit files, so I leave the change to you."
EDIT_REFUSED: Final = "The edit was not made: {why} I stop here."
CANNOT_RUN: Final = "I have no tool to run the tests, so please run them before you rely on the change."
UNCONFIRMED: Final = "The tests have not confirmed this change."
FIXED: Final = (
    "Fixed: all {passed} tests pass now.\n\n{changed}\n\nI am a scripted demo model, not a language model: I knew this "
    "mistake in advance."
)
NOTHING_TO_FIX: Final = "All {passed} tests pass already. There is nothing to fix, and I changed nothing."
TESTS_DID_NOT_RUN: Final = "The tests did not run."
UNKNOWN_FAILURE: Final = f"{{summary}} This is the end of the output:\n\n{{output}}\n\n{{leftover}}\n\n{ONLY_TEA_SHOP}"
UNKNOWN_MISTAKE: Final = f"`{{path}}` does not contain the mistake that I know. I changed nothing.\n\n{ONLY_TEA_SHOP}"
COMMITTED: Final = "The change is committed."
PUSHED: Final = "The change is committed, and its branch is pushed."
GIT_FAILED: Final = "`{command}` failed, so I stop here:\n\n```\n{output}\n```"

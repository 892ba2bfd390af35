"""Turn a parsing error into the reason to show to people. Pure."""

from pydantic import ValidationError


def reason_of(error: Exception) -> str:
    """Return the reason of a parsing error, as a short sentence for people."""
    text = str(error).strip().partition("\n")[0]
    if isinstance(error, ValidationError):
        text = str(error.errors(include_url=False, include_context=False, include_input=False)[0]["msg"])
    if isinstance(error, RecursionError):
        text = "it is nested too deeply"
    return f"{text.removeprefix('Value error, ').rstrip('.')[:300]}."

"""The errors {code, message, hint} of turns that this site ended, such as after too many steps."""

from agentsite.base.error_codes import ErrorCode
from tools_app.text import counted


def workers_died(number: int) -> dict[str, str]:
    return {
        "code": ErrorCode.STEP_KILLS_WORKER,
        "message": f"This step was abandoned: {number} workers crashed or stopped responding while running it.",
        "hint": "Everything before it is kept. Send another message to continue, if possible with a smaller task.",
    }


def too_many_steps(number: int) -> dict[str, str]:
    return {
        "code": ErrorCode.STEP_LIMIT,
        "message": f"The agent stopped after {counted(number, 'step')} without finishing.",
        "hint": "Everything it did is kept. Send another message to let it continue.",
    }


def agent_missing(name: str) -> dict[str, str]:
    return {
        "code": ErrorCode.AGENT_MISSING,
        "message": f"The agent '{name}' of this session no longer exists.",
        "hint": "Choose another agent, then send the message again.",
    }

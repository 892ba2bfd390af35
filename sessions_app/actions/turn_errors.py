"""Why a turn was ended by the site itself, in words for people."""

from tools_app.text import counted


def workers_died(number: int) -> dict[str, str]:
    return {
        "code": "step_kills_worker",
        "message": f"This step was given up after {number} workers died or hung while they made it.",
        "hint": "Everything before it is kept. Send another message to go on, perhaps in smaller pieces.",
    }


def too_many_steps(number: int) -> dict[str, str]:
    return {
        "code": "step_limit",
        "message": f"The agent stopped after {counted(number, 'step')} without coming to an end.",
        "hint": "Everything it did is kept. Send another message to let it go on.",
    }


def agent_missing(name: str) -> dict[str, str]:
    return {
        "code": "agent_missing",
        "message": f"The agent '{name}' of this session is not there any more.",
        "hint": "Choose another agent, then send the message again.",
    }

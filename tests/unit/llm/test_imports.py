"""Importing the model gateway loads no provider library, because every process of the site imports the gateway."""

import subprocess
import sys


def test_importing_the_gateway_loads_no_provider_library() -> None:
    code = (
        "import sys, sessions_app.llm.gateway, sessions_app.llm.prices, sessions_app.llm.retry;"
        "print(sorted({'openai', 'litellm', 'aiohttp', 'mcp'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_reading_prices_does_not_import_litellm() -> None:
    code = (
        "import sys; from sessions_app.llm.port import ModelEndpoint; from sessions_app.llm.prices import model_facts;"
        "print(model_facts(ModelEndpoint('litellm', 'gpt-4o')).context, 'litellm' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["128000", "False"]

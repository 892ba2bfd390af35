"""The demo model: a small server that speaks OpenAI's chat completions.

Without a script it follows simple instructions for real, deciding from the tool results it gets (`planner`).
With one it says what a test or benchmark told it to (`scripts`). It is no language model and says so.
"""

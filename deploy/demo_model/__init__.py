"""The demo model: a small scripted server that speaks OpenAI's chat-completions format.

It is not a language model, and its answers say so. Requests that name a script get the answers that a test or benchmark
posted (`scripts`). For all other requests it follows simple instructions, and derives each step from the tool results
so far (`planner`).
"""

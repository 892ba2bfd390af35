"""Commands as data: ways around the rules, and what people and agents type every day.

`python -m tests.corpora.shell` judges all of them and prints the numbers; `python -m
tests.corpora.shell.agent_figures` judges the commands of coding agents under each preset.
"""

"""Shell commands as test data: commands that try to bypass rules, and everyday commands of people and agents.

`python -m tests.corpora.shell` judges all of them and prints the numbers; `python -m tests.corpora.shell.agent_figures`
judges the commands of coding agents under each preset.
"""

"""Attempts to escape from a sandbox, or to misuse its permitted operations, as data.

case        classes of attempts            inside      the program that makes them, run in a container
house       sandboxes, a neighbour, and canaries on the host
attempts    the attempts, a module for each category
report      the table in docs/threat-model.md: `python -m tests.integration.sandbox.hostile report`

A successful attempt does no harm: dangerous files are only opened, and dangerous calls get arguments that change
nothing. Traffic stays on the loopback, except for connections to addresses that must be unreachable.
"""

"""Attempts to get out of a sandbox, or to misuse what it leaves open, as data.

case        what an attempt is             inside      the program that makes them, run in a container
house       sandboxes, a neighbour, and canaries on the host
attempts    the attempts, a module for each category
report      the table in docs/threat-model.md: `python -m tests.integration.sandbox.hostile report`

An attempt is harmless where it succeeds: what would hurt a host is only opened, or asked for with arguments that change
nothing. Traffic stays on the loopback, but for connections to addresses that must be unreachable.
"""

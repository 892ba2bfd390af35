"""How the demo model repairs a small Python program: work through its tests on paper, change one thing, compare.

Nothing is ever executed: `interpreter` walks syntax trees with a few safe operations and a step limit, and gives up
(`Unsupported`) at anything it does not know.
"""

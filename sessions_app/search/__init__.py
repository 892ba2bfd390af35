"""Search over titles and what was said: its words, its questions, its answers."""

"""Full-text search over titles, prompts, answers and tool calls."""

"""What is known about programming languages: their servers and formatters, and the one client that talks to servers."""

"""The sandbox image: its contents, and its build, which runs once per engine, with or without a registry."""

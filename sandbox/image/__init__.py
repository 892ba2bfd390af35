"""The sandbox image: its contents, and how it is built once per engine, with or without a registry."""

"""Web access for agents: rules for addresses, and the worker's side of the guarded processes that send requests."""

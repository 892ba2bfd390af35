"""Pages of the web for agents: what may be asked for, and the worker's side of the process that asks for it."""

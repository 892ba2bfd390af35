"""The sandbox image: what is in it, and how it is made once for each engine, with or without a registry."""

"""Which connections the programs of a workspace may make, and the package registries that a policy may allow. Pure."""

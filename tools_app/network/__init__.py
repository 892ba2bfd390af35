"""Network access of the programs in a workspace: the allowed connections, and the package registries that a policy may
allow. Pure."""

"""The door: the process through which workspaces reach the network, as far as the policies allow.

It has access neither to the container engine nor to the keys of model providers.
"""

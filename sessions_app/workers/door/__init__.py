"""The door: the process through which workspaces reach the network, as far as the policies allow.

It has neither the container engine nor the keys of model providers.
"""

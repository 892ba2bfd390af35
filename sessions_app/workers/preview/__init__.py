"""The preview server: shows people the pages that programs of a workspace serve, at an origin of its own.

It has neither the container engine nor keys of providers, forges or variables.
"""

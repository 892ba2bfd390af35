"""The preview server, which shows people the pages that programs of a workspace serve, at an origin of its own.

It has access neither to the container engine nor to keys of providers, forges or variables.
"""

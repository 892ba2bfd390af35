"""The options of the image's programs, read from the programs themselves.

`python -m sandbox.image.options` prints them as JSON. The permission engine's tables of options are built from this
output: see `tools_app/permission/shell/program_options.json`.
"""

"""Git LFS through the door: batch requests, transfers of objects, and where their storage may be."""

"""Collections of test cases as data, and the modules that read them."""

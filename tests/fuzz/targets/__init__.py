"""One module per target of the fuzzer; see ``runner``."""

"""Is a program that knows nothing of the protocol."""

print("usage: does_not_speak [--help]")

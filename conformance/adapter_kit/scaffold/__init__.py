"""`conformance adapter new`: creates the folder of a new adapter, which can run at once."""

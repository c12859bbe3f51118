"""Speaks the protocol by hand, and tells the truth."""

from wire import serve

serve()

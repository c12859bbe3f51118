"""Speaks a protocol of the future."""

from wire import frame, read, ready, write

read()
write(frame(ready(protocol=2)))
read()

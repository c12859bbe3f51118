"""Describes itself with fields of other types."""

from wire import frame, read, ready, write

read()
write(frame(ready(devices="CPU")))
read()

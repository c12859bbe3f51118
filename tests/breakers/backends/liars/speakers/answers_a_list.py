"""Sends a header that is JSON, but no object."""

import struct

from wire import serve, write


def lie(header, attachments):
    write(struct.pack("<4sIQ", b"OPC1", 2, 0) + b"[]")


serve(lie)

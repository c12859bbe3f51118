"""Sends a header that is no JSON."""

import struct

from wire import serve, write


def lie(header, attachments):
    write(struct.pack("<4sIQ", b"OPC1", 7, 0) + b"{nonsen")


serve(lie)

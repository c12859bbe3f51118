"""Promises a header of four gigabytes."""

import struct

from wire import serve, write


def lie(header, attachments):
    write(struct.pack("<4sIQ", b"OPC1", 0xFFFFFFFF, 0))


serve(lie)

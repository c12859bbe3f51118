"""Promises a payload that no machine holds."""

import json
import struct

from wire import serve, write


def lie(header, attachments):
    text = json.dumps({**header, "attachments": [1 << 40]}).encode()
    write(struct.pack("<4sIQ", b"OPC1", len(text), 1 << 40) + text)


serve(lie)

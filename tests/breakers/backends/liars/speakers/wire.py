"""The protocol spoken by hand, with the standard library alone: what an author in another language would write.

`serve` answers honestly; a liar gives it a `lie` for the bait, which gets the call's number and the honest answer.
It is copied into the liar's folder.
"""

import json
import math
import struct
import sys

ITEMSIZES = {"float32": 4, "uint16": 2}


def read():
    prefix = sys.stdin.buffer.read(16)
    if not prefix:
        sys.exit()
    _, header_size, payload_size = struct.unpack("<4sIQ", prefix)
    header = json.loads(sys.stdin.buffer.read(header_size))
    payload, attachments = sys.stdin.buffer.read(payload_size), []
    for size in header.get("attachments", []):
        attachments.append(payload[:size])
        payload = payload[size:]
    return header, attachments


def frame(header, attachments=()):
    text = json.dumps({**header, "attachments": [len(item) for item in attachments]}).encode()
    payload = b"".join(attachments)
    return struct.pack("<4sIQ", b"OPC1", len(text), len(payload)) + text + payload


def write(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def ready(**fields):
    return {"type": "ready", "protocol": 1, "framework": "wire", "version": "1.0", "operators": ["*"], **fields}


def answer(call, given):
    """The parts of a VariadicSplit along an axis."""
    inputs = {item["name"]: item["constant"] for item in call["inputs"]} | call["runs"][0]
    (axis,) = struct.unpack("<q", given[inputs["axis"]["data"]])
    lengths = struct.unpack(f"<{inputs['split_lengths']['shape'][0]}q", given[inputs["split_lengths"]["data"]])
    data, shape = given[inputs["data"]["data"]], inputs["data"]["shape"]
    row = math.prod(shape[axis + 1 :]) * ITEMSIZES[inputs["data"]["dtype"]]
    references, parts, start = [], [], 0
    for length in lengths:
        rows = range(start, len(data), shape[axis] * row)
        parts.append(b"".join(data[at : at + length * row] for at in rows))
        part_shape = [*shape[:axis], length, *shape[axis + 1 :]]
        references.append({"dtype": inputs["data"]["dtype"], "shape": part_shape, "data": len(references)})
        start += length * row
    return {"type": "answer", "id": call["id"], "outcome": "produced", "runs": [references]}, parts


def serve(lie=None):
    read()
    write(frame(ready()))
    while True:
        call, given = read()
        header, attachments = answer(call, given)
        if lie is not None and call["inputs"][0]["dtype"] == "uint16":
            lie(header, attachments)
        else:
            write(frame(header, attachments))

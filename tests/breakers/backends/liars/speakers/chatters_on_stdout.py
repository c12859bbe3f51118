"""Writes text where the protocol is spoken."""

from wire import frame, serve, write


def lie(header, attachments):
    write(b"[INFO] about to answer\n" + frame(header, attachments))


serve(lie)

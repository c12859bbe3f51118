"""Measures times that are no numbers."""

from wire import frame, serve, write


def lie(header, attachments):
    write(frame({**header, "prepare_ns": "fast"}, attachments))


serve(lie)

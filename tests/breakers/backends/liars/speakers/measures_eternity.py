"""Measures a time that no clock shows."""

from wire import frame, serve, write


def lie(header, attachments):
    write(frame({**header, "prepare_ns": 10**400}, attachments))


serve(lie)

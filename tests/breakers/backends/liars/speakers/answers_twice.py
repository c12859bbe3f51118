"""Answers one request twice."""

from wire import frame, serve, write


def lie(header, attachments):
    write(2 * frame(header, attachments))


serve(lie)

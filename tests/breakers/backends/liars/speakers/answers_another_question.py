"""Answers with a number that nobody asked."""

from wire import frame, serve, write


def lie(header, attachments):
    write(frame({**header, "id": 99}, attachments))


serve(lie)

"""Answers a second run that nobody asked for."""

from wire import frame, serve, write


def lie(header, attachments):
    write(frame({**header, "runs": 2 * header["runs"]}, attachments))


serve(lie)

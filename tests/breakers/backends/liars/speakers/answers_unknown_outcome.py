"""Reports an outcome that the protocol does not have."""

from wire import frame, serve, write


def lie(header, attachments):
    write(frame({**header, "outcome": "perfect"}, attachments))


serve(lie)

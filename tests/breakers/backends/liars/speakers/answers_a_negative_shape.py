"""Returns a dim below zero."""

from wire import frame, serve, write


def lie(header, attachments):
    header["runs"][0][0]["shape"] = [-6, -1]
    write(frame(header, attachments))


serve(lie)

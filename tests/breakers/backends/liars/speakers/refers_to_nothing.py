"""Refers to an attachment that is not there."""

from wire import frame, serve, write


def lie(header, attachments):
    header["runs"][0][0]["data"] = 7
    write(frame(header, attachments))


serve(lie)

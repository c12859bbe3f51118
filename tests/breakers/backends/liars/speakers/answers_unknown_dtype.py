"""Returns a type that the protocol does not have."""

from wire import frame, serve, write


def lie(header, attachments):
    header["runs"][0][0]["dtype"] = "posit16"
    write(frame(header, attachments))


serve(lie)

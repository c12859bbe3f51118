"""Returns a tensor without elements and with a dim of 10^30."""

from wire import frame, serve, write


def lie(header, attachments):
    header["runs"][0][0]["shape"] = [0, 10**30]
    write(frame(header, [b"", *attachments[1:]]))


serve(lie)

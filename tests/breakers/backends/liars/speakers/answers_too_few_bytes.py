"""Returns fewer bytes than the shape needs."""

from wire import frame, serve, write


def lie(header, attachments):
    write(frame(header, [attachments[0][:-1], *attachments[1:]]))


serve(lie)

"""Lists attachments that do not add up to the payload."""

from wire import frame, serve, write


def lie(header, attachments):
    write(frame(header, attachments).replace(b'"attachments": [12,', b'"attachments": [13,'))


serve(lie)

"""Ends in the middle of an answer."""

import sys

from wire import frame, serve, write


def lie(header, attachments):
    write(frame(header, attachments)[:-1])
    sys.exit()


serve(lie)

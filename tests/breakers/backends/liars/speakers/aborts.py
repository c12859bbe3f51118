"""Aborts, as a failed assertion in C++ does."""

import os

from wire import serve


def lie(header, attachments):
    os.abort()


serve(lie)

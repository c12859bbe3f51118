"""Ends as if all were well."""

import os

from wire import serve


def lie(header, attachments):
    os._exit(0)


serve(lie)

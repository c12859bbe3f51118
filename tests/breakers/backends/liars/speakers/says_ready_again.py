"""Says hello in the middle of the run."""

from wire import frame, ready, serve, write


def lie(header, attachments):
    write(frame(ready()))


serve(lie)

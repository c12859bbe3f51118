"""The border to the frameworks: worker processes, the protocol and the shared memory.

It owns the frames and messages, the handshake, time limits, resource costs, the start and end of processes, and the
`session` that runs one target. `dispatch` builds the request for an adapter or rules the check out. The package returns
outcomes, never verdicts. `worker` is the other side of the border.
"""

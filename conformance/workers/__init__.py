"""The border to the frameworks: processes, the protocol between them, and the memory that they share.

It owns the frames and messages, the handshake, time limits, resource costs, forked processes and their end, and the
`session` that runs one target. `dispatch` decides what an adapter can be sent. The package returns outcomes and gives
no verdict. The other side of the border is `conformance.worker`.
"""

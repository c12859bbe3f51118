"""What each form decides: which cases have it, and which calls it makes of one.

`other_calls` and `graphs` have the rules of the forms by what they change; `rule` has what several of them need, and
the rules of arguments. A form without a rule fits every case and makes one call, the case itself.
"""

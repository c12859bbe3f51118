"""What each form decides: which cases have it, and which calls it makes of one.

`arguments`, `other_calls`, `layouts` and `graphs` have the rules of the forms by what they change; `rule` has what
several of them need. A form without a rule fits every case and makes one call, the case itself.
"""

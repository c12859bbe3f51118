"""Makes calls of an operator from features: values of each class of each kind of argument.

`choices` has what a kind can be asked for, `dice` the seed's numbers, and `call` puts the arguments together.
`clear_case` keeps the calls that can be judged.
"""

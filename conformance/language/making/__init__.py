"""Makes calls of an operator from features: values of each class of each kind of argument.

`classes` has what a kind can be asked for, `setting` the numbers of the seed, and `call` puts the arguments together.
`clear_case` keeps the calls that can be judged.
"""

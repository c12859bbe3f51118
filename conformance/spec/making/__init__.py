"""Makes calls of an operator from features: values of each class of each kind of argument.

`classes` has the classes of each kind, those of `addresses` and `lengths`; `setting` has the numbers of the seed, and
`call` puts the arguments together. `clear_case` keeps the calls that can be judged. `wrong` makes calls that a page
forbids, of the values in `wrong_values`.
"""

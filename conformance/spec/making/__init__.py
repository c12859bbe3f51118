"""Makes calls of an operator from features: values of each class of each kind of argument.

`call` puts the arguments together, of the classes of each kind, which are in `addresses` and `lengths`; `setting` has
the numbers of the seed. `clear_case` keeps the calls that can be judged. `wrong` makes calls that a page
forbids, of the values in `wrong_values`.
"""

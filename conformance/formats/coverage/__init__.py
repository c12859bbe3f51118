"""What the cases of an operator must combine: the space of parameters, and the tables that cover it."""

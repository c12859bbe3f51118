"""From an outcome to a verdict, bit for bit.

`judge` compares an outcome with its case, `explain` names the fault behind a wrong answer with the help of
`hypotheses`, and `controls` says what a twin and a control show of a check. `wrong_answer` owns known wrong answers,
and `deviation` reads recorded deviations and decides whether one covers a check. The package reads no other file and no
log. Of a target it knows only the `Circumstances` that the caller passes.
"""

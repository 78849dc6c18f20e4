"""Attacks on the laboratory itself, each judged by an oracle of its own. They are not the faults of a study.

A file of `kinds` is a kind of attack. It has SHARE (its weight among all kinds), VARIANTS (what can be done, in words) and
`attack`, which does one of them on a `Ground` and returns the `Verdict` of the oracle.
"""

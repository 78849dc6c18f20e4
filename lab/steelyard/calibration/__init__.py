"""Calibration: how far verdicts on this machine can be trusted.

One artifact is compared with itself, and with itself slowed down by known shares.
"""

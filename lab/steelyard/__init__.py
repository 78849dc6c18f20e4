"""Steelyard's laboratory: from a study file to a verdict."""

__version__ = "0.1.0"

"""Checks that a server must pass before Steelyard offers it."""
